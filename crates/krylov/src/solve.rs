//! Solution of one system to a given accuracy.

use crate::method::{KrylovMethod, StepOutcome};
use crate::system::LinearSystem;
use crate::vector::norm;

/// Conditions for the end of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppingRule {
    /// Converged if `‖b − A x‖₂ ≤ relative · ‖b‖₂`, or ...
    pub relative: f64,
    /// ... if `‖b − A x‖₂ ≤ absolute`, in the unit of `b`.
    pub absolute: f64,
    /// Most steps.
    pub max_iterations: usize,
}

/// Result of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KrylovReport {
    /// Steps taken.
    pub iterations: usize,
    /// Reason for the end.
    pub termination: Termination,
    /// `‖b − A x‖₂` of the returned `x`, computed from the definition after the last step.
    pub residual: f64,
    /// The norm that the residual had to reach.
    pub target: f64,
}

/// Reason for the end of a solve. In all cases `x` holds the last iterate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Termination {
    /// The recomputed residual meets the rule.
    Converged,
    /// The iteration limit was reached.
    IterationLimit,
    /// Rounding limits the accuracy: restarts from the true residual do not halve it.
    Stagnated,
    /// A method for positive definite `A` found a direction of zero or negative curvature.
    NonPositiveCurvature,
    /// The method cannot continue; `A` or the preconditioner is singular or does not suit the method.
    Breakdown,
    /// A number was infinite or NaN.
    NotFinite,
}

/// Improves `x` until `system` is solved to the given rule.
///
/// `x` is the initial guess and the result. Convergence is tested with the residual recomputed from its definition; if
/// the recurrence was too optimistic, the method is restarted.
///
/// # Panics
/// If the operator is not square or the lengths do not match.
///
/// # Cost
/// One product with `A` per step, and one or two more for each restart (one at the beginning, one at the end).
/// Allocates only on the first use of `method` at this size.
pub fn solve(
    method: &mut dyn KrylovMethod,
    system: &LinearSystem<'_>,
    x: &mut [f64],
    rule: &StoppingRule,
) -> KrylovReport {
    let target = rule.absolute.max(rule.relative * norm(system.rhs));
    let mut progress = Progress {
        target,
        iterations: 0,
        max_iterations: rule.max_iterations,
    };
    let mut residual = method.restart(system, x);
    let termination = loop {
        if residual <= target {
            break Termination::Converged;
        }
        if !residual.is_finite() {
            break Termination::NotFinite;
        }
        let end = iterate(method, system, x, &mut progress);
        let before = residual;
        residual = method.restart(system, x);
        match end {
            _ if residual <= target => break Termination::Converged,
            Some(end) => break end,
            None if residual > 0.5 * before => break Termination::Stagnated,
            None => {}
        }
    };
    KrylovReport {
        iterations: progress.iterations,
        termination,
        residual,
        target,
    }
}

/// The goal of a solve, and the steps taken towards it.
struct Progress {
    target: f64,
    iterations: usize,
    max_iterations: usize,
}

/// Steps until the recurrence reaches the target (`None`) or the iteration ends for another reason.
fn iterate(
    method: &mut dyn KrylovMethod,
    system: &LinearSystem<'_>,
    x: &mut [f64],
    progress: &mut Progress,
) -> Option<Termination> {
    while progress.iterations < progress.max_iterations {
        let step = method.step(system, x);
        match step.outcome {
            StepOutcome::Advanced => {}
            StepOutcome::Solved => return None,
            StepOutcome::NonPositiveCurvature => return Some(Termination::NonPositiveCurvature),
            StepOutcome::Breakdown => return Some(Termination::Breakdown),
            StepOutcome::NotFinite => return Some(Termination::NotFinite),
        }
        progress.iterations += 1;
        if step.residual.is_nan() {
            return Some(Termination::NotFinite);
        }
        if step.residual <= progress.target {
            return None;
        }
    }
    Some(Termination::IterationLimit)
}
