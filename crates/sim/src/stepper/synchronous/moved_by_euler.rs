//! Parts of bodies that move by implicit Euler in a step of second order.

use crate::step::assemble::rigid::RigidStart;

/// A node or a rigid body that changed to implicit Euler after the first assembly of the attempt.
#[derive(Debug, Clone, Copy)]
pub(super) enum MovedByEuler {
    /// The node with the unknowns of `block`, and its `κ` before.
    Node { block: usize, ratio: f64 },
    /// A rigid body, and its start before.
    Rigid { index: usize, start: RigidStart },
}
