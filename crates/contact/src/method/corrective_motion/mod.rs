//! Corrective motion: free motion, contact forces from the compliance at the contacts, and the motion due to them.
//!
//! ```text
//! v* = A⁻¹ b                          free motion
//! W = J C Jᵀ,  q = J v* − c           compliance and free displacement at the contacts
//! W f + q, f: Signorini, Coulomb      a friction problem in the contacts alone
//! v = v* + C Jᵀ f                     corrective motion
//! ```
//!
//! There are two choices. The compliance `C` is `A⁻¹`, factorised in every step ([`CorrectiveMotion::exact`]), or the
//! compliance at rest, rotated node by node ([`CorrectiveMotion::warped`]). `W` is assembled in 3×3 blocks, or applied
//! through the bodies ([`DelassusForm`]). Contacts are exact for both compliances, since the corrective motion uses the
//! same. Momentum is exact with `A⁻¹`; the compliance at rest needs corrections, which repeat the free motion under the
//! forces of the last solve ([`CorrectiveMotionSettings::corrections`]). Constraint rows are eliminated: they change
//! `v*` and `C` (`joined`). Ropes and limits are rows that hold or have no force, and a solve is repeated where such a
//! state changes (`one_sided_rows`). See `docs/methods/corrective_motion.md`.

mod acceleration;
mod assembled;
mod compliance;
mod contact_nodes;
mod contacts;
mod exact;
mod friction_data;
mod gauss_seidel;
mod joined;
mod matrix_free;
mod matrix_snapshot;
mod momentum_projection;
mod one_sided_rows;
mod operator;
mod operator_rows;
mod progress;
mod redundant_rows;
mod row_cache;
mod scale;
mod settings;
mod subset;
mod unconverged_contacts;
mod warped;

pub use settings::{CorrectiveMotionSettings, DelassusForm};

use super::friction_stages::FrictionStages;
use super::rows::{
    add_impulse, check_with_constraints, check_with_joints, diagonal_compliance, gap_and_slip,
    merit,
};
use super::{ContactReport, ContactResult, ContactSolver, Termination};
use crate::compliance::TurnedBodies;
use crate::delassus::{BlockRows, FrictionError, FrictionProblem, GaussSeidel, ProximalNewton};
use crate::solution::direction;
use crate::{ContactError, ContactProblem, ContactSolution, Interrupt, Multipliers, residual};
use assembled::Assembled;
use compliance::{Compliance, FreeEquations, FreeMotion};
use contact_nodes::ContactNodes;
use contacts::{Contacts, Form};
use exact::ExactCompliance;
use friction_data::FrictionData;
use gauss_seidel::{SweepLimits, Workspace, solve_by_sweeps};
use joined::JoinedCompliance;
use nalgebra::Vector3;
use progress::Progress;
use row_cache::RowCache;
use scale::Scale;
use std::sync::Arc;
use warped::WarpedCompliance;

/// Residual over its tolerance at which sweeps end; the rest is for rounding of the independent residual.
const ENOUGH: f64 = 0.5;

/// Relative errors of the friction problem, tried one after the other if sweeps were not enough.
///
/// The last is near the rounding of `W`.
const TARGETS: [f64; 3] = [1e-7, 1e-10, 1e-12];

/// Number of accelerated sweeps without halving the error after which Newton's method starts. It is large, because
/// acceleration restarts when many contacts change state.
const ACCELERATED_STAGNATION: u64 = 100;

/// Number of plain sweeps without halving the error after which Newton's method starts.
const PLAIN_STAGNATION: u64 = 30;

/// Largest number of plain sweeps, which only provide a start for Newton's method.
const MOST_PLAIN: u64 = 100;

/// Number of inner problems without halving the error after which Newton's method ends.
const NEWTON_STAGNATION: u64 = 12;

/// Number of contacts above which Newton's method waits for the last sweep: one of its steps costs as much as hundreds
/// of sweeps.
const FEW_FOR_NEWTON: usize = 100;

