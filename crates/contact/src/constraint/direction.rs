//! Rows in the directions of two bodies: dot products for hinges, sliders and cones, and the angle of a hinge.

use super::law::{Definiteness, Law, Local, Points};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::TAU;

/// `φ = u·w − c`.
///
/// With `c = 0` two directions stay perpendicular. With `u` an offset, the offset stays perpendicular to a direction.
/// As a one-sided row with `c = cos α`, a direction stays inside a cone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Product {
    /// `c`.
    pub constant: f64,
}

impl Law for Product {
    fn points(&self) -> usize {
        2
    }

    fn rows(&self) -> usize {
        1
    }

    fn evaluate(&self, q: &Points, local: &mut Local) {
        local.value[0] = q[0].dot(&q[1]) - self.constant;
        *local.row_mut(0, 0) = q[1];
        *local.row_mut(0, 1) = q[0];
    }

    fn stiffness(&self, _: &Points, lambda: &[f64], _: Definiteness, local: &mut Local) {
        let block = Matrix3::from_diagonal_element(lambda[0]);
        *local.block_mut(0, 1) = block;
        *local.block_mut(1, 0) = block;
    }

    fn projects_itself(&self) -> bool {
        false
    }
}

/// `φ = s (θ − θ₀)` with `θ = atan2(a·c, a·b)`: the angle of a hinge. `a` is a direction of the first body
/// perpendicular to its axis; `b` and `c` are two of the second.
///
/// `θ` is the one within half a turn of a center, which both limits of a hinge share: their range may be almost a turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Angle {
    /// `θ₀` (rad).
    pub rest: f64,
    /// `s`: +1 for a lower limit, −1 for an upper one.
    pub sign: f64,
    /// The center of the angles that `θ` is taken from (rad).
    pub center: f64,
}

impl Angle {
    /// `x = a·b`, `y = a·c` and the derivatives of `atan2(y, x)`.
    fn plane(q: &[Vector3<f64>]) -> (f64, f64, f64) {
        let (x, y) = (q[0].dot(&q[1]), q[0].dot(&q[2]));
        (x, y, x * x + y * y)
    }
}

impl Law for Angle {
    fn points(&self) -> usize {
        3
    }

    fn rows(&self) -> usize {
        1
    }

    fn evaluate(&self, q: &Points, local: &mut Local) {
        let (x, y, r2) = Self::plane(q);
        let angle = y.atan2(x);
        let turns = ((angle - self.center) / TAU).round();
        local.value[0] = self.sign * (angle - self.rest - TAU * turns);
        let (tx, ty) = (-y / r2 * self.sign, x / r2 * self.sign);
        *local.row_mut(0, 0) = q[1] * tx + q[2] * ty;
        *local.row_mut(0, 1) = q[0] * tx;
        *local.row_mut(0, 2) = q[0] * ty;
    }

    fn stiffness(&self, q: &Points, lambda: &[f64], _: Definiteness, local: &mut Local) {
        let (x, y, r2) = Self::plane(q);
        let factor = self.sign * lambda[0];
        let (tx, ty) = (-y / r2, x / r2);
        let (txx, txy) = (2.0 * x * y / (r2 * r2), (y * y - x * x) / (r2 * r2));
        let dx = [q[1], q[0], Vector3::zeros()];
        let dy = [q[2], Vector3::zeros(), q[0]];
        for a in 0..3 {
            for b in 0..3 {
                *local.block_mut(a, b) = (dx[a] * dx[b].transpose() * txx
                    + (dx[a] * dy[b].transpose() + dy[a] * dx[b].transpose()) * txy
                    - dy[a] * dy[b].transpose() * txx)
                    * factor;
            }
        }
        for (other, slope) in [(1, tx), (2, ty)] {
            let block = Matrix3::from_diagonal_element(slope * factor);
            *local.block_mut(0, other) += block;
            *local.block_mut(other, 0) += block;
        }
    }

    fn projects_itself(&self) -> bool {
        false
    }
}
