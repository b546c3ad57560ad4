//! Distances: springs, inextensible links and ropes; and the Green–Lagrange strain of a cable.

use super::law::{Definiteness, Law, Local, Points};
use nalgebra::{Matrix3, Vector3};

/// Share of the rest length below which a link has no usable direction: a few digits above rounding.
const NO_LENGTH: f64 = 1e-12;

/// `φ = ±(|q| − l̄)` of one difference vector `q`.
///
/// `J = u`, `K̃ = (λ/l) (I − u uᵀ)` for the sign `+`. Tension is `λ < 0` with `+`, and `λ > 0` with `−`.
///
/// # Source
/// Tournier et al. 2015, §2.3 and §3.1, <https://doi.org/10.1145/2766969>.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// `l̄` (m).
    pub rest_length: f64,
    /// The sign: with [`Sense::Below`], `φ ≥ 0` means that the length is at most `l̄`.
    pub sense: Sense,
    /// `u` at zero length.
    pub fallback: Vector3<f64>,
}

/// Sign of a length measured from its rest length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// `φ = l − l̄`: a spring or a link; as a one-sided row, a strut.
    Above,
    /// `φ = l̄ − l`: as a one-sided row, a rope.
    Below,
}

impl Distance {
    /// `φ = l − l̄`.
    pub fn new(rest_length: f64) -> Self {
        Self {
            rest_length,
            sense: Sense::Above,
            fallback: Vector3::x(),
        }
    }

    /// `φ = l̄ − l`.
    pub fn below(rest_length: f64) -> Self {
        Self {
            sense: Sense::Below,
            ..Self::new(rest_length)
        }
    }

    fn sign(&self) -> f64 {
        match self.sense {
            Sense::Above => 1.0,
            Sense::Below => -1.0,
        }
    }
}

impl Law for Distance {
    fn points(&self) -> usize {
        1
    }

    fn rows(&self) -> usize {
        1
    }

    fn evaluate(&self, q: &Points, local: &mut Local) {
        let length = q[0].norm();
        local.value[0] = self.sign() * (length - self.rest_length);
        let along = if length > NO_LENGTH * self.rest_length {
            q[0] / length
        } else {
            self.fallback
        };
        *local.row_mut(0, 0) = along * self.sign();
    }

    fn stiffness(&self, q: &Points, lambda: &[f64], definiteness: Definiteness, local: &mut Local) {
        let length = q[0].norm();
        let tension = self.sign() * lambda[0];
        if length <= NO_LENGTH * self.rest_length
            || definiteness == Definiteness::Negative && tension > 0.0
        {
            return;
        }
        let u = q[0] / length;
        *local.block_mut(0, 0) = (Matrix3::identity() - u * u.transpose()) * (tension / length);
    }
}

/// `φ = (|q|² − l̄²)/(2 l̄²)`: the Green–Lagrange strain of a cable.
///
/// `J = q/l̄²`, `K̃ = λ I/l̄²`: no division by the present length, and tension resists all directions equally.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CableStrain {
    /// `l̄` (m).
    pub rest_length: f64,
}

impl Law for CableStrain {
    fn points(&self) -> usize {
        1
    }

    fn rows(&self) -> usize {
        1
    }

    fn evaluate(&self, q: &Points, local: &mut Local) {
        let squared = self.rest_length * self.rest_length;
        local.value[0] = (q[0].norm_squared() - squared) / (2.0 * squared);
        *local.row_mut(0, 0) = q[0] / squared;
    }

    fn stiffness(&self, _: &Points, lambda: &[f64], definiteness: Definiteness, local: &mut Local) {
        let lambda = match definiteness {
            Definiteness::Exact => lambda[0],
            Definiteness::Negative => lambda[0].min(0.0),
        };
        let factor = lambda / (self.rest_length * self.rest_length);
        *local.block_mut(0, 0) = Matrix3::from_diagonal_element(factor);
    }
}
