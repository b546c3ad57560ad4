//! Solving one system to a given accuracy.

use crate::method::{KrylovMethod, StepOutcome};
use crate::system::LinearSystem;
use crate::vector::norm;

/// When a solve ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppingRule {
    /// Converged if `‖b − A x‖₂ ≤ relative · ‖b‖₂`, or ...
    pub relative: f64,
    /// ... if `‖b − A x‖₂ ≤ absolute`, in the unit of `b`.
    pub absolute: f64,
    /// Steps allowed.
    pub max_iterations: usize,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KrylovReport {
    /// Steps taken.
    pub iterations: usize,
    /// Why it ended.
    pub termination: Termination,
    /// `‖b − A x‖₂` of the returned `x`, computed from the definition after the last step.
    pub residual: f64,
    /// What the residual had to reach.
    pub target: f64,
}

/// Why a solve ended. Whatever it was, `x` holds the last iterate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Termination {
    /// The recomputed residual meets the rule.
    Converged,
    /// The steps allowed are used up.
    IterationLimit,
    /// Rounding stands in the way: restarts from the true residual no longer halve it.
    Stagnated,
    /// A method for positive definite `A` met a direction of zero or negative curvature.
    NonPositiveCurvature,
    /// The method cannot go on; `A` or the preconditioner is singular or does not suit the method.
    Breakdown,
    /// Something infinite or not a number turned up.
    NotFinite,
}

/// Improves `x` until `system` is solved to the given rule.
///
/// `x` is the first guess and the result. Convergence is judged by the residual recomputed from its definition: where
/// the recurrence of the method promised too much, the method is restarted.
///
/// # Panics
/// If the operator is not square or the lengths do not match.
///
/// # Cost
/// One product with `A` a step, and one or two more for each restart (one at the beginning, one at the end). Allocates
/// only on the first use of `method` at this size.
pub fn solve(
    method: &mut dyn KrylovMethod,
    system: &LinearSystem<'_>,
    x: &mut [f64],
    rule: &StoppingRule,
) -> KrylovReport {
    let target = rule.absolute.max(rule.relative * norm(system.rhs));
    let mut iterations = 0;
    let mut residual = method.restart(system, x);
    let termination = loop {
        if residual <= target {
            break Termination::Converged;
        }
        if !residual.is_finite() {
            break Termination::NotFinite;
        }
        let end = iterate(
            method,
            system,
            x,
            target,
            rule.max_iterations,
            &mut iterations,
        );
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
        iterations,
        termination,
        residual,
        target,
    }
}

/// Steps until the recurrence claims to be at the target (`None`), or until something else ends it.
fn iterate(
    method: &mut dyn KrylovMethod,
    system: &LinearSystem<'_>,
    x: &mut [f64],
    target: f64,
    max_iterations: usize,
    iterations: &mut usize,
) -> Option<Termination> {
    while *iterations < max_iterations {
        let step = method.step(system, x);
        match step.outcome {
            StepOutcome::Advanced => {}
            StepOutcome::Solved => return None,
            StepOutcome::NonPositiveCurvature => return Some(Termination::NonPositiveCurvature),
            StepOutcome::Breakdown => return Some(Termination::Breakdown),
            StepOutcome::NotFinite => return Some(Termination::NotFinite),
        }
        *iterations += 1;
        if step.residual.is_nan() {
            return Some(Termination::NotFinite);
        }
        if step.residual <= target {
            return None;
        }
    }
    Some(Termination::IterationLimit)
}
