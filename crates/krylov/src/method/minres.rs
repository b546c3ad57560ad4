//! The minimum residual method.

use std::mem::swap;

use super::{KrylovMethod, Step, StepOutcome, begin};
use crate::system::LinearSystem;
use crate::vector::{axpy, dot, norm_squared, scale};

/// The preconditioned minimum residual method, for symmetric `A`, definite or not.
///
/// Each step minimises `√(rᵀ M⁻¹ r)` over all directions so far, so this norm never grows, and no curvature stops the
/// method. [`Step::curvature`] is `zᵀ A z` for the preconditioned residual `z = M⁻¹ r` *before* the step; the
/// recurrence contains it.
///
/// # Source
/// Paige & Saunders 1975, <https://doi.org/10.1137/0712047>; the curvature after Liu & Roosta 2022,
/// <https://doi.org/10.1137/21M143666X>; differs in: one more vector holds the residual, to report its Euclidean norm
/// under a preconditioner.
#[derive(Clone, Debug, Default)]
pub struct Minres {
    /// Residual `r = b − A x`, `n`.
    r: Vec<f64>,
    /// Unscaled Lanczos vector of the previous step, `n`.
    lanczos_old: Vec<f64>,
    /// Unscaled Lanczos vector `β v̂` of this step, `n`.
    lanczos: Vec<f64>,
    /// `M⁻¹` times it, and storage for the next one, `n`.
    y: Vec<f64>,
    /// Lanczos vector `v = M⁻¹ v̂`, `n`.
    v: Vec<f64>,
    /// Direction of the last update of `x`, `n`.
    w: Vec<f64>,
    /// Direction of the update before that, `n`.
    w_old: Vec<f64>,
    /// Scratch of the operator.
    scratch: Vec<f64>,
    /// `‖r‖²`.
    residual_squared: f64,
    /// State of the QR factorisation between steps.
    rotation: Rotation,
}

/// State of the QR factorisation of the Lanczos tridiagonal matrix `T`.
#[derive(Clone, Copy, Debug, Default)]
struct Rotation {
    /// Cosine and sine of the last reflection `[c s; s −c]`.
    cosine: f64,
    sine: f64,
    /// Entry beside the diagonal of `T`, of this step and of the previous one.
    beta: f64,
    beta_old: f64,
    /// Entry above the diagonal of the next column of `T`, after all reflections but the last.
    delta_bar: f64,
    /// Entry two above the diagonal of the next column, after all reflections but the last.
    epsilon: f64,
    /// `√(rᵀ M⁻¹ r)`.
    phi_bar: f64,
}

impl Minres {
    /// An empty workspace.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn report(&self, outcome: StepOutcome, curvature: f64) -> Step {
        let residual = self.residual_squared.sqrt();
        Step::new(outcome, residual, self.rotation.phi_bar, curvature)
    }

    /// The next Lanczos vector; returns the diagonal entry of `T` and the square of the next one beside it.
    fn extend_basis(&mut self, system: &LinearSystem<'_>) -> (f64, f64) {
        let Rotation { beta, beta_old, .. } = self.rotation;
        self.v.copy_from_slice(&self.y);
        scale(beta.recip(), &mut self.v);
        system
            .operator
            .apply(&self.v, &mut self.y, &mut self.scratch);
        if beta_old > 0.0 {
            axpy(-beta / beta_old, &self.lanczos_old, &mut self.y);
        }
        let alpha = dot(&self.v, &self.y);
        axpy(-alpha / beta, &self.lanczos, &mut self.y);

        // Now `lanczos` is the new vector, and `y` is free for its preconditioned image.
        swap(&mut self.lanczos_old, &mut self.lanczos);
        swap(&mut self.lanczos, &mut self.y);
        system.preconditioner.apply(&self.lanczos, &mut self.y);
        (alpha, dot(&self.lanczos, &self.y))
    }
}

impl KrylovMethod for Minres {
    fn restart(&mut self, system: &LinearSystem<'_>, x: &[f64]) -> f64 {
        let others = [
            &mut self.lanczos_old,
            &mut self.lanczos,
            &mut self.y,
            &mut self.v,
            &mut self.w,
            &mut self.w_old,
        ];
        let residual = begin(system, x, &mut self.r, others, &mut self.scratch);
        system.preconditioner.apply(&self.r, &mut self.y);
        self.lanczos.copy_from_slice(&self.r);
        self.w.fill(0.0);
        self.w_old.fill(0.0);
        let beta = dot(&self.r, &self.y).sqrt();
        // The reflection with cosine −1 leaves the first column as it is.
        self.rotation = Rotation {
            cosine: -1.0,
            beta,
            phi_bar: beta,
            ..Rotation::default()
        };
        self.residual_squared = residual * residual;
        residual
    }

    fn step(&mut self, system: &LinearSystem<'_>, x: &mut [f64]) -> Step {
        let old = self.rotation;
        if self.residual_squared == 0.0 {
            return self.report(StepOutcome::Solved, 0.0);
        }
        if !(old.beta.is_finite() && self.residual_squared.is_finite()) {
            return self.report(StepOutcome::NotFinite, 0.0);
        }
        if old.beta == 0.0 {
            return self.report(StepOutcome::Breakdown, 0.0);
        }
        let (alpha, beta_squared) = self.extend_basis(system);

        // Applies the last reflection to the new column of T.
        let delta = old.cosine * old.delta_bar + old.sine * alpha;
        let gamma_bar = old.sine * old.delta_bar - old.cosine * alpha;
        let curvature = -old.cosine * gamma_bar * old.phi_bar * old.phi_bar;
        if !(beta_squared.is_finite() && gamma_bar.is_finite()) {
            return self.report(StepOutcome::NotFinite, curvature);
        }
        // True if the preconditioner is not positive definite.
        if beta_squared < 0.0 {
            return self.report(StepOutcome::Breakdown, curvature);
        }
        let beta = beta_squared.sqrt();

        // A new reflection removes the entry below the diagonal.
        let gamma = gamma_bar.hypot(beta);
        if gamma == 0.0 {
            return self.report(StepOutcome::Breakdown, curvature);
        }
        let (cosine, sine) = (gamma_bar / gamma, beta / gamma);
        let phi = cosine * old.phi_bar;
        self.rotation = Rotation {
            cosine,
            sine,
            beta,
            beta_old: old.beta,
            delta_bar: -old.cosine * beta,
            epsilon: old.sine * beta,
            phi_bar: sine * old.phi_bar,
        };

        // w ← (v − ε w_old − δ w) / γ with `w` and `w_old` of the previous step; x and r follow.
        axpy(-old.epsilon, &self.w_old, &mut self.v);
        axpy(-delta, &self.w, &mut self.v);
        scale(gamma.recip(), &mut self.v);
        swap(&mut self.w_old, &mut self.w);
        swap(&mut self.w, &mut self.v);
        axpy(phi, &self.w, x);
        scale(sine * sine, &mut self.r);
        if beta > 0.0 {
            axpy(
                -self.rotation.phi_bar * cosine / beta,
                &self.lanczos,
                &mut self.r,
            );
        }
        self.residual_squared = norm_squared(&self.r);
        self.report(StepOutcome::Advanced, curvature)
    }
}
