//! Semi-smooth Newton on the Alart-Curnier function, inside a proximal-point loop.

use super::alart_curnier::AlartCurnier;
use super::judge;
use super::progress::Progress;
use super::{
    FrictionError, FrictionMethod, FrictionProblem, FrictionReport, FrictionSolver, Target,
};
use crate::Interrupt;
use nalgebra::Vector3;

/// Initial, smallest and largest value of the proximal weight `α`, relative to the contacts' own compliances.
///
/// With the smallest, the Jacobian of a rank-deficient `W` is still well above rounding. With the largest, an inner
/// problem is little more than a projection.
const ALPHA: [f64; 3] = [1e-2, 1e-9, 1e2];

/// Largest number of Newton steps of one inner problem. Most need fewer than 10. For an ill-conditioned `W`, the states
/// of hundreds of contacts may converge one after the other, in about 30 steps.
const INNER_STEPS: u64 = 60;

/// Number of merit values in the line search, which is non-monotone: the merit may increase for a few steps.
const MEMORY: usize = 6;

/// Proximal-point iterations, each a few semi-smooth Newton steps with a line search.
///
/// `r ← solution of the problem with W + α D and q − α D r`: inner problems have a unique, regular solution even if `W`
/// is rank-deficient, and the fixed points are the same. `α` falls while Newton's method converges and rises otherwise.
///
/// # Source
/// Acary, Brémond & Huber 2018, "On solving contact problems with Coulomb friction", PROX-NSN; differs from it in: the
/// weight per contact and its control by Newton's steps.
#[derive(Debug, Clone)]
pub struct ProximalNewton {
    /// Largest number of Newton steps in total.
    pub max_steps: u64,
    /// Number of consecutive inner problems without halving the error after which it ends.
    pub patience: u64,
    progress: Progress,
}

impl Default for ProximalNewton {
    fn default() -> Self {
        Self::new(1000, 20)
    }
}

impl ProximalNewton {
    /// A solver with these limits.
    pub fn new(max_steps: u64, patience: u64) -> Self {
        Self {
            max_steps,
            patience,
            progress: Progress::default(),
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
        let (mut report, mut error) =
            (self.progress).start(FrictionMethod::Newton, problem, reactions, *target)?;
        if error > target.tolerance {
            let interrupt = self.progress.interrupt.clone();
            let mut inner = Inner::new(problem, &interrupt)?;
            inner.function.alpha = ALPHA[0];
            let mut caution = 0;
            let mut fruitless = 0;
            // Counts inner problems, because one that is solved at its start takes no step.
            let mut rounds = 0;
            // An infinite or NaN error cannot be halved, so the loop would never end.
            while error.is_finite()
                && error > target.tolerance
                && report.newton_steps.max(rounds) < self.max_steps
                && fruitless < self.patience
                && !interrupt.is_raised()
            {
                rounds += 1;
                inner.function.centre.copy_from_slice(reactions);
                // Coarser at first, and never finer than the target needs, because of rounding.
                let goal = (0.1 * error.sqrt() * error)
                    .min(0.1 * error)
                    .max(0.05 * target.tolerance);
                let (settled, steps) = inner.solve(reactions, goal, &mut report);
                let before = self.progress.least;
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
                self.progress.offer(reactions, error);
                fruitless = if self.progress.least <= 0.5 * before {
                    0
                } else {
                    fruitless + 1
                };
            }
        }
        Ok(self.progress.finish(reactions, *target, report))
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.progress.interrupt = interrupt.clone();
    }
}

/// One regularised problem.
struct Inner<'a> {
    problem: &'a FrictionProblem,
    /// Ends Newton's steps when raised.
    interrupt: &'a Interrupt,
    function: AlartCurnier,
    values: Vec<Vector3<f64>>,
    trial: Vec<Vector3<f64>>,
    recent: Vec<f64>,
}

impl<'a> Inner<'a> {
    fn new(problem: &'a FrictionProblem, interrupt: &'a Interrupt) -> Result<Self, FrictionError> {
        let zeros = vec![Vector3::zeros(); problem.contacts()];
        Ok(Self {
            problem,
            interrupt,
            function: AlartCurnier::new(problem.delassus())?,
            values: zeros.clone(),
            trial: zeros,
            recent: Vec::with_capacity(MEMORY),
        })
    }

    /// Newton steps until `‖F‖ ≤ goal ‖r‖`; returns whether this was reached, and the number of steps.
    fn solve(
        &mut self,
        reactions: &mut [Vector3<f64>],
        goal: f64,
        report: &mut FrictionReport,
    ) -> (bool, u64) {
        let problem = self.problem;
        let mut norm = self.function.evaluate(problem, reactions, &mut self.values);
        self.recent.clear();
        for steps in 0..INNER_STEPS {
            if norm <= goal * judge::norm(reactions) {
                return (true, steps);
            }
            if self.interrupt.is_raised() {
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
        (norm <= goal * judge::norm(reactions), INNER_STEPS)
    }
}
