//! The seam between how bodies yield and what contacts make of it.

use crate::compliance::TurnedBodies;
use crate::{ContactError, ContactProblem};
use nalgebra::Matrix3;
use std::sync::Arc;

/// A contact's rows on one node: the place among the nodes of its part that may touch, and `[J; J_t]` there.
pub(super) type Push = (usize, Matrix3<f64>);

/// What the free motion took.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FreeMotion {
    /// Products with `A`, or solves.
    pub(super) products: u64,
    /// `‖A v* − b‖` as the method sees it (N·s).
    pub(super) residual: f64,
    /// Whether that is as small as asked.
    pub(super) converged: bool,
}

/// `C`: the velocities that impulses cause, symmetric and positive definite; `A⁻¹` or close to it.
///
/// Blocks fall into parts that do not feel each other: bodies, or what stands for them.
pub(super) trait Compliance {
    /// Makes it that of `problem`, with the momentum of free bodies repaired if it is an approximation and `repair`
    /// says so; true if it was another before.
    ///
    /// # Errors
    /// [`ContactError`] if the matrix or what is known of the bodies is unusable.
    fn prepare(&mut self, problem: &ContactProblem, repair: bool) -> Result<bool, ContactError>;

    /// Tells what is known of the bodies; only an approximation listens.
    fn know_bodies(&mut self, bodies: &Arc<TurnedBodies>) {
        let _ = bodies;
    }

    /// Number of parts.
    fn parts(&self) -> usize;

    /// Part of a block, and its place among those of the part that may touch; `None` for one that may not.
    fn place(&self, block: u32) -> Option<(usize, usize)>;

    /// `C Jᵀ` of one contact, whose rows on the part are `pushed`, at each of the places `felt`.
    fn respond(
        &mut self,
        part: usize,
        pushed: &[Push],
        felt: &[usize],
        response: &mut Vec<Matrix3<f64>>,
    );

    /// `A⁻¹ rhs`, exact to `tolerance` (N·s) whatever `C` is; starts from `velocity`.
    fn free_motion(
        &mut self,
        problem: &ContactProblem,
        rhs: &[f64],
        tolerance: f64,
        velocity: &mut [f64],
    ) -> FreeMotion;

    /// Replaces impulses on all blocks by the velocities `C` gives for them.
    fn apply(&mut self, x: &mut [f64]);

    /// [`apply`](Self::apply) for impulses of which many are those of the last call.
    fn apply_again(&mut self, x: &mut [f64]) {
        self.apply(x);
    }

    /// Whether `C` is `A⁻¹`: then momentum balances, and its residual is the solver's to answer for.
    fn is_exact(&self) -> bool;
}
