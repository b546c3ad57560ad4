//! Springs along edges.

use super::ThinError;
use nalgebra::{Matrix3, Vector3};

/// A spring between two points: `E = ½ k (l − l̄)² / l̄`.
///
/// # Source
/// The stretching force of Harmon et al. 2012, "Asynchronous contact mechanics",
/// <https://doi.org/10.1145/2133806.2133828>.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeSpring {
    /// Indices of the two points.
    pub points: [u32; 2],
    /// `l̄` (m), greater than 0.
    pub rest_length: f64,
    /// `k`: force per strain (N).
    pub stiffness: f64,
}

impl EdgeSpring {
    /// The spring that is at rest at the given positions (m).
    ///
    /// # Errors
    /// [`ThinError`] if they coincide, or if `stiffness` (N) is negative or not finite.
    pub fn new(
        points: [u32; 2],
        rest: &[Vector3<f64>; 2],
        stiffness: f64,
    ) -> Result<Self, ThinError> {
        let length = (rest[0] - rest[1]).norm();
        if !(length > 0.0 && length.is_finite()) {
            return Err(ThinError::RestLength { points, length });
        }
        super::error::check_not_negative("the stiffness of an edge (N)", stiffness)?;
        Ok(Self {
            points,
            rest_length: length,
            stiffness,
        })
    }

    /// Elastic energy (J) with the points at `x` (m).
    pub fn energy(&self, x: &[Vector3<f64>; 2]) -> f64 {
        let elongation = (x[0] - x[1]).norm() - self.rest_length;
        0.5 * self.stiffness * elongation * elongation / self.rest_length
    }

    /// Force on the first point (N); the second one gets the opposite. Zero for coincident points.
    #[inline]
    pub fn force(&self, x: &[Vector3<f64>; 2]) -> Vector3<f64> {
        let edge = x[0] - x[1];
        let length = edge.norm();
        if length > 0.0 {
            edge * (self.stiffness * (1.0 / length - 1.0 / self.rest_length))
        } else {
            Vector3::zeros()
        }
    }

    /// `∂²E/∂x₀²` (N/m), equal to `∂²E/∂x₁²` and to the negated mixed derivative. Positive semi-definite: the softening
    /// of a compressed spring across its axis is omitted.
    pub fn tangent(&self, x: &[Vector3<f64>; 2]) -> Matrix3<f64> {
        let edge = x[0] - x[1];
        let length = edge.norm();
        let along = self.stiffness / self.rest_length;
        if length <= 0.0 {
            return Matrix3::zeros();
        }
        let direction = edge / length;
        let axial = direction * direction.transpose();
        let across = along * (1.0 - self.rest_length / length).max(0.0);
        axial * along + (Matrix3::identity() - axial) * across
    }

    /// `ω²` (1/s²) of the spring between two masses (kg; infinite for a fixed point).
    pub fn frequency_squared(&self, masses: [f64; 2]) -> f64 {
        self.stiffness / self.rest_length * (1.0 / masses[0] + 1.0 / masses[1])
    }
}
