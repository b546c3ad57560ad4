//! The iteration: conjugate residuals on a fixed active set, interrupted by active-set updates.

use super::{
    phase::Phase,
    residual_spike::ResidualSpikeGuard,
    settings::PreconditionerKind,
    solver::{ActiveSetCr, SLACK},
    stagnation::StagnationTest,
    update::UpdateOccasion,
};
use crate::method::{
    ContactReport, Termination, block_pivoting::BlockPivoting, restart_delay::RestartDelay,
};
use crate::{ContactProblem, ContactSolution};
use impinge_krylov::KrylovVector;
use tracing::trace;

impl ActiveSetCr {
    /// The iteration, from the states of `solution` or from predicted ones.
    ///
    /// One loop of more than 80 lines: restart, guard, delay and stagnation test share its local state, and each may
    /// start its next pass.
    pub(super) fn iterate(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> ContactReport {
        let mut report = ContactReport::default();
        self.pivoting = BlockPivoting::default();
        self.restart_delay = RestartDelay::default();
        let mut phase = Phase::default();
        if self.find_states(problem, solution, &mut phase, &mut report) {
            return report;
        }
        self.restart(problem);

        let mut stationary = false;
        let mut since_restart = 0;
        let mut stagnation = StagnationTest::default();
        let mut spike_guard = ResidualSpikeGuard::default();
        while report.iterations < self.settings.max_iterations && !self.interrupt.is_raised() {
            self.relax_if_overdue(problem, &mut report);
            let mut norm = self.residual_norm(problem);
            if !norm.is_finite() {
                break;
            }
            spike_guard.note(norm, since_restart);
            self.restart_delay.note(norm, report.iterations);
            if self.is_solution(problem, solution, &mut report) {
                report.termination = Termination::Converged;
                return report;
            }
            if stationary || self.converged(problem, solution, 1.0) {
                if let Some(termination) = self.settle(problem, solution, stationary, &mut report) {
                    report.termination = termination;
                    return report;
                }
                (stationary, since_restart) = (false, 0);
                // The residual of the old equalities has no meaning for the new ones.
                norm = self.residual_norm(problem);
                spike_guard.note(norm, 0);
                self.restart_delay = RestartDelay::begin(report.iterations);
            }

            report.iterations += 1;
            since_restart += 1;
            // As `α Bp`, in which rows are metres.
            let plain_norm = self.work.cr.residual.norm();
            let advanced = self.advance(problem, solution);
            let norm_after = self.residual_norm(problem);
            // Useless steps have a row in the trace too.
            (self.trace).push("conjugate residuals", || norm_after, &report);
            let Some(alpha) = advanced else {
                if self.fall_back(&mut report) {
                    self.restart(problem);
                    since_restart = 0;
                } else {
                    stationary = true;
                }
                continue;
            };

            phase.note(norm_after);
            let may_change = alpha > 0.0 && spike_guard.allows(norm_after);
            if may_change && phase.is_over() && self.predicts(problem) {
                phase = phase.next();
                trace!(
                    iterations = report.iterations,
                    residual = norm_after,
                    "conjugate residuals give way to prediction"
                );
                if self.find_states(problem, solution, &mut phase, &mut report) {
                    return report;
                }
                self.restart(problem);
                (stationary, since_restart) = (false, 0);
                continue;
            }
            let occasion = UpdateOccasion::after(report.iterations, since_restart);
            if may_change && self.update_active_set(problem, solution, occasion, &mut report) {
                self.restart(problem);
                (stationary, since_restart) = (false, 0);
                continue;
            }
            self.refresh_if_due(problem, solution, &mut report);
            let (cr, mut system) = self.parts(problem);
            let guarded = cr.is_useless(alpha, plain_norm);
            let guarded_before = cr.was_guarded();
            if guarded {
                // Either `z` or every direction is useless; in the second case no direction may be formed from rounding
                // errors.
                stationary = cr.is_stationary(&mut system);
                report.extra_products += 1;
                if stationary {
                    continue;
                }
            }
            let stagnates = stagnation.detects(norm, since_restart)
                && self.preconditioner.kind != PreconditionerKind::Diagonal;
            if stagnates || guarded && guarded_before {
                self.start_over(problem, solution, &mut report);
                since_restart = 0;
                continue;
            }
            let (cr, mut system) = self.parts(problem);
            stationary = cr.turn(&mut system, guarded);
        }
        if !self.residual_norm(problem).is_finite() {
            report.termination = Termination::Breakdown;
        }
        report
    }

    /// Replaces a preconditioner with zero curvature, if there is another one, and restarts from the exact residual.
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

    fn predicts(&self, problem: &ContactProblem) -> bool {
        self.settings.anticipation && problem.contacts() > 0
    }

    /// Predicts the states, if the method does, and sets up their equalities; true if the problem is solved.
    fn find_states(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        phase: &mut Phase,
        report: &mut ContactReport,
    ) -> bool {
        if self.predicts(problem) {
            let found = self.predict(problem, solution, phase, report);
            *phase = phase.next();
            trace!(
                iterations = report.iterations,
                solved = found.is_solved(),
                "prediction ended"
            );
            if found.is_solved() {
                report.termination = Termination::Converged;
                return true;
            }
        }
        self.begin_equalities(problem, solution, report);
        false
    }

    /// Computes rows, reference forces and residual for the states of `solution`.
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
        self.update_active_set(
            problem,
            solution,
            UpdateOccasion::Forced { conflicting: false },
            report,
        );
    }

    /// Called when the equalities seem solved or stationary: returns whether the solve ends, else restarts.
    fn settle(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        stationary: bool,
        report: &mut ContactReport,
    ) -> Option<Termination> {
        // The recurrences have drifted, and soft rows differ from gaps: the exact residual decides.
        self.recompute_residual(problem, solution);
        self.fit_rows(problem, solution);
        self.recompute_rows(solution);
        report.extra_products += 1;
        let occasion = UpdateOccasion::Forced {
            conflicting: stationary,
        };
        let changed = self.update_active_set(problem, solution, occasion, report);
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
}
