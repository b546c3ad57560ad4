//! The Delassus operator `W = J C Jᵀ` as sweeps use it.

use crate::delassus::BlockRows;
use nalgebra::{Matrix3, Vector3};

/// `W f`, built or not.
pub(super) trait DelassusOperator {
    /// Forgets all forces for `forces`.
    fn load(&mut self, forces: &[Vector3<f64>]);

    /// What the forces of the moment move, and every displacement is made of: linear in them.
    fn moved(&mut self) -> &mut Vec<Vector3<f64>>;

    /// `(W f)_i` under the forces of the moment (m).
    fn displacement(&self, contact: usize) -> Vector3<f64>;

    /// `W_ii` (m/N).
    fn own(&self, contact: usize) -> &Matrix3<f64>;

    /// Adds to the force of a contact.
    fn change(&mut self, contact: usize, by: &Vector3<f64>);

    /// Rows and columns of `contacts`, ascending, in the place of what `out` held.
    fn restrict(&self, contacts: &[u32], out: &mut BlockRows);
}
