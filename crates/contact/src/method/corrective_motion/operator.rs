//! The Delassus operator `W = J C Jᵀ` in the form that sweeps need.

use crate::delassus::BlockRows;
use nalgebra::{Matrix3, Vector3};

/// `W f`, assembled or matrix-free.
pub(super) trait DelassusOperator {
    /// Replaces all forces by `forces`.
    fn load(&mut self, forces: &[Vector3<f64>]);

    /// State of the operator that is linear in the present forces and determines every displacement.
    fn moved(&mut self) -> &mut Vec<Vector3<f64>>;

    /// `(W f)_i` of the present forces (m).
    fn displacement(&self, contact: usize) -> Vector3<f64>;

    /// `W_ii` (m/N).
    fn own(&self, contact: usize) -> &Matrix3<f64>;

    /// Adds `by` to the force of a contact.
    fn change(&mut self, contact: usize, by: &Vector3<f64>);

    /// Writes the rows and columns of `contacts`, ascending, to `out`.
    fn restrict(&self, contacts: &[u32], out: &mut BlockRows);
}
