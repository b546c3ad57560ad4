//! Block projected Gauss-Seidel: the one-contact problem solved exactly, contact after contact.

use super::progress::Progress;
use super::{FrictionError, FrictionMethod, FrictionProblem, FrictionReport, FrictionSolver};
use super::{Target, local::one_contact};
use crate::Interrupt;
use crate::sweep::{SweptContacts, sweep};
use nalgebra::Vector3;

/// Number of sweeps between two evaluations of the errors; one evaluation costs about a sweep.
const CHECK_INTERVAL: u64 = 5;

/// Block projected Gauss-Seidel in the order of the contacts.
///
/// Robust and cheap to a few digits; slow where many contacts carry one body, and on some problems it cycles.
///
/// # Source
/// Jourdan, Alart & Jean 1998, "A Gauss-Seidel like algorithm to solve frictional contact problems",
/// <https://doi.org/10.1016/S0045-7825(97)00137-0>; differs from it in: the exact one-contact solution.
#[derive(Debug, Clone)]
pub struct GaussSeidel {
    /// Largest number of sweeps.
    pub max_sweeps: u64,
    /// Number of sweeps without halving the error after which it ends; 0: never.
    pub patience: u64,
    progress: Progress,
}

impl Default for GaussSeidel {
    fn default() -> Self {
        Self::new(20_000, 0)
    }
}

impl GaussSeidel {
    /// A solver with these limits.
    pub fn new(max_sweeps: u64, patience: u64) -> Self {
        Self {
            max_sweeps,
            patience,
            progress: Progress::default(),
        }
    }
}

/// A friction problem whose displacements are computed from all reactions for every contact.
struct Rows<'a> {
    problem: &'a FrictionProblem,
    reactions: &'a mut [Vector3<f64>],
}

impl SweptContacts for Rows<'_> {
    fn force(&mut self, contact: usize) -> &mut Vector3<f64> {
        &mut self.reactions[contact]
    }

    /// The free velocity of this contact alone: all reactions but its own.
    fn displacement(&self, contact: usize) -> Vector3<f64> {
        let mut q = self.problem.free_velocity()[contact];
        let (columns, blocks) = self.problem.delassus().row(contact);
        for (&column, block) in columns.iter().zip(blocks) {
            if column as usize != contact {
                q += block * self.reactions[column as usize];
            }
        }
        q
    }

    fn solve(&mut self, contact: usize, q: &Vector3<f64>) -> (Option<Vector3<f64>>, f64) {
        let own = self.problem.delassus().diagonal(contact);
        let force = one_contact(own, q, self.problem.friction()[contact]);
        (Some(force), 0.0)
    }

    /// Nothing: displacements are computed where they are needed.
    fn respond(&mut self, _contact: usize, _change: &Vector3<f64>) {}
}

impl FrictionSolver for GaussSeidel {
    fn solve(
        &mut self,
        problem: &FrictionProblem,
        reactions: &mut [Vector3<f64>],
        target: &Target,
    ) -> Result<FrictionReport, FrictionError> {
        let (mut report, mut error) = (self.progress).start(
            FrictionMethod::ProjectedGaussSeidel,
            problem,
            reactions,
            *target,
        )?;
        let mut halved = (error, 0);
        while error > target.tolerance
            && report.sweeps < self.max_sweeps
            && !self.progress.interrupt.is_raised()
        {
            sweep(&mut Rows { problem, reactions }, problem.contacts());
            report.sweeps += 1;
            if report.sweeps > CHECK_INTERVAL && !report.sweeps.is_multiple_of(CHECK_INTERVAL) {
                continue;
            }
            error = self.progress.check(problem, reactions, &mut report);
            self.progress.offer(reactions, error);
            let least = self.progress.least;
            // Half of an infinite error is no progress.
            if least < halved.0 && least <= 0.5 * halved.0 {
                halved = (least, report.sweeps);
            }
            if self.patience > 0 && report.sweeps - halved.1 >= self.patience {
                break;
            }
        }
        Ok(self.progress.finish(reactions, *target, report))
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.progress.interrupt = interrupt.clone();
    }
}
