//! The conjugate gradient method.

use super::{KrylovMethod, Step, StepOutcome, begin};
use crate::system::LinearSystem;
use crate::vector::{advance, dot, xpby};

/// The preconditioned conjugate gradient method, for symmetric positive definite `A`.
///
/// Each step minimises the energy `½ xᵀ A x − bᵀ x` over all directions so far; the residual may grow.
/// [`Step::curvature`] is `pᵀ A p` for the search direction `p`; if it is not positive, the step is not taken.
///
/// # Source
/// Hestenes & Stiefel 1952, <https://doi.org/10.6028/jres.049.044>; preconditioned as in Saad, *Iterative Methods for
/// Sparse Linear Systems*, 2nd ed. 2003, algorithm 9.1, <https://doi.org/10.1137/1.9780898718003>.
#[derive(Clone, Debug, Default)]
pub struct ConjugateGradient {
    /// Residual `r = b − A x`, `n`.
    r: Vec<f64>,
    /// Preconditioned residual `z = M⁻¹ r`, `n`.
    z: Vec<f64>,
    /// Search direction `p`, `n`.
    p: Vec<f64>,
    /// `q = A p`, `n`.
    q: Vec<f64>,
    /// Scratch of the operator.
    scratch: Vec<f64>,
    /// `‖r‖²`.
    residual_squared: f64,
    /// `rᵀ z`.
    rho: f64,
}

impl ConjugateGradient {
    /// An empty workspace.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn report(&self, outcome: StepOutcome, curvature: f64) -> Step {
        let residual = self.residual_squared.sqrt();
        Step::new(outcome, residual, self.rho.sqrt(), curvature)
    }
}

impl KrylovMethod for ConjugateGradient {
    fn restart(&mut self, system: &LinearSystem<'_>, x: &[f64]) -> f64 {
        let others = [&mut self.z, &mut self.p, &mut self.q];
        let residual = begin(system, x, &mut self.r, others, &mut self.scratch);
        system.preconditioner.apply(&self.r, &mut self.z);
        self.p.copy_from_slice(&self.z);
        self.rho = dot(&self.r, &self.z);
        self.residual_squared = residual * residual;
        residual
    }

    fn step(&mut self, system: &LinearSystem<'_>, x: &mut [f64]) -> Step {
        if self.residual_squared == 0.0 {
            return self.report(StepOutcome::Solved, 0.0);
        }
        system
            .operator
            .apply(&self.p, &mut self.q, &mut self.scratch);
        let curvature = dot(&self.p, &self.q);
        let alpha = self.rho / curvature;
        if !(curvature.is_finite() && self.rho.is_finite()) {
            return self.report(StepOutcome::NotFinite, curvature);
        }
        if curvature <= 0.0 {
            return self.report(StepOutcome::NonPositiveCurvature, curvature);
        }
        // True if the preconditioner is not positive definite.
        if self.rho <= 0.0 || !alpha.is_finite() {
            return self.report(StepOutcome::Breakdown, curvature);
        }

        self.residual_squared = advance(alpha, &self.p, &self.q, x, &mut self.r);
        system.preconditioner.apply(&self.r, &mut self.z);
        let rho = dot(&self.r, &self.z);
        let beta = rho / self.rho;
        self.rho = rho;
        xpby(&self.z, beta, &mut self.p);
        self.report(StepOutcome::Advanced, curvature)
    }
}