/// Number of contacts above which Newton's method is not tried: the matrix of contacts on common bodies is dense.
const MOST_FOR_NEWTON: usize = 500;

/// Largest number of free motions that are repeated in one solve because the forces in them were worse than none.
const MOST_REPEATS: u32 = 3;

/// Share of the momentum tolerance for the free motion.
const FREE_SHARE: f64 = 0.1;

/// The method with its compliance and its workspace, which is reused from step to step.
///
/// # Source
/// Saupin, Duriez, Cotin and Grisoni 2008, "Efficient Contact Modeling using Compliance Warping"; differs from it in:
/// the exact solution of each contact in Gauss-Seidel, Newton's method after it, sweeps until the tolerances of the
/// step are met, the momentum projection, and the momentum system, which is that of the caller.
pub struct CorrectiveMotion {
    /// Settings of the next solve.
    pub settings: CorrectiveMotionSettings,
    compliance: JoinedCompliance,
    /// `v*` without the forces of constraint rows, and what it was computed for.
    free: Vec<f64>,
    free_of: Vec<f64>,
    /// `v*` with these forces, and scratch for them.
    closed: Vec<f64>,
    row_forces: Vec<f64>,
    /// `p₀`, and scratch of the same length.
    carried: Vec<f64>,
    scratch: Vec<f64>,
    free_motion: FreeMotion,
    reactions: Vec<Vector3<f64>>,
    workspace: Workspace,
    cache: RowCache,
    scales: Vec<Scale>,
    friction: Vec<f64>,
    gaps: Vec<Vector3<f64>>,
    /// `e_c` of the last corrective motion.
    row_misfit: f64,
    interrupt: Interrupt,
}

impl CorrectiveMotion {
    /// A solver with `C = A⁻¹`: one sparse factorisation per body whenever `A` changes.
    pub fn exact(settings: CorrectiveMotionSettings) -> Self {
        Self::with(settings, Box::<ExactCompliance>::default())
    }

    /// A solver with the compliance at rest of the bodies given to [`know_bodies`](ContactSolver::know_bodies), which
    /// are not factorised in a step; other blocks are, whenever `A` changes. If no bodies are given at all, it solves
    /// only problems without coupled blocks.
    pub fn warped(settings: CorrectiveMotionSettings) -> Self {
        Self::with(settings, Box::<WarpedCompliance>::default())
    }

    fn with(settings: CorrectiveMotionSettings, compliance: Box<dyn Compliance + Send>) -> Self {
        Self {
            settings,
            compliance: JoinedCompliance::new(compliance),
            free: Vec::new(),
            free_of: Vec::new(),
            closed: Vec::new(),
            row_forces: Vec::new(),
            carried: Vec::new(),
            scratch: Vec::new(),
            free_motion: FreeMotion::default(),
            reactions: Vec::new(),
            workspace: Workspace::default(),
            cache: RowCache::default(),
            scales: Vec::new(),
            friction: Vec::new(),
            gaps: Vec::new(),
            row_misfit: 0.0,
            interrupt: Interrupt::default(),
        }
    }

    /// `W = J C Jᵀ` of the contacts of `problem` (m/N), for the compliance of the last solved or condensed problem.
    /// After a change of the momentum matrix, solve or condense first.
    ///
    /// # Errors
    /// [`ContactError::RightHandSideLength`] if that problem had other unknowns; [`ContactError::InteriorContact`] for
    /// a contact on a node whose compliance is not known.
    pub fn compliance_at_contacts(
        &mut self,
        problem: &ContactProblem,
    ) -> Result<BlockRows, ContactError> {
        if self.free_of.len() != problem.unknowns() {
            return Err(ContactError::RightHandSideLength {
                found: self.free_of.len(),
                expected: problem.unknowns(),
            });
        }
        let nodes = ContactNodes::find(problem, &self.compliance)?;
        Ok(Assembled::new(&nodes, &mut self.compliance, &mut RowCache::default()).w)
    }

