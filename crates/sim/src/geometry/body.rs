//! Solids and half-spaces.

use crate::scene::Placed;
use nalgebra::Vector3;
use std::ops::Range;

/// A deformable body, a rigid body or a mesh obstacle.
#[derive(Debug, Clone)]
pub struct Body {
    /// Name from the scene.
    pub name: String,
    /// The body or obstacle of the scene of which this is a copy.
    pub origin: Placed,
    /// Its points.
    pub points: Range<usize>,
    /// Its tetrahedra; empty for rigid bodies and obstacles.
    pub tets: Range<usize>,
    /// Whether it is thin: its triangles have elastic terms, and it has no elements.
    pub thin: bool,
    /// Whether it is a rigid body without a prescribed motion.
    pub free_rigid: bool,
    /// Whether its surface may be touched from both sides: a thin body, or an obstacle with an open surface.
    pub two_sided: bool,
    /// Its surface triangles.
    pub triangles: Range<usize>,
    /// Coulomb friction coefficient of its own (1).
    pub friction: f64,
    /// For each point, the node of the given mesh: points are stored along a space-filling curve.
    pub original_nodes: Vec<u32>,
}

impl Body {
    /// Whether it keeps its shape: a rigid body or an obstacle.
    pub fn is_rigid(&self) -> bool {
        self.tets.is_empty() && !self.thin
    }
}

/// A half-space that never moves.
#[derive(Debug, Clone)]
pub struct HalfSpace {
    /// Name from the scene.
    pub name: String,
    /// A point of its plane (m).
    pub point: Vector3<f64>,
    /// Unit normal, out of the solid.
    pub normal: Vector3<f64>,
    /// Coulomb friction coefficient of its own (1).
    pub friction: f64,
}
