//! The iteration: conjugate residuals on a fixed active set, interrupted by active-set updates.

use super::{
    phase::Phase, settings::PreconditionerKind, solver::ActiveSetCr, update::UpdateOccasion,
};
use crate::method::{ContactReport, Termination, restart_delay::RestartDelay};
use crate::{ContactProblem, ContactSolution, Tolerances};
use impinge_krylov::KrylovVector;
use tracing::trace;

/// State of the iteration between two steps of conjugate residuals.
#[derive(Debug, Default)]
struct Course {
    report: ContactReport,
    /// Residuals of the present phase.
    phase: Phase,
    /// Whether conjugate residuals cannot reduce the residual of the present equalities.
    stationary: bool,
    /// Number of iterations since the last restart.
    since_restart: u64,
    /// The time since the residual of the present equalities last halved.
    stagnation: RestartDelay,
}

/// One step of conjugate residuals.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// Its length `α`.
    alpha: f64,
    /// Residual before it (N·s).
    norm: f64,
    /// `‖r‖₂` before it, as in `α Bp`, in which rows are metres.
    plain_norm: f64,
    /// Residual after it (N·s).
    norm_after: f64,
}

/// Outcome of a change of states after a step.
#[derive(Debug, PartialEq, Eq)]
enum StateChange {
    /// The states stay.
    Unchanged,
    /// The equalities of other states are restarted.
    Changed,
    /// The prediction has solved the problem.
    Solved,
}

impl Course {
    /// Notes that the iteration has restarted with other equalities.
    fn note_restart(&mut self) {
        (self.stationary, self.since_restart) = (false, 0);
    }

    /// Whether the residual, now `norm`, of equalities that stay has not halved for long.
    ///
    /// Conjugate residuals with an indefinite preconditioner minimise no norm. If rows nearly conflict, `(C⁻¹Bp)ᵀBp`
    /// may be close to zero. One step is then hundreds of times too long, and rounding errors in the following
    /// directions make the residual oscillate, by steps of negative length. States would then never be updated.
    fn stagnates(&mut self, norm: f64) -> bool {
        let iteration = self.report.iterations;
        if self.since_restart <= 1 {
            self.stagnation = RestartDelay::begin(iteration);
        }
        self.stagnation.note(norm, iteration);
        self.stagnation.stagnates(iteration)
    }
}