    /// The friction problem `W f + q` of `problem` in its contacts alone; `W` in m/N, `q` in m.
    ///
    /// # Errors
    /// As [`solve`](ContactSolver::solve), and [`ContactError::OneSidedRow`], because the compliance depends on the
    /// states of one-sided rows.
    pub fn condense(&mut self, problem: &ContactProblem) -> Result<FrictionProblem, ContactError> {
        self.settings.validate()?;
        let start = ContactSolution::at_rest(problem);
        check_with_joints(problem, &start)?;
        self.reactions.clear();
        self.compliance.states.start(problem, &start.constraints);
        self.prepare(problem, &start)?;
        let nodes = ContactNodes::find(problem, &self.compliance)?;
        let built = Assembled::new(&nodes, &mut self.compliance, &mut RowCache::default());
        self.data(problem);
        self.friction_problem(built.w)
    }

    /// Replaces impulses on all blocks (N·s) by the velocities `C x` (m/s).
    ///
    /// # Errors
    /// As [`solve`](ContactSolver::solve), and [`ContactError::OneSidedRow`], because the compliance depends on the
    /// states of one-sided rows.
    ///
    /// # Panics
    /// If `impulses` is not one number per unknown.
    #[track_caller]
    pub fn respond(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
    ) -> Result<(), ContactError> {
        assert_eq!(
            impulses.len(),
            problem.unknowns(),
            "one impulse per unknown"
        );
        let start = ContactSolution::at_rest(problem);
        check_with_joints(problem, &start)?;
        self.compliance.states.start(problem, &start.constraints);
        let repair = self.settings.momentum_repair;
        if self.compliance.prepare(problem, repair)? {
            // What the last solve kept belongs to another compliance.
            self.cache.forget();
            self.free_of.clear();
        }
        self.compliance.apply(impulses);
        Ok(())
    }

    /// Computes compliance and free motion of `problem`, unless they are those of the last solve.
    fn prepare(
        &mut self,
        problem: &ContactProblem,
        start: &ContactSolution,
    ) -> Result<(), ContactError> {
        let repair = self.settings.momentum_repair;
        let changed = self.compliance.prepare(problem, repair)?;
        if changed {
            self.cache.forget();
        }
        if changed || self.free_of != problem.rhs {
            self.free_of.clear();
            self.free_of.extend_from_slice(&problem.rhs);
            self.move_freely(problem, start);
        } else {
            self.free_motion.products = 0;
        }
        Ok(())
    }

    /// The free motion, with the part of the present forces `p₀ = Jᵀ f₀ + Gᵀ λ₀` of contacts and constraint rows that
    /// `C` does not represent.
    ///
    /// ```text
    /// v* = A⁻¹ (b + p₀) − C p₀
    /// ```
    ///
    /// So the error of `C` in `v* + C p` affects `p − p₀` only. For the exact compliance it is `A⁻¹ b` for any `p₀`.
    fn move_freely(&mut self, problem: &ContactProblem, start: &ContactSolution) {
        self.free.clear();
        self.free.extend_from_slice(&start.velocity);
        self.carried.clear();
        self.carried.resize(problem.unknowns(), 0.0);
        if !self.compliance.is_exact() {
            add_impulses(
                problem,
                &self.reactions,
                &start.constraints,
                &mut self.carried,
            );
        }
        self.scratch.clear();
        let known = problem.rhs.iter().zip(&self.carried);
        self.scratch.extend(known.map(|(b, p)| b + p));
        // In the norm without weights, every body must be within the smallest tolerance.
        let smallest = self.settings.tolerances.momentum / problem.largest_momentum_weight();
        let equations = FreeEquations {
            momentum: &problem.momentum,
            rhs: &self.scratch,
            tolerance: FREE_SHARE * smallest,
        };
        self.free_motion = self.compliance.free_motion(equations, &mut self.free);
        if !self.compliance.is_exact() {
            self.scratch.copy_from_slice(&self.carried);
            self.compliance.bodies().apply(&mut self.scratch);
            for (v, known) in self.free.iter_mut().zip(&self.scratch) {
                *v -= known;
            }
        }
    }

