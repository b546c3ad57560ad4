//! The length of a line through several points: ropes over pulleys, ligaments over bones.

use super::law::{Definiteness, Law, Local, Points};
use nalgebra::{Matrix3, Vector3};

/// Share of the rest length below which a piece has no usable direction: a few digits above rounding.
const NO_LENGTH: f64 = 1e-12;

/// `φ = l̄ − Σ |q_s|` over the difference vectors of its pieces. As a one-sided row, a rope that runs through points
/// without friction, with one force along all pieces.
///
/// `J_s = −u_s`, `K̃_s = −(λ/l_s)(I − u_s u_sᵀ)`: the sum of ropes between neighbouring points, with one `λ ≥ 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathLength {
    /// `l̄` (m).
    pub rest_length: f64,
    /// Number of pieces.
    pub pieces: usize,
}

impl PathLength {
    /// Length and direction of a piece; `None` at zero length.
    fn piece(&self, q: &Vector3<f64>) -> Option<(f64, Vector3<f64>)> {
        let length = q.norm();
        (length > NO_LENGTH * self.rest_length).then(|| (length, q / length))
    }
}

impl Law for PathLength {
    fn points(&self) -> usize {
        self.pieces
    }

    fn rows(&self) -> usize {
        1
    }

    fn evaluate(&self, q: &Points, local: &mut Local) {
        local.value[0] = self.rest_length;
        for (index, q) in q.iter().enumerate() {
            if let Some((length, u)) = self.piece(q) {
                local.value[0] -= length;
                *local.row_mut(0, index) = -u;
            }
        }
    }

    fn stiffness(&self, q: &Points, lambda: &[f64], definiteness: Definiteness, local: &mut Local) {
        if definiteness == Definiteness::Negative && lambda[0] < 0.0 {
            return;
        }
        for (index, q) in q.iter().enumerate() {
            if let Some((length, u)) = self.piece(q) {
                *local.block_mut(index, index) =
                    (Matrix3::identity() - u * u.transpose()) * (-lambda[0] / length);
            }
        }
    }
}
