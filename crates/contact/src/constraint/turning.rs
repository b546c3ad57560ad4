//! What forces at the arms of one rigid body do when it turns: their second derivative, and the part of it that resists.
//!
//! ```text
//! K̃ = Σ sym(f^ r^)                     exponential coordinates: R(θ) = exp(θ^) R
//! K̃ − sym((τ × a) aᵀ),  τ = Σ r × f    turns about the axis a first, the rest after: R(θ) = exp(θ⊥^) exp(a θ_a ^) R
//! ```
//!
//! While a body spins up, the sum of its moments τ is not zero, and a second derivative depends on the coordinates that it is
//! taken in. In exponential ones it couples turns about the arm with swings of it, by half of what the force has across the
//! arm. The moment of a force at an arm has no part along it, whatever the body does, so that coupling is nothing but the
//! coordinates, and it is indefinite: in a chain that swings through a few degrees a step its positive part is a multiple of a
//! light body's inertia about the chain. Taken as it is, the momentum matrix is indefinite and what leaves the plane of the
//! swing grows; its negative part alone does the same, for it ties swings to turns about the arm. In coordinates that
//! turn about the arm first the coupling is not there, and a force along its arm leaves nothing to project.

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
    /// `sym(f^ r^) = ½ (f rᵀ + r fᵀ) − (f·r) I`: the symmetric part of what turning does to the moment of `f` (spec 4.4).
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
    /// `Σ |f| r rᵀ` (N·m²): where the arms that bear most point to.
    pub arms: Matrix3<f64>,
}

impl TurningSum {
    /// Adds a force.
    pub fn add(&mut self, at: &ArmForce) {
        self.stiffness += at.stiffness();
        self.moment += at.arm.cross(&at.force);
        self.arms += at.arm * at.arm.transpose() * at.force.norm();
    }

    /// Whether nothing was added that does anything.
    pub fn is_zero(&self) -> bool {
        self.stiffness == Matrix3::zeros() && self.moment == Vector3::zeros()
    }

    /// `a`: the direction of the arms that bear most, and how far it stands out from the next one across it, from 0 to 1;
    /// nothing where there is none.
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

    /// `sym((τ × a) aᵀ)`: what the two coordinates differ by.
    fn coupling(&self, axis: &Vector3<f64>) -> Matrix3<f64> {
        let coupling = self.moment.cross(axis) * axis.transpose();
        (coupling + coupling.transpose()) * 0.5
    }

    /// The part that resists of the second derivative in coordinates that turn about the arms first, as far as the arms have
    /// one direction.
    ///
    /// Between arms across each other no axis takes the coupling away, and which one bears more may be rounding: there it
    /// stays what it is in exponential coordinates, and in between it goes from one to the other without a jump.
    pub fn resisting(&self) -> Matrix3<f64> {
        let own = self.axis().map_or(self.stiffness, |(axis, prominence)| {
            self.stiffness - self.coupling(&axis) * prominence
        });
        negative_part(&own)
    }
}