    /// Whether the forces differ more from those in the free motion than from zero: the free motion was then harmful.
    fn has_diverged(&mut self, problem: &ContactProblem, solution: &ContactSolution) -> bool {
        if self.compliance.is_exact() {
            return false;
        }
        self.scratch.fill(0.0);
        let scratch = &mut self.scratch;
        add_impulses(problem, &self.reactions, &solution.constraints, scratch);
        let (mut from_carried, mut from_none) = (0.0, 0.0);
        for (now, carried) in self.scratch.iter().zip(&self.carried) {
            from_carried += (now - carried) * (now - carried);
            from_none += now * now;
        }
        from_carried > from_none
    }

    /// `q`, `μ` and the scales of the residual.
    fn data(&mut self, problem: &ContactProblem) {
        let contacts = 0..problem.contacts();
        self.closed.clear();
        self.closed.extend_from_slice(&self.free);
        self.row_forces.resize(problem.constraints.len(), 0.0);
        self.compliance
            .close(problem, &mut self.closed, &mut self.row_forces);
        let free = &self.closed;
        self.gaps.clear();
        let gap = |contact| gap_and_slip(problem, contact, free);
        self.gaps.extend(contacts.clone().map(gap));
        self.friction.clear();
        self.friction
            .extend(contacts.clone().map(|contact| problem.friction(contact)));
        let tolerances = self.settings.tolerances;
        self.scales.clear();
        self.scales.extend(contacts.map(|contact| {
            let softness = diagonal_compliance(problem, contact, |block| {
                let diagonal = problem.momentum.diagonal_block(block as usize).diagonal();
                diagonal.map(f64::recip)
            });
            let own = tolerances.of(problem, contact, false);
            let force = own.momentum / problem.time_step;
            Scale::new([softness.x, softness.y.max(softness.z)], &own, force)
        }));
    }

    fn friction_problem(&self, w: BlockRows) -> Result<FrictionProblem, ContactError> {
        FrictionProblem::new("step", w, self.gaps.clone(), self.friction.clone())
            .map_err(|error| unusable(&error))
    }

    /// Writes `v = v* + C Jᵀ f` and the states of all contacts.
    fn write(&mut self, problem: &ContactProblem, solution: &mut ContactSolution) {
        let correction = &mut solution.velocity;
        correction.fill(0.0);
        for (contact, force) in self.reactions.iter().enumerate() {
            add_impulse(problem, contact, force, correction);
        }
        self.compliance.bodies().apply_again(correction);
        for (v, free) in correction.iter_mut().zip(&self.free) {
            *v += free;
        }
        self.compliance
            .close(problem, correction, &mut solution.constraints);
        for (contact, force) in self.reactions.iter().enumerate() {
            let motion = gap_and_slip(problem, contact, &solution.velocity);
            solution.contacts[contact] = multipliers(
                force,
                &motion,
                problem.friction(contact),
                (self.settings.tolerances).of(problem, contact, false).slip,
            );
        }
    }

    /// Writes the solution and computes its residual; returns how the solve ended, if it did.
    fn finish(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        report: &mut ContactReport,
    ) -> Option<Termination> {
        self.write(problem, solution);
        report.extra_products += 1;
        let mut judged = residual(problem, solution);
        report.residual = judged.momentum;
        let numbers = [judged.momentum, judged.normal, judged.friction];
        if !numbers.iter().all(|number| number.is_finite()) {
            return Some(Termination::Breakdown);
        }
        // Forces of contacts cannot correct a row: it is eliminated, or its state is wrong.
        self.row_misfit = judged.constraint;
        judged.constraint = 0.0;
        if !self.compliance.is_exact() {
            // An approximate compliance does not balance momentum, and forces cannot correct this.
            judged.momentum = 0.0;
        }
        (merit(&judged, &self.settings.tolerances, false) < 1.0).then_some(Termination::Converged)
    }

