//! The solver with its elementary operations: residual, rows, preconditioner, directions.

use super::{
    grid::GridCorrection,
    preconditioner::Preconditioner,
    prediction_iterates::PredictionIterates,
    settings::{ActiveSetCrSettings, PreconditionerKind},
    workspace::{Pair, Workspace},
};
use crate::method::{
    ContactReport,
    masked_rows::{ACROSS, MaskedRows},
    restart_delay::RestartDelay,
    rows::{add_impulse, at, gap_and_slip, relax_if_overdue},
    trace::Trace,
};
use crate::{ContactProblem, ContactSolution, ContactState, Interrupt, Tolerances};
use impinge_krylov::{GuardedConjugateResidual, PartialSystem};
use tracing::debug;

/// The method with its workspace, which is reused from step to step. It stops allocating after the largest problem.
#[derive(Debug, Default)]
pub struct ActiveSetCr {
    /// Settings of the next solve.
    pub settings: ActiveSetCrSettings,
    pub(super) work: Workspace,
    pub(super) prediction: PredictionIterates,
    pub(super) trace: Trace,
    pub(super) preconditioner: Preconditioner,
    pub(super) grid: GridCorrection,
    pub(super) restart_delay: RestartDelay,
    /// Whether friction has the tolerance of gaps.
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

    /// Begins a solve without a coarse grid.
    pub(super) fn begin_without_grid(&mut self, problem: &ContactProblem) {
        let had_grid = self.grid.in_use().is_some();
        self.grid.begin_solve();
        let correction = &mut self.prediction.correction;
        if had_grid || correction.len() != problem.unknowns() {
            correction.clear();
            correction.resize(problem.unknowns(), 0.0);
        }
    }

    /// Prepares the coarse grid of a solve before its first iteration, if it is to have one. The rules of the paper
    /// have none, and a preconditioner from another crate is used alone.
    pub(super) fn prepare_grid(&mut self, problem: &ContactProblem, report: &mut ContactReport) {
        let without = !self.settings.prediction || self.preconditioner.of_momentum.0.is_some();
        if without || self.grid.ask() {
            return;
        }
        let prepared = (self.grid).prepare(problem, self.preconditioner.diagonal());
        report.preconditioner_fallbacks += u32::from(prepared.is_err());
    }

    /// Computes `r` by its definition, with one product by `A`.
    pub(super) fn recompute_residual(
        &mut self,
        problem: &ContactProblem,
        solution: &ContactSolution,
    ) {
        self.recompute_momentum(problem, solution);
        for contact in 0..problem.contacts() {
            let displacement = gap_and_slip(problem, contact, &solution.velocity);
            self.work.displacement[3 * contact..][..3].copy_from_slice(displacement.as_slice());
        }
        self.recompute_rows(solution);
    }

    /// Computes `r_v` by its definition.
    pub(super) fn recompute_momentum(
        &mut self,
        problem: &ContactProblem,
        solution: &ContactSolution,
    ) {
        let work = &mut self.work;
        problem.momentum.multiply(
            &solution.velocity,
            &mut work.cr.residual.v,
            &mut work.product,
        );
        impinge_krylov::vector::for_pieces(
            [&mut work.cr.residual.v],
            [&problem.rhs],
            &|[r], [b]| {
                for (r, b) in r.iter_mut().zip(b) {
                    *r = b - *r;
                }
            },
        );
        for (contact, multipliers) in solution.contacts.iter().enumerate() {
            let force = multipliers.force();
            if multipliers.state != ContactState::Inactive {
                add_impulse(problem, contact, &force, &mut work.cr.residual.v);
            }
        }
    }

    /// Restarts along the preconditioned residual: one product with `A`.
    pub(super) fn restart(&mut self, problem: &ContactProblem) {
        let (cr, mut system) = self.parts(problem);
        cr.restart(&mut system);
    }