impl ActiveSetCr {
    /// The iteration, from the states of `solution` or from predicted ones.
    pub(super) fn iterate(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> ContactReport {
        let mut course = Course::default();
        self.restart_delay = RestartDelay::default();
        if self.find_states(problem, solution, &mut course) {
            return course.report;
        }
        self.prepare_grid(problem, &mut course.report);
        self.restart(problem);

        while course.report.iterations < self.settings.max_iterations && !self.interrupt.is_raised()
        {
            self.relax_if_overdue(problem, &mut course.report);
            let mut norm = self.residual_norm(problem);
            if !norm.is_finite() {
                break;
            }
            self.restart_delay.note(norm, course.report.iterations);
            if self.is_solution(problem, solution, &mut course.report) {
                course.report.termination = Termination::Converged;
                return course.report;
            }
            if course.stationary || self.converged(problem, solution, 1.0) {
                let (stationary, report) = (course.stationary, &mut course.report);
                if let Some(termination) = self.settle(problem, solution, stationary, report) {
                    course.report.termination = termination;
                    return course.report;
                }
                course.note_restart();
                // The residual of the old equalities has no meaning for the new ones.
                norm = self.residual_norm(problem);
                self.restart_delay = RestartDelay::begin(course.report.iterations);
            }
            let Some(step) = self.take_step(problem, solution, norm, &mut course) else {
                continue;
            };
            match self.change_states(problem, solution, step, &mut course) {
                StateChange::Solved => return course.report,
                StateChange::Changed => continue,
                StateChange::Unchanged => {}
            }
            self.refresh_if_due(problem, solution, &mut course.report);
            self.turn_direction(problem, solution, step, &mut course);
        }
        if !self.residual_norm(problem).is_finite() {
            course.report.termination = Termination::Breakdown;
        }
        course.report
    }

    /// One step of conjugate residuals from the residual `norm`; `None` if the curvature of its direction is zero.
    fn take_step(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        norm: f64,
        course: &mut Course,
    ) -> Option<Step> {
        course.report.iterations += 1;
        course.since_restart += 1;
        let plain_norm = self.work.cr.residual.norm();
        let advanced = self.advance(problem, solution);
        let norm_after = self.residual_norm(problem);
        // Useless steps have a row in the trace too.
        (self.trace).push("conjugate residuals", || norm_after, &course.report);
        if advanced.is_none() {
            if self.fall_back(&mut course.report) {
                self.restart(problem);
                course.since_restart = 0;
            } else {
                course.stationary = true;
            }
        }
        Some(Step {
            alpha: advanced?,
            norm,
            plain_norm,
            norm_after,
        })
    }

    /// Predicts the states again where conjugate residuals have become slow, else updates the active set if it is due.
    fn change_states(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        step: Step,
        course: &mut Course,
    ) -> StateChange {
        course.phase.note(step.norm_after);
        // A step that is not finite ends the solve; no state may follow it.
        if !(step.alpha > 0.0 && step.norm_after.is_finite()) {
            return StateChange::Unchanged;
        }
        if course.phase.is_over() && self.predicts(problem) {
            course.phase = course.phase.next();
            trace!(
                iterations = course.report.iterations,
                residual = step.norm_after,
                "conjugate residuals give way to prediction"
            );
            if self.find_states(problem, solution, course) {
                return StateChange::Solved;
            }
        } else {
            let occasion = UpdateOccasion::after(course.report.iterations, course.since_restart);
            if !self.update_active_set(problem, solution, occasion, &mut course.report) {
                return StateChange::Unchanged;
            }
        }
        self.restart(problem);
        course.note_restart();
        StateChange::Changed
    }

    /// Forms the next direction, or restarts with another preconditioner where the present one fails.
    fn turn_direction(
        &mut self,
        problem: &ContactProblem,
        solution: &ContactSolution,
        step: Step,
        course: &mut Course,
    ) {
        let (cr, mut system) = self.parts(problem);
        let guarded = cr.is_useless(step.alpha, step.plain_norm);
        let guarded_before = cr.was_guarded();
        if guarded {
            // Either `z` or every direction is useless; in the second case no direction may be formed from rounding
            // errors.
            course.stationary = cr.is_stationary(&mut system);
            course.report.extra_products += 1;
            if course.stationary {
                return;
            }
        }
        let stagnates =
            course.stagnates(step.norm) && self.preconditioner.kind != PreconditionerKind::Diagonal;
        if stagnates || guarded && guarded_before {
            self.start_over(problem, solution, &mut course.report);
            course.since_restart = 0;
            return;
        }
        let (cr, mut system) = self.parts(problem);
        course.stationary = cr.turn(&mut system, guarded);
    }

    /// Replaces a preconditioner with zero curvature or without progress, if there is another one, and restarts from
    /// the exact residual.
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
        self.settings.prediction && problem.contacts() > 0
    }

    /// Predicts the states, if the method does, and sets up their equalities; true if the problem is solved.
    fn find_states(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        course: &mut Course,
    ) -> bool {
        let report = &mut course.report;
        if self.predicts(problem) {
            let found = self.predict(problem, solution, &mut course.phase, report);
            course.phase = course.phase.next();
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
        let references = self.work.reference.chunks_exact_mut(3);
        for (reference, start) in references.zip(&solution.contacts) {
            reference.copy_from_slice(start.solved_force().as_slice());
        }
        self.recompute_residual(problem, solution);
        self.fit_rows(problem, solution);
        self.recompute_rows(solution);
        report.extra_products += 1;
        self.update_active_set(problem, solution, UpdateOccasion::Forced, report);
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
        let changed = self.update_active_set(problem, solution, UpdateOccasion::Forced, report);
        if !changed
            && self.converged(problem, solution, Tolerances::ACCEPTED)
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