    /// Sweeps over the contacts until `limits`.
    fn solve_by_sweeps(
        &mut self,
        contacts: &mut Contacts,
        limits: SweepLimits,
        report: &mut ContactReport,
    ) {
        let Contacts {
            form, neighbours, ..
        } = contacts;
        let delassus = form.delassus();
        let data = FrictionData {
            free: &self.gaps,
            friction: &self.friction,
            scales: &self.scales,
            neighbours,
        };
        let swept = solve_by_sweeps(
            delassus,
            &data,
            &mut self.reactions,
            &mut self.workspace,
            limits,
        );
        report.sweeps += swept.sweeps;
        report.evaluations += swept.checks;
    }

    /// Solves with the present states of one-sided rows.
    fn solve_with_states(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        report: &mut ContactReport,
    ) -> Result<(), ContactError> {
        self.prepare(problem, solution)?;
        let nodes = ContactNodes::find(problem, &self.compliance)?;
        self.cache.match_contacts(problem);
        let form = self.settings.delassus;
        let mut contacts = Contacts::new(nodes, form, &mut self.compliance, &mut self.cache);
        self.solve_repeatedly(problem, solution, &mut contacts, report)?;
        match contacts.form {
            Form::Assembled(built) => self.cache.store(problem, built.w),
            Form::MatrixFree(_) => self.cache.forget(),
        }
        Ok(())
    }

    /// Computes forces and corrective motion, and repeats the free motion while necessary.
    fn solve_repeatedly(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        contacts: &mut Contacts,
        report: &mut ContactReport,
    ) -> Result<(), ContactError> {
        let (mut corrections, mut repeats) = (0, 0);
        let mut progress = Progress::default();
        loop {
            self.data(problem);
            report.extra_products += self.free_motion.products;
            report.residual = self.free_motion.residual;
            if !self.free_motion.converged {
                report.termination = if self.free_motion.residual.is_finite() {
                    Termination::MaxIterations
                } else {
                    Termination::Breakdown
                };
                return Ok(());
            }
            report.termination = self.solve_contacts(problem, solution, contacts, report)?;
            if report.termination != Termination::Converged {
                return Ok(());
            }
            let unbalanced = report.residual >= self.settings.tolerances.momentum;
            let goes_on = progress.goes_on(report.residual);
            if self.has_diverged(problem, solution) && repeats < MOST_REPEATS {
                // This free motion is discarded: it is no step towards the balance.
                progress = Progress::default();
                repeats += 1;
            } else if unbalanced && goes_on && corrections < self.settings.corrections {
                corrections += 1;
            } else {
                return Ok(());
            }
            self.move_freely(problem, solution);
        }
    }

    /// Computes forces and corrective motion for the present free motion; returns how it ended.
    fn solve_contacts(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        contacts: &mut Contacts,
        report: &mut ContactReport,
    ) -> Result<Termination, ContactError> {
        let settings = self.settings;
        let limits = SweepLimits {
            enough: ENOUGH,
            most: settings.max_sweeps.min(settings.max_iterations),
            halving: ACCELERATED_STAGNATION,
        };
        self.solve_by_sweeps(contacts, limits, report);
        if let Some(end) = self.finish(problem, solution, report) {
            return Ok(end);
        }
        if problem.contacts() > FEW_FOR_NEWTON {
            let limits = SweepLimits {
                enough: ENOUGH,
                most: settings.max_iterations,
                halving: settings.max_iterations,
            };
            self.solve_by_sweeps(contacts, limits, report);
            if let Some(end) = self.finish(problem, solution, report) {
                return Ok(end);
            }
        }
        if problem.contacts() > MOST_FOR_NEWTON {
            return Ok(Termination::MaxIterations);
        }
        let w = contacts.matrix(&mut self.compliance);
        let friction = self.friction_problem(w)?;
        for tolerance in TARGETS {
            let sweeps = settings.max_sweeps.min(settings.max_iterations);
            let stages = FrictionStages {
                sweeps: GaussSeidel::new(sweeps.min(MOST_PLAIN), PLAIN_STAGNATION),
                then: ProximalNewton::new(settings.max_iterations, NEWTON_STAGNATION),
                interrupt: &self.interrupt,
            };
            let forces = &mut self.reactions;
            let solved = stages.solve(&friction, forces, tolerance, report)?;
            if let Some(end) = self.finish(problem, solution, report) {
                return Ok(end);
            }
            if !solved.error.is_finite() {
                return Ok(Termination::Breakdown);
            }
            if self.interrupt.is_raised() {
                break;
            }
        }
        Ok(Termination::MaxIterations)
    }
}

