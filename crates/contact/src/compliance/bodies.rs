//! Bodies as they have turned since their compliance was computed.

use super::RestCompliance;
use nalgebra::{Matrix3, Vector3};
use std::sync::Arc;

/// The deformable bodies of the problems of one step.
#[derive(Clone, Default)]
pub struct TurnedBodies {
    /// Length of the step (s) that the compliances are for.
    pub time_step: f64,
    /// Each block of a problem belongs to one body at most. Blocks of none, as those of rigid bodies, must stand alone in
    /// the momentum matrix: it is inverted there as it is.
    pub bodies: Vec<TurnedBody>,
}

/// One body.
#[derive(Clone)]
pub struct TurnedBody {
    /// `(A⁰)⁻¹`.
    pub rest: Arc<RestCompliance>,
    /// For each block of `rest`, the block of the problem.
    pub blocks: Vec<u32>,
    /// For each block of `rest`, `R`: what turns it from the rest of `rest` to where it is now.
    pub rotations: Vec<Matrix3<f64>>,
    /// What the momentum of the body is made of, if nothing holds it: read where its compliance is to be corrected so that
    /// contact forces change that momentum by what they are.
    pub moments: Option<RigidMoments>,
}

/// Masses and places of the nodes of a body that floats freely.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidMoments {
    /// For each block, the mass that resists a uniform velocity (kg): lumped mass and what mass damping adds in a step.
    pub masses: Vec<f64>,
    /// For each block, its position (m).
    pub positions: Vec<Vector3<f64>>,
}
