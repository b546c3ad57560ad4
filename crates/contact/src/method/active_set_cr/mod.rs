//! Active-set conjugate residuals: one Krylov solve for velocities and contact forces together.
//!
//! Source: Verschoor and Jalba, "Efficient and Accurate Collision Response for Elastically Deformable Models", ACM TOG
//! 38(2), 2019, Algorithms 1 (inner part), 2 and 3. Differs from it in: signs (`A v = b + Jᵀλ`), the smallest size of a
//! state change, the guarded direction if `zᵀBz` vanishes, a relative stationarity test, a separate tangential
//! tolerance, slip directions as unknowns, rows that are soft about a reference force, and `A v`, which is not stored.
//! `docs/methods/active_set_cr.md` gives the reasons.

mod duplicates;
mod extrapolation;
mod grid;
mod iteration;
mod laws;
mod multipliers;
mod preconditioner;
mod prediction;
mod prediction_iterates;

mod phase;
mod settings;
mod soft_rows;
mod solver;
mod sweeps;
mod transition;
mod update;
mod workspace;

pub use settings::{
    ActiveSetCrSettings, DirectionRule, DuplicateRule, EvaluationSchedule, PreconditionerKind,
};
pub use solver::ActiveSetCr;

use super::{ContactReport, ContactResult, ContactSolver, Termination, TraceRow};
use crate::{ContactError, ContactProblem, ContactSolution, Interrupt, Tolerances};
use impinge_krylov::preconditioner::Preconditioner as MomentumPreconditioner;
use preconditioner::OfMomentum;

impl ContactSolver for ActiveSetCr {
    fn solve(&mut self, problem: &ContactProblem, solution: &mut ContactSolution) -> ContactResult {
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

    /// Conjugate residuals then use it for the momentum rows, beside the diagonal of the contact rows. Predictions keep
    /// the diagonal.
    fn precondition(&mut self, preconditioner: Box<dyn MomentumPreconditioner + Send>) -> bool {
        self.preconditioner.of_momentum = OfMomentum(Some(preconditioner));
        true
    }

    fn record(&mut self) {
        self.trace.record();
    }

    fn trace(&self) -> &[TraceRow] {
        self.trace.rows()
    }
}

impl ActiveSetCr {
    fn check(
        &self,
        problem: &ContactProblem,
        solution: &ContactSolution,
    ) -> Result<(), ContactError> {
        self.settings.validate()?;
        crate::method::rows::check(problem, solution)
    }

    /// The whole method, for a valid problem.
    fn solve_checked(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> ContactReport {
        self.trace.begin();
        self.prediction.begin_solve();
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
        self.begin_without_grid(problem);

        self.relaxed = false;
        let mut report = self.iterate(problem, solution);
        if report.relaxed {
            // Friction that was relaxed during the solve may meet the finer tolerance nevertheless.
            self.relaxed = false;
            let force_of = |contact: usize| solution.contacts[contact].force();
            report.relaxed = !self.laws_hold(problem, &solution.velocity, force_of);
        }
        report.residual = self.residual_norm(problem);
        if report.termination == Termination::Breakdown {
            solution.velocity.clone_from(&self.work.initial_velocity);
            solution.contacts.clone_from(&self.work.initial_contacts);
        }
        report
    }
}
