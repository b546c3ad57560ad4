//! The errors as computed by the methods, and the best reactions; the independent residual has its own code.

use super::{FrictionError, FrictionMethod, FrictionProblem, FrictionReport, Target};
use crate::Interrupt;
use nalgebra::Vector3;

/// The reactions with the least error so far; allocates only when it grows.
#[derive(Debug, Clone, Default)]
pub(super) struct Progress {
    velocity: Vec<Vector3<f64>>,
    best: Vec<Vector3<f64>>,
    /// Error of the best reactions.
    pub(super) least: f64,
    /// Ends solves when raised.
    pub(super) interrupt: Interrupt,
}

impl Progress {
    /// Starts a solve: checks its input, and returns an empty report and the error of the first `reactions`.
    ///
    /// # Errors
    /// Those of [`Target::check`].
    pub(super) fn start(
        &mut self,
        method: FrictionMethod,
        problem: &FrictionProblem,
        reactions: &[Vector3<f64>],
        target: Target,
    ) -> Result<(FrictionReport, f64), FrictionError> {
        target.check(problem, reactions)?;
        let mut report = FrictionReport::new(method);
        let error = self.check(problem, reactions, &mut report);
        self.restart(reactions, error);
        Ok((report, error))
    }

    /// Forgets the best reactions for `reactions` with this error.
    pub(super) fn restart(&mut self, reactions: &[Vector3<f64>], error: f64) {
        self.best.clear();
        self.best.extend_from_slice(reactions);
        self.least = error;
    }

    /// The larger of the plain and the scaled error at `reactions`.
    pub(super) fn check(
        &mut self,
        problem: &FrictionProblem,
        reactions: &[Vector3<f64>],
        report: &mut FrictionReport,
    ) -> f64 {
        report.evaluations += 1;
        self.velocity.resize(problem.contacts(), Vector3::zeros());
        problem
            .delassus()
            .multiply_into(reactions, &mut self.velocity);
        let [mut plain, mut scaled, mut r2, mut u2, mut q2] = [0.0; 5];
        for (i, q) in problem.free_velocity().iter().enumerate() {
            let (r, u, mu) = (reactions[i], self.velocity[i] + q, problem.friction()[i]);
            plain += defect(&r, &u, mu, 1.0);
            scaled += defect(&r, &u, mu, 3.0 / problem.delassus().diagonal(i).trace());
            r2 += r.norm_squared();
            u2 += u.norm_squared();
            q2 += q.norm_squared();
        }
        let largest = f64::max(r2, f64::max(u2, q2)).sqrt();
        let plain = plain.sqrt() / if largest > 0.0 { largest } else { 1.0 };
        let scaled = scaled.sqrt() / if r2 > 0.0 { r2.sqrt() } else { 1.0 };
        // NaN must not pass for small.
        if plain.is_nan() || scaled.is_nan() {
            f64::INFINITY
        } else {
            plain.max(scaled)
        }
    }

    /// Takes `reactions` if their error is less.
    pub(super) fn offer(&mut self, reactions: &[Vector3<f64>], error: f64) {
        if error < self.least {
            self.least = error;
            self.best.copy_from_slice(reactions);
        }
    }

    /// Ends a solve: hands out the best reactions and reports their error.
    pub(super) fn finish(
        &self,
        reactions: &mut [Vector3<f64>],
        target: Target,
        report: FrictionReport,
    ) -> FrictionReport {
        reactions.copy_from_slice(&self.best);
        FrictionReport {
            error: self.least,
            converged: self.least <= target.tolerance,
            ..report
        }
    }
}

/// `‖r − P_K(r − ρ (u + μ‖u_T‖ e_N))‖²`.
fn defect(r: &Vector3<f64>, u: &Vector3<f64>, mu: f64, rho: f64) -> f64 {
    let slip = u.y.hypot(u.z);
    let target = cone_projection(
        &Vector3::new(
            r.x - rho * (u.x + mu * slip),
            r.y - rho * u.y,
            r.z - rho * u.z,
        ),
        mu,
    );
    (r - target).norm_squared()
}

/// `P_K`.
pub(super) fn cone_projection(x: &Vector3<f64>, mu: f64) -> Vector3<f64> {
    let length = x.y.hypot(x.z);
    // Without friction the cone is a ray, and `0 ≤ 0 · x_N` does not determine the side.
    if x.x >= 0.0 && length <= mu * x.x {
        return *x;
    }
    let along = x.x + mu * length;
    if along <= 0.0 {
        return Vector3::zeros();
    }
    let normal = along / (1.0 + mu * mu);
    let factor = mu * normal / length;
    Vector3::new(normal, factor * x.y, factor * x.z)
}
