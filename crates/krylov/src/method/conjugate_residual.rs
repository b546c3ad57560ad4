//! The conjugate residual method.

use super::{KrylovMethod, Step, StepOutcome, begin};
use crate::system::LinearSystem;
use crate::vector::{advance, axpy, dot_pair, xpby};

/// The preconditioned conjugate residual method, for symmetric `A`.
///
/// Each step minimises `√(rᵀ M⁻¹ r)` over all directions so far, so this norm never grows. For positive definite `A`
/// the iterates are those of [`Minres`](super::Minres), with one vector less. Indefinite `A` is allowed, but the method
/// breaks down where `zᵀ A z` vanishes, and loses accuracy where it nearly does; MINRES does not. [`Step::curvature`]
/// is `pᵀ A p` for the search direction `p`; the step is taken whatever its sign.
///
/// # Source
/// Stiefel 1955, <https://doi.org/10.1007/BF02564277>; preconditioned as in Saad, *Iterative Methods for Sparse Linear
/// Systems*, 2nd ed. 2003, algorithm 6.20, <https://doi.org/10.1137/1.9780898718003>; differs in: the residual is kept
/// beside the preconditioned one, so both of its norms are at hand.
#[derive(Clone, Debug, Default)]
pub struct ConjugateResidual {
    /// Residual `r = b − A x`, `n`.
    r: Vec<f64>,
    /// Preconditioned residual `z = M⁻¹ r`, `n`.
    z: Vec<f64>,
    /// `s = A z`, `n`.
    s: Vec<f64>,
    /// Search direction `p`, `n`.
    p: Vec<f64>,
    /// `q = A p`, `n`.
    q: Vec<f64>,
    /// `m = M⁻¹ q`, `n`.
    m: Vec<f64>,
    /// Scratch of the operator.
    scratch: Vec<f64>,
    /// `‖r‖²`.
    residual_squared: f64,
    /// `rᵀ z`.
    preconditioned_squared: f64,
    /// `zᵀ A z`.
    rho: f64,
}

impl ConjugateResidual {
    /// An empty workspace.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn report(&self, outcome: StepOutcome, curvature: f64) -> Step {
        // Rounding may make a vanishing square negative.
        let preconditioned = self.preconditioned_squared.max(0.0).sqrt();
        let residual = self.residual_squared.sqrt();
        Step::new(outcome, residual, preconditioned, curvature)
    }
}

impl KrylovMethod for ConjugateResidual {
    fn restart(&mut self, system: &LinearSystem<'_>, x: &[f64]) -> f64 {
        let others = [
            &mut self.z,
            &mut self.s,
            &mut self.p,
            &mut self.q,
            &mut self.m,
        ];
        let residual = begin(system, x, &mut self.r, others, &mut self.scratch);
        system.preconditioner.apply(&self.r, &mut self.z);
        system
            .operator
            .apply(&self.z, &mut self.s, &mut self.scratch);
        self.p.copy_from_slice(&self.z);
        self.q.copy_from_slice(&self.s);
        (self.rho, self.preconditioned_squared) = dot_pair(&self.z, &self.s, &self.r);
        self.residual_squared = residual * residual;
        residual
    }

    fn step(&mut self, system: &LinearSystem<'_>, x: &mut [f64]) -> Step {
        if self.residual_squared == 0.0 {
            return self.report(StepOutcome::Solved, 0.0);
        }
        system.preconditioner.apply(&self.q, &mut self.m);
        let (image_squared, curvature) = dot_pair(&self.q, &self.m, &self.p);
        let alpha = self.rho / image_squared;
        if !(image_squared.is_finite() && self.rho.is_finite() && curvature.is_finite()) {
            return self.report(StepOutcome::NotFinite, curvature);
        }
        // With rho = 0 the step would be of length zero and the next direction undefined.
        if image_squared <= 0.0 || self.rho == 0.0 || !alpha.is_finite() {
            return self.report(StepOutcome::Breakdown, curvature);
        }

        self.residual_squared = advance(alpha, &self.p, &self.q, x, &mut self.r);
        axpy(-alpha, &self.m, &mut self.z);
        system
            .operator
            .apply(&self.z, &mut self.s, &mut self.scratch);
        let (rho, preconditioned_squared) = dot_pair(&self.z, &self.s, &self.r);
        let beta = rho / self.rho;
        self.rho = rho;
        self.preconditioned_squared = preconditioned_squared;
        xpby(&self.z, beta, &mut self.p);
        xpby(&self.s, beta, &mut self.q);
        self.report(StepOutcome::Advanced, curvature)
    }
}
