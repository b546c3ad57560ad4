//! Krylov methods, advanced one step at a time.
//!
//! A method is its own workspace: made empty, grown by the first [`restart`](KrylovMethod::restart), reused for ever.
//! Nothing is decided here about when to stop: [`solve`](fn@crate::solve) does that for the plain case, and a method
//! for contact, whose set of active rows changes as it goes, writes its own loop.

mod conjugate_gradient;
mod conjugate_residual;
mod minres;

pub use conjugate_gradient::ConjugateGradient;
pub use conjugate_residual::ConjugateResidual;
pub use minres::Minres;

use crate::system::LinearSystem;

/// An iteration on `A x = b` for symmetric `A`.
pub trait KrylovMethod {
    /// Starts anew from `x` and returns the norm `‖b − A x‖₂`, computed from the definition.
    ///
    /// Required whenever the system or `x` has changed by other means than a [`step`](Self::step).
    ///
    /// # Panics
    /// If the operator is not square or the lengths do not match.
    fn restart(&mut self, system: &LinearSystem<'_>, x: &[f64]) -> f64;

    /// Improves `x` by one step: one product with `A`, one application of the preconditioner.
    ///
    /// If the outcome is not [`StepOutcome::Advanced`], `x` is as it was and further steps are of no use.
    ///
    /// # Panics
    /// If `x` has another length than at the last restart.
    fn step(&mut self, system: &LinearSystem<'_>, x: &mut [f64]) -> Step;
}

/// What one step did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Whether `x` was changed, and if not, why.
    pub outcome: StepOutcome,
    /// `‖b − A x‖₂` after the step by the recurrence of the method, from which the truth departs slowly.
    pub residual: f64,
    /// `√(rᵀ M⁻¹ r)` after the step: the norm that CR and MINRES minimise, and that hence never grows in them.
    pub preconditioned_residual: f64,
    /// Curvature `dᵀ A d` with its sign, for the direction `d` that the method documents. Not positive: `A` is not
    /// positive definite.
    pub curvature: f64,
}

/// Whether a step changed `x`, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepOutcome {
    /// `x` was improved.
    Advanced,
    /// The residual was exactly zero: there was nothing to improve.
    Solved,
    /// The method, which needs `A` positive definite, met a direction of zero or negative curvature.
    NonPositiveCurvature,
    /// A quantity by which the method divides vanished although the residual did not: `A` is singular, or indefinite
    /// in a way that stops this method.
    Breakdown,
    /// A product or a dot product was infinite or not a number.
    NotFinite,
}

/// Gives a vector of the workspace the length that a restart needs; allocates only to grow.
fn fit(vector: &mut Vec<f64>, length: usize) {
    vector.resize(length, 0.0);
}