/// Adds `Jᵀ f + Gᵀ λ` to the impulses of all unknowns (N·s), without the rows whose force is not finite.
fn add_impulses(
    problem: &ContactProblem,
    forces: &[Vector3<f64>],
    rows: &[f64],
    impulses: &mut [f64],
) {
    for (contact, force) in forces.iter().enumerate() {
        add_impulse(problem, contact, force, impulses);
    }
    let constraints = &problem.constraints;
    for group in 0..constraints.groups() {
        let first = constraints.first_row(group);
        for row in 0..constraints.group(group).offset.len() {
            let force = rows[first + row];
            if force.is_finite() {
                constraints.add_impulse(group, row, force, impulses);
            }
        }
    }
}

/// The forces of a warm start; zero if they are not finite.
fn start_forces(solution: &ContactSolution, reactions: &mut Vec<Vector3<f64>>) {
    reactions.clear();
    reactions.extend(solution.contacts.iter().map(Multipliers::force));
    if !reactions.iter().all(|r| r.iter().all(|x| x.is_finite())) {
        reactions.fill(Vector3::zeros());
    }
}

/// A contact's force as sticking or sliding friction.
pub(super) fn multipliers(
    force: &Vector3<f64>,
    motion: &Vector3<f64>,
    friction: f64,
    slip_tolerance: f64,
) -> Multipliers {
    if force.x <= 0.0 {
        return Multipliers::default();
    }
    if friction > 0.0 && motion.y.hypot(motion.z) <= slip_tolerance {
        return Multipliers::sticking(force);
    }
    Multipliers::sliding(force, direction([motion.y, motion.z]))
}

/// A valid contact problem condenses to a valid friction problem, unless numbers overflow.
pub(super) fn unusable(error: &FrictionError) -> ContactError {
    let index = match *error {
        FrictionError::NotFinite { index, .. } => index,
        FrictionError::NoCompliance { contact, .. } => contact,
        _ => 0,
    };
    ContactError::NotFinite {
        what: "compliance of contact",
        index,
    }
}

impl ContactSolver for CorrectiveMotion {
    fn solve(&mut self, problem: &ContactProblem, solution: &mut ContactSolution) -> ContactResult {
        self.settings.validate()?;
        check_with_constraints(problem, solution)?;
        start_forces(solution, &mut self.reactions);
        let rows = &solution.constraints;
        self.compliance.states.start(problem, rows);
        let mut report = ContactReport::default();
        loop {
            self.solve_with_states(problem, solution, &mut report)?;
            let enough = ENOUGH * self.settings.tolerances.gap;
            let states = &mut self.compliance.states;
            let ends = !self.free_motion.converged
                || report.sweeps >= self.settings.max_iterations
                || self.interrupt.is_raised();
            if ends || !states.change_worst(problem, solution, enough) {
                break;
            }
        }
        // Rows may contradict each other, and changes of state may have ended before all were right.
        let rows_hold = self.row_misfit < self.settings.tolerances.gap;
        if report.termination == Termination::Converged && !rows_hold {
            report.termination = Termination::MaxIterations;
        }
        Ok(report)
    }

    fn set_tolerances(&mut self, tolerances: crate::Tolerances) {
        self.settings.tolerances = tolerances;
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
        self.workspace.interrupt = interrupt.clone();
    }

    fn know_bodies(&mut self, bodies: &Arc<TurnedBodies>) {
        self.compliance.know_bodies(bodies);
    }
}
