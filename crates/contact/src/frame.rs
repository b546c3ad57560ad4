//! The orthonormal frame of a contact.

use nalgebra::{Matrix3, Vector3};

/// Right-handed frame `(n, t₁, t₂)` of a contact; all unit vectors.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactFrame {
    /// `n`: from the second side (face, second edge, obstacle) to the first (vertex, first edge).
    pub normal: Vector3<f64>,
    /// `t₁, t₂ = n × t₁`.
    pub tangents: [Vector3<f64>; 2],
}

impl ContactFrame {
    /// Frame around a unit normal: `t₁` is the part normal to `n` of the coordinate axis least aligned with it.
    pub fn around(normal: Vector3<f64>) -> Self {
        let axis = Vector3::ith(normal.iamin(), 1.0);
        Self::with_first_tangent(normal, axis)
    }

    /// Rotates the frame to a new normal, its tangents staying as close as possible: friction forces and slip
    /// directions, as two-vectors, keep their meaning.
    #[must_use]
    pub fn transported(&self, normal: Vector3<f64>) -> Self {
        // The new normal may be parallel to the old tangent, which then gives no direction.
        let along = self.tangents[0] - normal * normal.dot(&self.tangents[0]);
        if along.norm_squared() < 1e-6 {
            return Self::with_first_tangent(normal, -normal.dot(&self.tangents[0]) * self.normal);
        }
        Self::with_first_tangent(normal, self.tangents[0])
    }

    fn with_first_tangent(normal: Vector3<f64>, direction: Vector3<f64>) -> Self {
        let first = (direction - normal * normal.dot(&direction)).normalize();
        Self {
            normal,
            tangents: [first, normal.cross(&first)],
        }
    }

    /// Rows `n, t₁, t₂`.
    pub fn rows(&self) -> Matrix3<f64> {
        Matrix3::from_rows(&[
            self.normal.transpose(),
            self.tangents[0].transpose(),
            self.tangents[1].transpose(),
        ])
    }

    /// Components of `vector` along `(t₁, t₂)`.
    pub fn tangential(&self, vector: &Vector3<f64>) -> [f64; 2] {
        [self.tangents[0].dot(vector), self.tangents[1].dot(vector)]
    }
}
