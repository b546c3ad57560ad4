//! Rows that are linear in their points: attachments, ball joints, planes.

use super::law::{Definiteness, Law, Local, Points};
use nalgebra::Vector3;

/// `φ = q`, three rows: two points coincide, `q` being their difference.
///
/// It has no geometric stiffness in its points. Points of rigid bodies add the rotation of their arms, through the
/// mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attachment;

impl Law for Attachment {
    fn points(&self) -> usize {
        1
    }

    fn rows(&self) -> usize {
        3
    }

    fn evaluate(&self, q: &Points, local: &mut Local) {
        for axis in 0..3 {
            local.value[axis] = q[0][axis];
            *local.row_mut(axis, 0) = Vector3::ith(axis, 1.0);
        }
    }

    fn stiffness(&self, _: &Points, _: &[f64], _: Definiteness, _: &mut Local) {}
}

/// `φ = n·q − d`, one row: a point stays on a plane, or above it if the row is one-sided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// `n`, unit.
    pub normal: Vector3<f64>,
    /// `d` (m).
    pub height: f64,
}

impl Law for Plane {
    fn points(&self) -> usize {
        1
    }

    fn rows(&self) -> usize {
        1
    }

    fn evaluate(&self, q: &Points, local: &mut Local) {
        local.value[0] = self.normal.dot(&q[0]) - self.height;
        *local.row_mut(0, 0) = self.normal;
    }

    fn stiffness(&self, _: &Points, _: &[f64], _: Definiteness, _: &mut Local) {}
}
