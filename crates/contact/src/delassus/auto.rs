//! The methods one after the other, until one gets there.

use super::{
    Admm, FrictionError, FrictionMethod, FrictionProblem, FrictionReport, FrictionSolver,
    GaussSeidel, ProximalNewton, Target,
};
use crate::Interrupt;
use nalgebra::Vector3;

/// Gauss-Seidel while it keeps halving the error, then Newton from there, from the start, and from what ADMM and more
/// sweeps give.
///
/// Newton needs a start that is good enough, and which one is cannot be told beforehand: sweeps lead it to the
/// solution on most problems and into a cycle on some, where the cruder start or ADMM's smoother path serve better.
#[derive(Debug, Clone)]
pub struct Auto {
    gauss_seidel: GaussSeidel,
    newton: ProximalNewton,
    admm: Admm,
    start: Vec<Vector3<f64>>,
    best: Vec<Vector3<f64>>,
}

/// Sweeps without halving the error after which Gauss-Seidel gives way (1).
///
/// A factorisation of Newton costs some 50 to 100 sweeps, and Newton takes some ten of them: sweeps that halve the
/// error this often are no dearer. From 30 to 100 every value serves; larger ones only delay Newton where sweeps cycle.
const SWEEPS_WITHOUT_HALVING: u64 = 60;
/// Iterations of ADMM before Newton tries again.
const ADMM_ITERATIONS: u64 = 1000;
/// Most sweeps of an attempt.
const MOST_SWEEPS: u64 = 20_000;

impl Default for Auto {
    fn default() -> Self {
        Self {
            gauss_seidel: GaussSeidel::new(MOST_SWEEPS, SWEEPS_WITHOUT_HALVING),
            newton: ProximalNewton::default(),
            admm: Admm::new(ADMM_ITERATIONS),
            start: Vec::new(),
            best: Vec::new(),
        }
    }
}

/// One attempt.
#[derive(Clone, Copy)]
enum Stage {
    /// Until so many sweeps do not halve the error.
    Sweeps(u64),
    Newton,
    Admm,
    /// Back to where the caller started.
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
        self.best.clear();
        self.best.extend_from_slice(reactions);
        let mut total = FrictionReport::new(FrictionMethod::Auto);
        let mut least = f64::INFINITY;
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
            if report.error < least {
                least = report.error;
                self.best.copy_from_slice(reactions);
            }
            if report.converged {
                break;
            }
        }
        reactions.copy_from_slice(&self.best);
        total.error = least;
        total.converged = least <= target.tolerance;
        Ok(total)
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.gauss_seidel.heed(interrupt);
        self.newton.heed(interrupt);
        self.admm.heed(interrupt);
    }
}
