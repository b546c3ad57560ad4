//! Present rotations of bodies with a known compliance at rest.

use super::RestCompliance;
use nalgebra::{Matrix3, Vector3};
use std::sync::Arc;

/// The deformable bodies of the problems of one step.
#[derive(Clone, Default)]
pub struct TurnedBodies {
    /// Length of the step (s) of the compliances.
    pub time_step: f64,
    /// Each block of a problem belongs to one body at most. Blocks without a body, as those of rigid bodies, are
    /// factorised whenever the matrix changes.
    pub bodies: Vec<TurnedBody>,
}

/// One body.
#[derive(Clone)]
pub struct TurnedBody {
    /// `(A⁰)⁻¹`.
    pub rest: Arc<RestCompliance>,
    /// For each block of `rest`, the block of the problem.
    pub blocks: Vec<u32>,
    /// For each block of `rest`, `R`: rotation from the rest orientation to the present one.
    pub rotations: Vec<Matrix3<f64>>,
    /// Masses and positions of a free body, for the projection that makes contact forces change its momentum exactly.
    pub moments: Option<RigidMoments>,
}

/// Masses and positions of the nodes of a free body.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidMoments {
    /// For each block, the mass that resists a uniform velocity (kg): lumped mass plus the mass damping of a step.
    pub masses: Vec<f64>,
    /// For each block, its position (m).
    pub positions: Vec<Vector3<f64>>,
}