    /// The iteration, and the system with the active rows.
    pub(super) fn parts<'a>(
        &'a mut self,
        problem: &'a ContactProblem,
    ) -> (&'a mut GuardedConjugateResidual<Pair>, Masked<'a>) {
        let work = &mut self.work;
        let system = Masked {
            problem,
            rows: MaskedRows {
                masks: &work.masks,
                active: &work.active,
                softness: self.preconditioner.softness(),
            },
            preconditioner: &self.preconditioner,
            grid: &mut self.grid,
            product: &mut work.product,
        };
        (&mut work.cr, system)
    }

    /// `‖(w r_v, r_m)‖` of the iteration (N·s): rows count by their share of their own tolerance, as momentum does.
    ///
    /// In metres they would weigh more or less against the momentum as the tolerance of a distant body changes `w`.
    pub(super) fn residual_norm(&self, problem: &ContactProblem) -> f64 {
        let r = &self.work.cr.residual;
        let square_of = |(contact, rows): (usize, &[f64])| {
            let own = self.tolerances_of(problem, contact);
            (rows[0] / own.gap).powi(2) + (rows[1].hypot(rows[2]) / own.slip).powi(2)
        };
        // Rows that do not take part are zero.
        let taking_part = (r.m.chunks_exact(3).enumerate()).filter(|(_, rows)| *rows != [0.0; 3]);
        let rows: f64 = taking_part.map(square_of).sum();
        let accepted = self.settings.tolerances.momentum;
        problem.momentum_norm(&r.v).hypot(accepted * rows.sqrt())
    }

    /// Whether `‖w r_v‖` is within `slack` times its tolerance, and the rows' gaps and slips within theirs.
    pub(super) fn converged(
        &self,
        problem: &ContactProblem,
        solution: &ContactSolution,
        slack: f64,
    ) -> bool {
        let bound = slack * self.settings.tolerances.momentum;
        if problem.momentum_norm(&self.work.cr.residual.v) >= bound {
            return false;
        }
        self.work.active.iter().all(|&contact| {
            let r = &self.work.cr.residual.m[3 * contact as usize..][..3];
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

    /// One step; returns its length `α`, or `None` if the direction is useless.
    pub(super) fn advance(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> Option<f64> {
        let (cr, mut system) = self.parts(problem);
        let curvature = cr.curvature(&mut system);
        let alpha = (curvature != 0.0 && curvature.is_finite()).then(|| cr.advance());
        if let Some(alpha) = alpha {
            let p = cr.direction();
            impinge_krylov::vector::axpy(alpha, &p.v, &mut solution.velocity);
            for &contact in system.rows.active {
                solution.contacts[contact as usize].add_scaled(alpha, at(&p.m, contact));
            }
        }
        alpha
    }

    /// After `relax_after` iterations, friction has the gap tolerance only.
    pub(super) fn relax_if_overdue(
        &mut self,
        problem: &ContactProblem,
        report: &mut ContactReport,
    ) {
        let ActiveSetCrSettings {
            relax_after,
            tolerances,
            ..
        } = &self.settings;
        self.relaxed |= relax_if_overdue(*relax_after, tolerances, problem, report);
    }

    /// The tolerances of one contact, with relaxed friction if that is the case.
    pub(super) fn tolerances_of(&self, problem: &ContactProblem, contact: usize) -> Tolerances {
        (self.settings.tolerances).of(problem, contact, self.relaxed)
    }

    /// Replaces the recursive residual by the exact one every `refresh_interval` iterations.
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
            let (cr, mut system) = self.parts(problem);
            cr.refresh(&mut system);
        }
    }

    /// Replaces the indefinite preconditioner by the definite one; false if that is in use already.
    pub(super) fn fall_back(&mut self, report: &mut ContactReport) -> bool {
        let full = self.preconditioner.kind != PreconditionerKind::Diagonal;
        if full {
            self.preconditioner.kind = PreconditionerKind::Diagonal;
            report.preconditioner_fallbacks += 1;
            debug!(
                iterations = report.iterations,
                "preconditioner replaced by the diagonal one"
            );
        }
        full
    }
}

/// `B` and `C` with the active rows.
pub(super) struct Masked<'a> {
    problem: &'a ContactProblem,
    rows: MaskedRows<'a>,
    preconditioner: &'a Preconditioner,
    grid: &'a mut GridCorrection,
    product: &'a mut [f64],
}

impl PartialSystem<Pair> for Masked<'_> {
    fn clear(&self, x: &mut Pair) {
        x.m.fill(0.0);
    }

    fn multiply(&mut self, x: &Pair, out: &mut Pair) {
        let (x, out) = ((&*x.v, &*x.m), (&mut *out.v, &mut *out.m));
        self.rows.multiply(self.problem, x, out, self.product);
    }

    fn precondition(&mut self, x: &Pair, out: &mut Pair) {
        let (r, z) = ((&*x.v, &*x.m), (&mut *out.v, &mut *out.m));
        self.preconditioner.apply(self.problem, self.rows, r, z);
        self.grid.add(&x.v, &mut out.v);
    }
}
