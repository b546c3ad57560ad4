//! The methods one after the other, until one converges.

use super::progress::Progress;
use super::{
    Admm, FrictionError, FrictionMethod, FrictionProblem, FrictionReport, FrictionSolver,
    GaussSeidel, ProximalNewton, Target,
};
use crate::Interrupt;
use nalgebra::Vector3;

/// Gauss-Seidel while it keeps halving the error, then Newton's method from there, from the start, and from the results
/// of ADMM and of more sweeps.
///
/// Newton's method needs a good start. On most problems sweeps lead to a start from which it converges, on some to one
/// from which it cycles; the original start or that of ADMM is then better.
#[derive(Debug, Clone)]
pub struct Auto {
    gauss_seidel: GaussSeidel,
    newton: ProximalNewton,
    admm: Admm,
    start: Vec<Vector3<f64>>,
    progress: Progress,
}

/// Number of sweeps without halving the error after which Gauss-Seidel ends.
///
/// A factorisation of Newton's method costs 50 to 100 sweeps, and it needs about ten: sweeps that halve the error this
/// often are no more expensive. Values from 30 to 100 serve; larger ones only delay Newton's method when sweeps cycle.
const SWEEPS_WITHOUT_HALVING: u64 = 60;
/// Number of iterations of ADMM before Newton's method is tried again.
const ADMM_ITERATIONS: u64 = 1000;
/// Largest number of sweeps of an attempt.
const MOST_SWEEPS: u64 = 20_000;

impl Default for Auto {
    fn default() -> Self {
        Self {
            gauss_seidel: GaussSeidel::new(MOST_SWEEPS, SWEEPS_WITHOUT_HALVING),
            newton: ProximalNewton::default(),
            admm: Admm::new(ADMM_ITERATIONS),
            start: Vec::new(),
            progress: Progress::default(),
        }
    }
}

/// One attempt.
#[derive(Clone, Copy)]
enum Stage {
    /// Sweeps until this many have not halved the error.
    Sweeps(u64),
    Newton,
    Admm,
    /// Back to the start of the caller.
    Rewind,
}

const STAGES: [Stage; 8] = [
    Stage::Sweeps(SWEEPS_WITHOUT_HALVING),
    Stage::Newton,
    Stage::Rewind,
    Stage::Newton,
    Stage::Admm,
    Stage::Newton,
    Stage::Sweeps(MOST_SWEEPS / 10),
    Stage::Newton,
];

impl FrictionSolver for Auto {
    fn solve(
        &mut self,
        problem: &FrictionProblem,
        reactions: &mut [Vector3<f64>],
        target: &Target,
    ) -> Result<FrictionReport, FrictionError> {
        target.check(problem, reactions)?;
        self.start.clear();
        self.start.extend_from_slice(reactions);
        self.progress.restart(reactions, f64::INFINITY);
        let mut total = FrictionReport::new(FrictionMethod::Auto);
        for stage in STAGES {
            let report = match stage {
                Stage::Rewind => {
                    reactions.copy_from_slice(&self.start);
                    continue;
                }
                Stage::Sweeps(patience) => {
                    self.gauss_seidel.patience = patience;
                    self.gauss_seidel.solve(problem, reactions, target)?
                }
                Stage::Newton => self.newton.solve(problem, reactions, target)?,
                Stage::Admm => self.admm.solve(problem, reactions, target)?,
            };
            total = report.after(&total);
            self.progress.offer(reactions, report.error);
            if report.converged {
                break;
            }
        }
        Ok(self.progress.finish(reactions, *target, total))
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.gauss_seidel.heed(interrupt);
        self.newton.heed(interrupt);
        self.admm.heed(interrupt);
    }
}
