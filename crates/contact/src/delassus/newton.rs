//! Semi-smooth Newton on the Alart-Curnier function, inside a proximal-point loop.

use super::alart_curnier::AlartCurnier;
use super::progress::Progress;
use super::{
    FrictionError, FrictionMethod, FrictionProblem, FrictionReport, FrictionSolver, Target,
};
use crate::Interrupt;
use nalgebra::Vector3;

/// First and bounding values of the proximal weight `α`, relative to the contacts' own compliances.
///
/// The smallest still makes the Jacobian of a rank-deficient `W` invertible well above rounding; with the largest an
/// inner problem is little more than a projection.
const ALPHA: [f64; 3] = [1e-2, 1e-9, 1e2];

/// Newton steps for one inner problem. Most need fewer than 10; where `W` is ill-conditioned the states of hundreds of
/// contacts settle one after the other, which takes some 30.
const INNER_STEPS: u64 = 60;

/// Merit values that the line search compares with: Newton may get worse for a few steps on its way.
const MEMORY: usize = 6;

/// Proximal-point iterations, each a few semi-smooth Newton steps with a line search.
///
/// `r ← solution of the problem with W + α D and q − α D r`: unique and regular inner problems where `W` has no full
/// rank, and the same solutions. `α` falls while Newton converges and rises where it does not.
///
/// # Source
/// Acary, Brémond & Huber 2018, "On solving contact problems with Coulomb friction", PROX-NSN; differs from it in: the
/// weight per contact and its control by Newton's steps.
#[derive(Debug, Clone)]
pub struct ProximalNewton {
    /// Most Newton steps in all.
    pub max_steps: u64,
    /// Gives up after so many inner problems in a row that did not halve the error.
    pub patience: u64,
    best: Vec<Vector3<f64>>,
    progress: Progress,
    interrupt: Interrupt,
}

impl Default for ProximalNewton {
    fn default() -> Self {
        Self::new(1000, 20)
    }
}

impl ProximalNewton {
    /// With these limits.
    pub fn new(max_steps: u64, patience: u64) -> Self {
        Self {
            max_steps,
            patience,
            best: Vec::new(),
            progress: Progress::default(),
            interrupt: Interrupt::default(),
        }
    }
}

impl FrictionSolver for ProximalNewton {
    fn solve(
        &mut self,
        problem: &FrictionProblem,
        reactions: &mut [Vector3<f64>],
        target: &Target,
    ) -> Result<FrictionReport, FrictionError> {
        target.check(problem, reactions)?;
        let mut report = FrictionReport::new(FrictionMethod::Newton);
        let mut error = self.progress.check(problem, reactions, &mut report);
        let mut least = error;
        self.best.clear();
        self.best.extend_from_slice(reactions);
        if error > target.tolerance {
            let mut inner = Inner::new(problem)?;
            inner.function.alpha = ALPHA[0];
            let mut caution = 0;
            let mut fruitless = 0;
            // Inner problems count by themselves: one that is settled from its start takes no step.
            let mut rounds = 0;
            // Nothing is smaller than an error that is not finite by any part of it, so nothing would ever be
            // fruitless.
            while error.is_finite()
                && error > target.tolerance
                && report.newton_steps.max(rounds) < self.max_steps
                && fruitless < self.patience
                && !self.interrupt.is_raised()
            {
                rounds += 1;
                inner.function.centre.copy_from_slice(reactions);
                // Looser while far away, and never below what the target needs: rounding ends there.
                let goal = (0.1 * error.sqrt() * error)
                    .min(0.1 * error)
                    .max(0.05 * target.tolerance);
                let (settled, steps) =
                    inner.solve(problem, reactions, goal, &self.interrupt, &mut report);
                let before = least;
                let here = self.progress.check(problem, reactions, &mut report);
                let settled = settled && here.is_finite();
                let alpha = &mut inner.function.alpha;
                if settled || here < error {
                    error = here;
                } else {
                    reactions.copy_from_slice(&inner.function.centre);
                }
                if settled {
                    report.proximal_steps += 1;
                    let factor = if steps <= 6 && caution == 0 { 0.1 } else { 0.5 };
                    *alpha = (*alpha * factor).max(ALPHA[1]);
                    caution -= i32::from(caution > 0);
                } else {
                    *alpha = (*alpha * 10.0).min(ALPHA[2]);
                    caution = 3;
                }
                if error < least {
                    least = error;
                    self.best.copy_from_slice(reactions);
                }
                fruitless = if least <= 0.5 * before {
                    0
                } else {
                    fruitless + 1
                };
            }
        }
        reactions.copy_from_slice(&self.best);
        report.error = least;
        report.converged = least <= target.tolerance;
        Ok(report)
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
    }
}

/// One regularised problem.
struct Inner {
    function: AlartCurnier,
    values: Vec<Vector3<f64>>,
    trial: Vec<Vector3<f64>>,
    recent: Vec<f64>,
}

impl Inner {
    fn new(problem: &FrictionProblem) -> Result<Self, FrictionError> {
        let zeros = vec![Vector3::zeros(); problem.contacts()];
        Ok(Self {
            function: AlartCurnier::new(problem.delassus())?,
            values: zeros.clone(),
            trial: zeros,
            recent: Vec::with_capacity(MEMORY),
        })
    }

    /// Newton steps until `‖F‖ ≤ goal ‖r‖`; whether it got there, and after how many.
    fn solve(
        &mut self,
        problem: &FrictionProblem,
        reactions: &mut [Vector3<f64>],
        goal: f64,
        interrupt: &Interrupt,
        report: &mut FrictionReport,
    ) -> (bool, u64) {
        let mut norm = self.function.evaluate(problem, reactions, &mut self.values);
        self.recent.clear();
        for steps in 0..INNER_STEPS {
            if norm <= goal * length(reactions) {
                return (true, steps);
            }
            if interrupt.is_raised() {
                return (false, steps);
            }
            if self.recent.len() == MEMORY {
                self.recent.remove(0);
            }
            self.recent.push(norm);
            report.newton_steps += 1;
            let Some(step) = self.function.newton_step(problem.delassus(), &self.values) else {
                return (false, steps);
            };
            let step: Vec<Vector3<f64>> = step
                .chunks_exact(3)
                .map(Vector3::from_column_slice)
                .collect();
            let bar = self.recent.iter().fold(0.0, |most: f64, x| most.max(*x));
            let mut best = (f64::INFINITY, 0.0);
            let mut fraction = 1.0;
            for _ in 0..6 {
                for ((trial, r), s) in self.trial.iter_mut().zip(&*reactions).zip(&step) {
                    *trial = r + s * fraction;
                }
                let here = self
                    .function
                    .evaluate(problem, &self.trial, &mut self.values);
                if here < best.0 {
                    best = (here, fraction);
                }
                if here <= (1.0 - 1e-4 * fraction) * bar {
                    best = (here, fraction);
                    break;
                }
                fraction *= 0.5;
            }
            if !best.0.is_finite() {
                return (false, steps);
            }
            for (r, s) in reactions.iter_mut().zip(&step) {
                *r += s * best.1;
            }
            norm = self.function.evaluate(problem, reactions, &mut self.values);
        }
        (norm <= goal * length(reactions), INNER_STEPS)
    }
}

fn length(vectors: &[Vector3<f64>]) -> f64 {
    vectors
        .iter()
        .map(Vector3::norm_squared)
        .sum::<f64>()
        .sqrt()
}
