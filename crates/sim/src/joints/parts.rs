//! The parts that joints may hold, and material points on them.

use crate::{geometry::Body, rigid::RigidBody};
use nalgebra::Vector3;

/// What joints may hold.
pub(crate) struct PartsToJoin<'a> {
    pub(crate) rest: &'a [Vector3<f64>],
    pub(crate) tets: &'a [[u32; 4]],
    pub(crate) triangles: &'a [[u32; 3]],
    pub(crate) bodies: &'a [Body],
    pub(crate) obstacles: &'a [Body],
    pub(crate) rigid: &'a [RigidBody],
}

/// A body of the model that a joint names, and its place in the scene's list of copies.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub(super) solid: usize,
    pub(super) rigid: Option<usize>,
    /// How far off its elements a place may be and still be on it (m): its contact clearance, by which its surface may
    /// have receded from what it touches at the start.
    pub(super) slack: f64,
}

/// Mean edge of the triangles of a body (m); 0 without any.
pub(super) fn mean_edge(parts: &PartsToJoin<'_>, body: &Body) -> f64 {
    let triangles = &parts.triangles[body.triangles.clone()];
    let edges = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let length = |edge: [u32; 2]| {
        let [a, b] = edge.map(|node| parts.rest[node as usize]);
        (b - a).norm()
    };
    edges.map(length).sum::<f64>() / (3 * triangles.len()).max(1) as f64
}

pub(super) fn solid<'a>(parts: &PartsToJoin<'a>, index: usize) -> &'a Body {
    parts
        .bodies
        .get(index)
        .unwrap_or_else(|| &parts.obstacles[index - parts.bodies.len()])
}
