//! Krylov methods, advanced one step at a time.
//!
//! A method is its own workspace: created empty, grown by the first [`restart`](KrylovMethod::restart), reusable. A
//! method has no stopping rule: [`solve`](fn@crate::solve) has one for a single system, and a contact method, whose
//! active set changes during the iteration, has its own loop.

mod conjugate_gradient;
mod conjugate_residual;
mod guarded_conjugate_residual;
mod minres;

pub use conjugate_gradient::ConjugateGradient;
pub use conjugate_residual::ConjugateResidual;
pub use guarded_conjugate_residual::{GuardedConjugateResidual, KrylovVector, PartialSystem};
pub use minres::Minres;

use crate::system::LinearSystem;
use crate::vector::norm;

/// An iteration on `A x = b` for symmetric `A`.
pub trait KrylovMethod {
    /// Restarts from `x` and returns the norm `‖b − A x‖₂`, computed from the definition.
    ///
    /// Required whenever the system changed, or `x` changed other than by a [`step`](Self::step).
    ///
    /// # Panics
    /// If the operator is not square or the lengths do not match.
    fn restart(&mut self, system: &LinearSystem<'_>, x: &[f64]) -> f64;

    /// Improves `x` by one step: one product with `A`, one application of the preconditioner.
    ///
    /// If the outcome is not [`StepOutcome::Advanced`], `x` is unchanged and further steps are useless.
    ///
    /// # Panics
    /// If the length of `x` differs from that at the last restart.
    fn step(&mut self, system: &LinearSystem<'_>, x: &mut [f64]) -> Step;
}

/// Result of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Whether `x` was changed, and if not, why.
    pub outcome: StepOutcome,
    /// `‖b − A x‖₂` after the step, by the recurrence of the method; it drifts slowly from the true value.
    pub residual: f64,
    /// `√(rᵀ M⁻¹ r)` after the step: the norm that CR and MINRES minimise, so it never grows in them.
    pub preconditioned_residual: f64,
    /// Curvature `dᵀ A d` with its sign, for the direction `d` that the method documents. Not positive: `A` is not
    /// positive definite.
    pub curvature: f64,
}

impl Step {
    fn new(outcome: StepOutcome, residual: f64, preconditioned: f64, curvature: f64) -> Self {
        Self {
            outcome,
            residual,
            preconditioned_residual: preconditioned,
            curvature,
        }
    }
}

/// Whether a step changed `x`, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepOutcome {
    /// `x` was improved.
    Advanced,
    /// The residual was exactly zero: `x` is the solution.
    Solved,
    /// The method needs a positive definite `A`, but found a direction of zero or negative curvature.
    NonPositiveCurvature,
    /// A divisor of the method vanished although the residual did not: `A` is singular, or indefinite in a way that
    /// stops this method.
    Breakdown,
    /// A product or a dot product was infinite or not a number.
    NotFinite,
}

/// Gives `r`, other vectors and the scratch of a workspace their lengths, allocating only to grow, and `r` the residual
/// at `x`. Returns its norm.
///
/// # Panics
/// If `x` has another length than the system.
fn begin<const N: usize>(
    system: &LinearSystem<'_>,
    x: &[f64],
    r: &mut Vec<f64>,
    others: [&mut Vec<f64>; N],
    scratch: &mut Vec<f64>,
) -> f64 {
    let n = system.unknowns();
    assert_eq!(x.len(), n, "x against a system of {n} unknowns");
    r.resize(n, 0.0);
    for vector in others {
        vector.resize(n, 0.0);
    }
    scratch.resize(system.operator.scratch_len(), 0.0);
    system.residual_into(x, r, scratch);
    norm(r)
}
