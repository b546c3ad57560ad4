//! Stiffness of forces at the arms of one rigid body in its rotation: second derivative and its negative part.
//!
//! ```text
//! K̃ = Σ sym(f^ r^)                     exponential coordinates: R(θ) = exp(θ^) R
//! K̃ − sym((τ × a) aᵀ),  τ = Σ r × f    turns about the axis a first, the rest after: R(θ) = exp(θ⊥^) exp(a θ_a ^) R
//! ```
//!
//! While a body spins up, the sum τ of its moments is not zero, and the second derivative depends on the coordinates.
//! Exponential coordinates couple rotation about the arm with swings of the arm, by half the force component across it.
//! The moment of a force at an arm has no component along the arm, so the coupling is an artefact of the coordinates.
//! It is indefinite. In a chain that swings through a few degrees per step, its positive part is a multiple of a light
//! body's inertia about the chain: the momentum matrix becomes indefinite, and motion out of the plane of the swing
//! grows. The negative part alone does the same, because it ties swings to rotation about the arm. Coordinates that
//! turn about the arm first have no coupling, and a force along its arm leaves nothing to project.

use super::law::negative_part;
use impinge_krylov::direct::symmetric_eigen;
use nalgebra::{DMatrix, Matrix3, Vector3};

/// A force on a body at an arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArmForce {
    /// Index of the body.
    pub body: usize,
    /// `f` (N), in world axes.
    pub force: Vector3<f64>,
    /// `r` (m), from the body's centre, in world axes.
    pub arm: Vector3<f64>,
}

impl ArmForce {
    /// `sym(f^ r^) = ½ (f rᵀ + r fᵀ) − (f·r) I`: symmetric derivative of the moment of `f` by rotation.
    pub fn stiffness(&self) -> Matrix3<f64> {
        let (f, r) = (&self.force, &self.arm);
        (f * r.transpose() + r * f.transpose()) * 0.5 - Matrix3::from_diagonal_element(f.dot(r))
    }
}

/// All such forces on one body, summed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TurningSum {
    /// `Σ sym(f^ r^)` (N·m).
    pub stiffness: Matrix3<f64>,
    /// `τ = Σ r × f` (N·m).
    pub moment: Vector3<f64>,
    /// `Σ |f| r rᵀ` (N·m²): its dominant eigenvector is the direction of the most loaded arms.
    pub arms: Matrix3<f64>,
}

impl TurningSum {
    /// Adds a force.
    pub fn add(&mut self, at: &ArmForce) {
        self.stiffness += at.stiffness();
        self.moment += at.arm.cross(&at.force);
        self.arms += at.arm * at.arm.transpose() * at.force.norm();
    }

    /// Whether the sum has no effect.
    pub fn is_zero(&self) -> bool {
        self.stiffness == Matrix3::zeros() && self.moment == Vector3::zeros()
    }

    /// `a`: the direction of the most loaded arms, and its dominance over the next perpendicular one, from 0 to 1;
    /// `None` without arms.
    pub fn axis(&self) -> Option<(Vector3<f64>, f64)> {
        let dense = DMatrix::from_column_slice(3, 3, self.arms.as_slice());
        let (values, vectors) = symmetric_eigen(&dense)?;
        let axis = Vector3::from_iterator(vectors.column(2).iter().copied());
        let prominence = 1.0 - values[1].max(0.0) / values[2];
        (values[2] > 0.0).then_some((axis, prominence))
    }

    /// The second derivative in coordinates that turn about `axis` (unit) first.
    pub fn about(&self, axis: &Vector3<f64>) -> Matrix3<f64> {
        self.stiffness - self.coupling(axis)
    }

    /// `sym((τ × a) aᵀ)`: the difference between the two coordinate systems.
    fn coupling(&self, axis: &Vector3<f64>) -> Matrix3<f64> {
        let coupling = self.moment.cross(axis) * axis.transpose();
        (coupling + coupling.transpose()) * 0.5
    }

    /// The negative part of the second derivative in coordinates that turn about the arms first, weighted by the
    /// dominance of one direction.
    ///
    /// Between perpendicular arms no axis removes the coupling, and rounding may decide the dominant arm. There the
    /// result is that of exponential coordinates; in between it changes continuously.
    pub fn resisting(&self) -> Matrix3<f64> {
        let own = self.axis().map_or(self.stiffness, |(axis, prominence)| {
            self.stiffness - self.coupling(&axis) * prominence
        });
        negative_part(&own)
    }
}
