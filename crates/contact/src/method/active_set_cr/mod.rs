//! Active-set conjugate residuals: one Krylov solve for velocities and contact forces together.
//!
//! Source: Verschoor & Jalba, "Efficient and Accurate Collision Response for Elastically Deformable Models", ACM TOG
//! 38(2), 2019, Algorithms 1 (inner part), 2 and 3. Differs from it in: signs (`A v = b + Jᵀλ`), the size of a change
//! that is worth committing, the guarded direction where `zᵀBz` vanishes, a relative stationarity test, a tangential
//! tolerance of its own, slip directions that are solved for, rows that are soft about a reference force, and `A v` not
//! being kept.
//! `docs/methods/active_set_cr.md` gives the reasons.

mod anticipate;
mod calm;
mod duplicates;
mod evaluate;
mod extrapolation;
mod laws;
mod look;
mod multipliers;
mod preconditioner;
mod regions;
mod rows;
mod settings;
mod soft_rows;
mod stall;
mod sweeps;
mod unrest;
mod workspace;

pub use settings::{
    ActiveSetCrSettings, DirectionRule, DuplicateRule, EvaluationSchedule, PreconditionerKind,
};

use super::{
    ContactReport, ContactSolver, Termination, TraceRow, halving::Halving, pivoting::Pivoting,
    trace::Trace,
};
use crate::{
    ContactError, ContactProblem, ContactSolution, ContactState, Interrupt, Multipliers, Tolerances,
};
use anticipate::Anticipation;
use calm::Calm;
use look::Occasion;
use preconditioner::Preconditioner;
use regions::Regions;
use rows::{add_contact_product, add_impulse};
use stall::Stall;
use unrest::Unrest;
use workspace::Workspace;

/// `‖B z‖ < STATIONARY·‖r‖`: the residual is orthogonal to everything `B` can reach, up to rounding.
const STATIONARY: f64 = 1e-8;

/// What an exact residual may exceed the tolerances by where the recurrence met them.
const SLACK: f64 = 2.0;

/// Impulse of a change of friction that is always worth committing, over the momentum tolerance.
const IMPULSE: f64 = 0.25;

/// Tolerance of the row across a slip over the slip tolerance: a slip of ten tolerances then has the direction of its
/// force to about `ε_θ`.
const ACROSS: f64 = 0.1;

/// A step that changes the residual by less than this part makes `z` useless as the next direction (`zᵀBz ≈ 0`).
const NO_PROGRESS: f64 = 1e-8;

/// The method and its workspace: reused from step to step, it stops allocating once the largest problem was seen, but for
/// regions, whose problems and solutions are made anew.
#[derive(Debug, Default)]
pub struct ActiveSetCr {
    /// Settings of the next solve.
    pub settings: ActiveSetCrSettings,
    work: Workspace,
    anticipation: Anticipation,
    trace: Trace,
    preconditioner: Preconditioner,
    regions: Regions,
    pivoting: Pivoting,
    halving: Halving,
    /// Changes of normal rows that one look is for: what each is worth (m), its contact, its new state.
    wishes: Vec<(f64, usize, Multipliers)>,
    /// Whether friction is settled to the tolerance of gaps only.
    relaxed: bool,
    interrupt: Interrupt,
}

