//! The solver and its elementary operations: residual, rows, preconditioner, directions.

use super::{
    preconditioner::Preconditioner,
    prediction_iterates::PredictionIterates,
    rows::{add_contact_product, add_impulse},
    settings::{ActiveSetCrSettings, PreconditionerKind},
    subdomains::SubdomainWorkspace,
    workspace::Workspace,
};
use crate::method::{
    ContactReport, block_pivoting::BlockPivoting, restart_delay::RestartDelay, trace::Trace,
};
use crate::{ContactProblem, ContactSolution, ContactState, Interrupt, Multipliers, Tolerances};

/// Allowed excess of the exact residual over the tolerances once the recursive residual meets them (ratio).
pub(super) const SLACK: f64 = 2.0;

/// Tolerance of the row across a slip over the slip tolerance: a slip of ten tolerances then has the direction of its
/// force to about `ε_θ`.
pub(super) const ACROSS: f64 = 0.1;

/// The method and its workspace: reused from step to step, it stops allocating once the largest problem was seen, but
/// for subdomains, whose problems are built for each solve.
#[derive(Debug, Default)]
pub struct ActiveSetCr {
    /// Settings of the next solve.
    pub settings: ActiveSetCrSettings,
    pub(super) work: Workspace,
    pub(super) prediction: PredictionIterates,
    pub(super) trace: Trace,
    pub(super) preconditioner: Preconditioner,
    pub(super) subdomains: SubdomainWorkspace<Self>,
    pub(super) pivoting: BlockPivoting,
    pub(super) restart_delay: RestartDelay,
    /// Proposed changes of normal rows in one update: size (m), contact, new state.
    pub(super) proposals: Vec<(f64, usize, Multipliers)>,
    /// Whether friction is settled to the tolerance of gaps only.
    pub(super) relaxed: bool,
    pub(super) interrupt: Interrupt,
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
    pub(super) fn recompute_residual(
        &mut self,
        problem: &ContactProblem,
        solution: &ContactSolution,
    ) {
        self.recompute_momentum(problem, solution);
        for contact in 0..problem.contacts() {
            let displacement = Preconditioner::gap_and_slip(problem, contact, &solution.velocity);
            self.work.displacement[3 * contact..][..3].copy_from_slice(displacement.as_slice());
        }
        self.recompute_rows(solution);
    }

    /// `r_v` from the definition.
    pub(super) fn recompute_momentum(
        &mut self,
        problem: &ContactProblem,
        solution: &ContactSolution,
    ) {
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
    pub(super) fn restart(&mut self, problem: &ContactProblem) {
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
    pub(super) fn residual_norm(&self, problem: &ContactProblem) -> f64 {
        let r = &self.work.r;
        problem
            .momentum_norm(&r.v)
            .hypot(impinge_krylov::vector::norm(&r.m))
    }

    /// Whether `‖w r_v‖` is within `slack` times its tolerance, and the rows' gaps and slips within theirs.
    pub(super) fn converged(
        &self,
        problem: &ContactProblem,
        solution: &ContactSolution,
        slack: f64,
    ) -> bool {
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
    pub(super) fn advance(
        &mut self,
        solution: &mut ContactSolution,
        alpha: f64,
        report: &ContactReport,
    ) {
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
    pub(super) fn note_iteration(&mut self, report: &ContactReport) {
        let residual = &self.work.r;
        self.trace
            .push("conjugate residuals", || residual.norm(), report);
    }

    /// From `relax_after` on, friction is settled to the gap tolerance only.
    pub(super) fn relax_if_overdue(
        &mut self,
        problem: &ContactProblem,
        report: &mut ContactReport,
    ) {
        if report.iterations == self.settings.relax_after {
            self.relax_friction(problem, report);
        }
    }

    /// The tolerances of one contact, as far as friction has not been relaxed.
    pub(super) fn tolerances_of(&self, problem: &ContactProblem, contact: usize) -> Tolerances {
        (self.settings.tolerances).of(problem, contact, self.relaxed)
    }

    /// Settles friction to the gap tolerance from here on, unless that is never to be.
    pub(super) fn relax_friction(&mut self, problem: &ContactProblem, report: &mut ContactReport) {
        let allowed = self.settings.relax_after < u64::MAX;
        if allowed && self.settings.tolerances.can_relax(problem) {
            report.relaxed = true;
            self.relaxed = true;
        }
    }

    /// Replaces the recurrence's residual by the definition's every `refresh_interval` iterations.
    pub(super) fn refresh_if_due(
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

    /// Gives up the indefinite preconditioner; false if the definite one is in use already.
    pub(super) fn fall_back(&mut self, report: &mut ContactReport) -> bool {
        let full = self.preconditioner.kind != PreconditionerKind::Diagonal;
        if full {
            self.preconditioner.kind = PreconditionerKind::Diagonal;
            report.preconditioner_fallbacks += 1;
        }
        full
    }

    pub(super) fn apply_preconditioner_to_bp(&mut self, problem: &ContactProblem) {
        let work = &mut self.work;
        self.preconditioner.apply(
            problem,
            &work.masks,
            &work.active,
            (&work.bp.v, &work.bp.m),
            (&mut work.q.v, &mut work.q.m),
        );
    }

    pub(super) fn apply_preconditioner_to_r(&mut self, problem: &ContactProblem) {
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
    pub(super) fn multiply_residual(&mut self, problem: &ContactProblem) {
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

    /// `p ← w − c₁ p − c₂ p_prev` with `w = z`, or `w = q` where `z` leads nowhere.
    ///
    /// In exact arithmetic `c₂ = 0` unless a step was guarded, so the third term is only formed there.
    pub(super) fn next_direction(
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

/// The previous direction that the guarded recurrence needs, while it needs it.
#[derive(Clone, Copy)]
pub(super) struct Previous {
    pub(super) curvature: f64,
}
