//! The friction problem of a condensing method, solved by sweeps and then by another method.

use super::ContactReport;
use crate::delassus::{FrictionProblem, FrictionReport, FrictionSolver, GaussSeidel, Target};
use crate::{ContactError, Interrupt};
use nalgebra::Vector3;

/// Sweeps, and the method that continues from their forces if they do not converge.
pub(super) struct FrictionStages<'a, S> {
    pub(super) sweeps: GaussSeidel,
    pub(super) then: S,
    /// Ends both when raised.
    pub(super) interrupt: &'a Interrupt,
}

impl<S: FrictionSolver> FrictionStages<'_, S> {
    /// Solves `friction` from `forces` to a relative error and adds the counts to `report`; returns the report of the
    /// last stage.
    pub(super) fn solve(
        mut self,
        friction: &FrictionProblem,
        forces: &mut [Vector3<f64>],
        tolerance: f64,
        report: &mut ContactReport,
    ) -> Result<FrictionReport, ContactError> {
        let target = Target { tolerance };
        let mut run = |stage: &mut dyn FrictionSolver| {
            stage.heed(self.interrupt);
            let solved = stage.solve(friction, forces, &target);
            solved.map_err(|_| ContactError::TooLarge {
                unknowns: 3 * friction.contacts(),
            })
        };
        let swept = run(&mut self.sweeps)?;
        report.sweeps += swept.sweeps;
        report.evaluations += swept.evaluations;
        if swept.converged {
            return Ok(swept);
        }
        let solved = run(&mut self.then)?;
        report.iterations += solved.newton_steps;
        report.evaluations += solved.evaluations;
        Ok(solved)
    }
}
