//! The interface between the compliance of bodies and the contacts.

use crate::compliance::TurnedBodies;
use crate::{ContactError, ContactProblem};
use impinge_krylov::block::SymmetricBlockMatrix;
use nalgebra::Matrix3;
use std::sync::Arc;

/// Rows of a contact on one node: the number of the node among the contact nodes of its part, and `[J; J_t]` there.
pub(super) type Push = (usize, Matrix3<f64>);

/// `C Jᵀ` of one contact at some of the nodes of a part, one block per node (1/kg).
pub(super) type Response = Vec<Matrix3<f64>>;

/// The equations `A v = b` of the motion without contacts.
#[derive(Clone, Copy)]
pub(super) struct FreeEquations<'a> {
    /// `A`.
    pub(super) momentum: &'a SymmetricBlockMatrix,
    /// `b` (N·s).
    pub(super) rhs: &'a [f64],
    /// Tolerance of the residual (N·s).
    pub(super) tolerance: f64,
}

/// Effort and accuracy of the free motion.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FreeMotion {
    /// Products with `A`, or solves.
    pub(super) products: u64,
    /// `‖A v* − b‖` as computed by the method (N·s).
    pub(super) residual: f64,
    /// Whether the residual is within the tolerance.
    pub(super) converged: bool,
}

/// `C`: the velocities due to impulses, symmetric and positive semi-definite; `A⁻¹` or an approximation.
///
/// Blocks belong to parts that `C` does not couple: bodies, or bodies that joints connect.
pub(super) trait Compliance {
    /// Prepares the compliance of `problem`; for an approximation, `repair` adds the exact momentum of free bodies.
    /// Returns whether the compliance has changed.
    ///
    /// # Errors
    /// [`ContactError`] if the matrix or the data of the bodies are unusable.
    fn prepare(&mut self, problem: &ContactProblem, repair: bool) -> Result<bool, ContactError>;

    /// Sets the data of the bodies; only an approximation uses them.
    fn know_bodies(&mut self, bodies: &Arc<TurnedBodies>) {
        let _ = bodies;
    }

    /// Number of parts.
    fn parts(&self) -> usize;

    /// Part of a block, and its number among the contact nodes of the part; `None` for other blocks.
    fn place(&self, block: u32) -> Option<(usize, usize)>;

    /// `C Jᵀ` of one contact with the rows `pushed` on the part, at each of the nodes `felt`.
    fn respond(&mut self, part: usize, pushed: &[Push], felt: &[usize], response: &mut Response);

    /// `A⁻¹ b`, accurate to the tolerance for any `C`, starting from `velocity`.
    fn free_motion(&mut self, of: FreeEquations<'_>, velocity: &mut [f64]) -> FreeMotion;

    /// Replaces impulses on all blocks by the velocities `C x`.
    fn apply(&mut self, x: &mut [f64]);

    /// [`apply`](Self::apply) for impulses that are mostly those of the last call.
    fn apply_again(&mut self, x: &mut [f64]) {
        self.apply(x);
    }

    /// Whether `C = A⁻¹`. Momentum is then balanced by the method, and its residual counts.
    fn is_exact(&self) -> bool;
}