impl ActiveSetCr {
    /// A solver with an empty workspace.
    pub fn new(settings: ActiveSetCrSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// `r` from the definition, with one product by `A`.
    fn recompute_residual(&mut self, problem: &ContactProblem, solution: &ContactSolution) {
        self.recompute_momentum(problem, solution);
        for contact in 0..problem.contacts() {
            let displacement = Preconditioner::gap_and_slip(problem, contact, &solution.velocity);
            self.work.displacement[3 * contact..][..3].copy_from_slice(displacement.as_slice());
        }
        self.recompute_rows(solution);
    }

    /// `r_v` from the definition.
    fn recompute_momentum(&mut self, problem: &ContactProblem, solution: &ContactSolution) {
        let work = &mut self.work;
        problem
            .momentum
            .multiply(&solution.velocity, &mut work.r.v, &mut work.product);
        impinge_krylov::vector::for_pieces([&mut work.r.v], [&problem.rhs], &|[r], [b]| {
            for (r, b) in r.iter_mut().zip(b) {
                *r = b - *r;
            }
        });
        for (contact, multipliers) in solution.contacts.iter().enumerate() {
            let force = multipliers.force();
            if multipliers.state != ContactState::Inactive {
                add_impulse(problem, contact, &force, &mut work.r.v);
            }
        }
    }

    /// `z = C⁻¹ r`, `p = z`, `Bp`: one product with `A`.
    fn restart(&mut self, problem: &ContactProblem) {
        let work = &mut self.work;
        // Rows that dropped out must not keep what they held.
        for pair in [&mut work.z, &mut work.q, &mut work.bp, &mut work.bw]
            .into_iter()
            .chain(&mut work.previous)
        {
            pair.m.fill(0.0);
        }
        self.preconditioner.apply(
            problem,
            &work.masks,
            &work.active,
            (&work.r.v, &work.r.m),
            (&mut work.z.v, &mut work.z.m),
        );
        work.p.copy_from(&work.z);
        problem
            .momentum
            .multiply(&work.p.v, &mut work.bp.v, &mut work.product);
        add_contact_product(
            problem,
            &work.masks,
            &work.active,
            self.preconditioner.softness(),
            (&work.p.v, &work.p.m),
            (&mut work.bp.v, &mut work.bp.m),
        );
    }

    /// `‖(w r_v, r_m)‖`: what the iteration has come down to.
    fn residual_norm(&self, problem: &ContactProblem) -> f64 {
        let r = &self.work.r;
        problem
            .momentum_norm(&r.v)
            .hypot(impinge_krylov::vector::norm(&r.m))
    }

    /// Whether `‖w r_v‖` is within `slack` times its tolerance, and the rows' gaps and slips within theirs.
    fn converged(&self, problem: &ContactProblem, solution: &ContactSolution, slack: f64) -> bool {
        let bound = slack * self.settings.tolerances.momentum;
        if problem.momentum_norm(&self.work.r.v) >= bound {
            return false;
        }
        self.work.active.iter().all(|&contact| {
            let r = &self.work.r.m[3 * contact as usize..][..3];
            let tolerances = self.tolerances_of(problem, contact as usize);
            let sliding = solution.contacts[contact as usize].state == ContactState::Sliding;
            let slip = if sliding {
                ACROSS * tolerances.slip
            } else {
                tolerances.slip
            };
            r[0].abs() < tolerances.gap && r[1].hypot(r[2]) < slip
        })
    }

    /// Steps along `p`: `y += α p`, `r −= α Bp`, `z −= α q`.
    fn advance(&mut self, solution: &mut ContactSolution, alpha: f64, report: &ContactReport) {
        let work = &mut self.work;
        impinge_krylov::vector::axpy(alpha, &work.p.v, &mut solution.velocity);
        for &contact in &work.active {
            let p = &work.p.m[3 * contact as usize..][..3];
            let multipliers = &mut solution.contacts[contact as usize];
            multipliers.lambda += alpha * p[0];
            multipliers.gamma[0] += alpha * p[1];
            multipliers.gamma[1] += alpha * p[2];
        }
        work.r.axpy(-alpha, &work.bp);
        work.z.axpy(-alpha, &work.q);
        self.note_iteration(report);
    }

    /// A row of the trace; iterations that led nowhere have one too.
    fn note_iteration(&mut self, report: &ContactReport) {
        let residual = &self.work.r;
        self.trace
            .push("conjugate residuals", || residual.norm(), report);
    }

    fn check(
        &self,
        problem: &ContactProblem,
        solution: &ContactSolution,
    ) -> Result<(), ContactError> {
        self.settings.validate()?;
        super::rows::check(problem, solution)
    }
}

/// The previous direction that the guarded recurrence needs, while it needs it.
#[derive(Clone, Copy)]
struct Previous {
    curvature: f64,
}

impl ContactSolver for ActiveSetCr {
    fn solve(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> Result<ContactReport, ContactError> {
        if !problem.constraints.is_empty() {
            return self.solve_with_rows(problem, solution);
        }
        self.check(problem, solution)?;
        Ok(self.solve_checked(problem, solution))
    }

    fn set_tolerances(&mut self, tolerances: Tolerances) {
        self.settings.tolerances = tolerances;
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
    }

    fn record(&mut self) {
        self.trace.record();
    }

    fn trace(&self) -> &[TraceRow] {
        self.trace.rows()
    }
}

impl ActiveSetCr {
    /// The whole of it, for a problem that is known to be sound.
    fn solve_checked(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> ContactReport {
        self.trace.begin();
        self.anticipation.begin_solve();
        self.work.resize(
            problem.unknowns(),
            problem.contacts(),
            problem.momentum.scratch_len(),
        );
        self.work.initial_velocity.clone_from(&solution.velocity);
        self.work.initial_contacts.clone_from(&solution.contacts);
        self.preconditioner.prepare(
            problem,
            self.settings.preconditioner,
            self.settings.softness,
        );

        let strict = self.settings;
        self.relaxed = false;
        let before = self.solve_regions(problem, solution);
        let mut report = before;
        if before.termination != Termination::Converged {
            self.trace.count_from(before.iterations);
            self.settings.max_iterations = strict.max_iterations.saturating_sub(before.iterations);
            report = self.iterate(problem, solution);
            report.iterations += before.iterations;
            report.anticipations += before.anticipations;
            report.extra_products += before.extra_products;
            report.add_looks(&before);
        }
        self.settings = strict;
        if report.relaxed {
            // What was settled less finely from some time on may meet the finer tolerance all the same.
            self.relaxed = false;
            let force_of = |contact: usize| solution.contacts[contact].force();
            report.relaxed = !self.laws_hold(problem, &solution.velocity, force_of);
        }
        if before.termination == Termination::Converged {
            // No rows were made equalities.
            self.work.r.m.fill(0.0);
        }
        report.residual = self.residual_norm(problem);
        if report.termination == Termination::Breakdown {
            solution.velocity.clone_from(&self.work.initial_velocity);
            solution.contacts.clone_from(&self.work.initial_contacts);
        }
        report
    }

    /// Algorithm 1, inner part: iterate, let contacts change state, restart where they did.
    fn iterate(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> ContactReport {
        let mut report = ContactReport::default();
        self.pivoting = Pivoting::default();
        self.halving = Halving::default();
        let mut unrest = Unrest::default();
        if self.find_states(problem, solution, &mut unrest, &mut report) {
            return report;
        }
        self.restart(problem);

        let mut previous: Option<Previous> = None;
        let mut guarded_before = false;
        let mut stationary = false;
        let mut since_restart = 0;
        let mut stall = Stall::default();
        let mut calm = Calm::default();
        while report.iterations < self.settings.max_iterations && !self.interrupt.is_raised() {
            self.relax_if_overdue(problem, &mut report);
            let mut norm = self.residual_norm(problem);
            if !norm.is_finite() {
                break;
            }
            calm.note(norm, since_restart);
            self.halving.note(norm, report.iterations);
            if self.is_solution(problem, solution, &mut report) {
                report.termination = Termination::Converged;
                return report;
            }
            if stationary || self.converged(problem, solution, 1.0) {
                if let Some(termination) = self.settle(problem, solution, stationary, &mut report) {
                    report.termination = termination;
                    return report;
                }
                (previous, guarded_before, stationary, since_restart) = (None, false, false, 0);
                // What the old equalities had come down to says nothing about the new ones.
                norm = self.residual_norm(problem);
                calm.note(norm, 0);
                self.halving = Halving::begin(report.iterations);
            }

            self.apply_preconditioner_to_bp(problem);
            let curvature = self.work.bp.dot(&self.work.q);
            report.iterations += 1;
            since_restart += 1;
            if curvature == 0.0 || !curvature.is_finite() {
                self.note_iteration(&report);
                if self.fall_back(&mut report) {
                    self.restart(problem);
                    (previous, guarded_before, since_restart) = (None, false, 0);
                } else {
                    stationary = true;
                }
                continue;
            }
            let alpha = self.work.r.dot(&self.work.q) / curvature;
            self.advance(solution, alpha, &report);

            let occasion = Occasion::after(report.iterations, since_restart);
            if alpha > 0.0
                && calm.allows(self.residual_norm(problem))
                && self.evaluate(problem, solution, occasion, &mut report)
            {
                if unrest.is_due(report.iterations)
                    && self.anticipates(problem)
                    && self.find_states(problem, solution, &mut unrest, &mut report)
                {
                    return report;
                }
                self.restart(problem);
                (previous, guarded_before, stationary, since_restart) = (None, false, false, 0);
                continue;
            }
            self.refresh_if_due(problem, solution, &mut report);
            let guarded = alpha.abs() * self.work.bp.norm() <= NO_PROGRESS * norm;
            if guarded {
                // Either `z` alone leads nowhere, or nothing does: then no direction may be formed from rounding errors.
                self.multiply_residual(problem);
                report.extra_products += 1;
                stationary = self.work.bw.norm() < STATIONARY * self.work.r.norm();
                if stationary {
                    continue;
                }
            }
            let stalled = stall.seen(norm, since_restart)
                && self.preconditioner.kind != PreconditionerKind::Diagonal;
            if stalled || guarded && guarded_before {
                self.start_over(problem, solution, &mut report);
                (previous, guarded_before, since_restart) = (None, false, 0);
                continue;
            }
            self.next_direction(
                problem,
                curvature,
                previous,
                guarded || guarded_before,
                guarded,
            );
            stationary = !guarded && self.work.bw.norm() < STATIONARY * self.work.r.norm();
            previous = Some(Previous { curvature });
            guarded_before = guarded;
        }
        if !self.residual_norm(problem).is_finite() {
            report.termination = Termination::Breakdown;
        }
        report
    }

    /// Gives up a preconditioner that leads nowhere, if there is another one, and goes on from the exact residual.
    fn start_over(
        &mut self,
        problem: &ContactProblem,
        solution: &ContactSolution,
        report: &mut ContactReport,
    ) {
        self.fall_back(report);
        self.recompute_residual(problem, solution);
        self.restart(problem);
        report.extra_products += 2;
    }

    fn anticipates(&self, problem: &ContactProblem) -> bool {
        self.settings.anticipation > 0 && problem.contacts() > 0
    }

    /// Anticipates the states, if it is to, and sets their equalities up; true if nothing is left to be solved.
    fn find_states(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        unrest: &mut Unrest,
        report: &mut ContactReport,
    ) -> bool {
        if self.anticipates(problem) {
            let begin = report.iterations;
            let found = self.anticipate(problem, solution, unrest.patience, report);
            unrest.anticipated([begin, report.iterations]);
            if found.is_solved() {
                report.termination = Termination::Converged;
                return true;
            }
        }
        self.begin_equalities(problem, solution, report);
        false
    }

    /// Rows, reference forces and residual of the states that `solution` comes with.
    fn begin_equalities(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        report: &mut ContactReport,
    ) {
        self.preconditioner
            .count_duplicates(problem, self.settings.duplicates);
        for (reference, start) in self
            .work
            .reference
            .chunks_exact_mut(3)
            .zip(&solution.contacts)
        {
            reference.copy_from_slice(&[start.lambda, start.gamma[0], start.gamma[1]]);
        }
        self.recompute_residual(problem, solution);
        self.fit_rows(problem, solution);
        self.recompute_rows(solution);
        report.extra_products += 1;
        self.evaluate(
            problem,
            solution,
            Occasion::Forced {
                contradicting: false,
            },
            report,
        );
    }

    /// From `relax_after` on, friction is settled to the gap tolerance only.
    fn relax_if_overdue(&mut self, problem: &ContactProblem, report: &mut ContactReport) {
        if report.iterations == self.settings.relax_after {
            self.relax_friction(problem, report);
        }
    }

    /// The tolerances of one contact, as far as friction has not been relaxed.
    fn tolerances_of(&self, problem: &ContactProblem, contact: usize) -> Tolerances {
        (self.settings.tolerances).of(problem, contact, self.relaxed)
    }

    /// Settles friction to the gap tolerance from here on, unless that is never to be.
    fn relax_friction(&mut self, problem: &ContactProblem, report: &mut ContactReport) {
        let allowed = self.settings.relax_after < u64::MAX;
        if allowed && self.settings.tolerances.can_relax(problem) {
            report.relaxed = true;
            self.relaxed = true;
        }
    }

    /// Replaces the recurrence's residual by the definition's every `refresh_interval` iterations.
    fn refresh_if_due(
        &mut self,
        problem: &ContactProblem,
        solution: &ContactSolution,
        report: &mut ContactReport,
    ) {
        if report
            .iterations
            .is_multiple_of(self.settings.refresh_interval)
        {
            self.recompute_residual(problem, solution);
            report.extra_products += 1;
            self.apply_preconditioner_to_r(problem);
        }
    }

    /// Where the equalities seem solved, or as good as they can be: whether that is the end, else a new start.
    fn settle(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        stationary: bool,
        report: &mut ContactReport,
    ) -> Option<Termination> {
        // The recurrences have drifted, and soft rows are not the gaps: judge by the definition before saying so.
        self.recompute_residual(problem, solution);
        self.fit_rows(problem, solution);
        self.recompute_rows(solution);
        report.extra_products += 1;
        let occasion = Occasion::Forced {
            contradicting: stationary,
        };
        let changed = self.evaluate(problem, solution, occasion, report);
        if !changed
            && self.converged(problem, solution, SLACK)
            && self.hard_enough(problem, solution)
        {
            return Some(Termination::Converged);
        }
        if !changed && stationary {
            return Some(Termination::LeastSquares);
        }
        self.restart(problem);
        report.extra_products += 1;
        None
    }

    /// Gives up the indefinite preconditioner; false if the definite one is in use already.
    fn fall_back(&mut self, report: &mut ContactReport) -> bool {
        let full = self.preconditioner.kind != PreconditionerKind::Diagonal;
        if full {
            self.preconditioner.kind = PreconditionerKind::Diagonal;
            report.preconditioner_fallbacks += 1;
        }
        full
    }

    fn apply_preconditioner_to_bp(&mut self, problem: &ContactProblem) {
        let work = &mut self.work;
        self.preconditioner.apply(
            problem,
            &work.masks,
            &work.active,
            (&work.bp.v, &work.bp.m),
            (&mut work.q.v, &mut work.q.m),
        );
    }

    fn apply_preconditioner_to_r(&mut self, problem: &ContactProblem) {
        let work = &mut self.work;
        self.preconditioner.apply(
            problem,
            &work.masks,
            &work.active,
            (&work.r.v, &work.r.m),
            (&mut work.z.v, &mut work.z.m),
        );
    }

    /// `B z`, in the place of `B w`.
    fn multiply_residual(&mut self, problem: &ContactProblem) {
        let work = &mut self.work;
        problem
            .momentum
            .multiply(&work.z.v, &mut work.bw.v, &mut work.product);
        add_contact_product(
            problem,
            &work.masks,
            &work.active,
            self.preconditioner.softness(),
            (&work.z.v, &work.z.m),
            (&mut work.bw.v, &mut work.bw.m),
        );
    }

    /// `p ← w − c₁ p − c₂ p_prev` with `w = z`, or `w = q` where `z` leads nowhere (spec 5.6).
    ///
    /// In exact arithmetic `c₂ = 0` unless a step was guarded, so the third term is only formed there.
    fn next_direction(
        &mut self,
        problem: &ContactProblem,
        curvature: f64,
        previous: Option<Previous>,
        three_terms: bool,
        guarded: bool,
    ) {
        let work = &mut self.work;
        let w = if guarded { &work.q } else { &work.z };
        problem
            .momentum
            .multiply(&w.v, &mut work.bw.v, &mut work.product);
        add_contact_product(
            problem,
            &work.masks,
            &work.active,
            self.preconditioner.softness(),
            (&w.v, &w.m),
            (&mut work.bw.v, &mut work.bw.m),
        );
        let c1 = work.bw.dot(&work.q) / curvature;
        let c2 = match previous {
            Some(previous) if three_terms => work.bw.dot(&work.previous[2]) / previous.curvature,
            _ => 0.0,
        };
        let [p_previous, bp_previous, q_previous] = &mut work.previous;
        // The new direction is formed in the place of the one before the current, which then becomes the previous one.
        if c2 == 0.0 {
            p_previous.assign_sum(w, -c1, &work.p);
            bp_previous.assign_sum(&work.bw, -c1, &work.bp);
        } else {
            p_previous.xpby(w, -c2);
            p_previous.axpy(-c1, &work.p);
            bp_previous.xpby(&work.bw, -c2);
            bp_previous.axpy(-c1, &work.bp);
        }
        std::mem::swap(p_previous, &mut work.p);
        std::mem::swap(bp_previous, &mut work.bp);
        std::mem::swap(q_previous, &mut work.q);
    }
}
