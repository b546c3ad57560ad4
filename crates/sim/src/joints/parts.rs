//! The parts that joints can hold, and material points on them.

use crate::{geometry::Body, rigid::RigidBody};
use impinge_geometry::io::NodeGroup;
use nalgebra::Vector3;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The bodies and points that joints can hold.
pub(crate) struct PartsToJoin<'a> {
    pub(crate) rest: &'a [Vector3<f64>],
    pub(crate) tets: &'a [[u32; 4]],
    pub(crate) triangles: &'a [[u32; 3]],
    pub(crate) bodies: &'a [Body],
    pub(crate) obstacles: &'a [Body],
    pub(crate) rigid: &'a [RigidBody],
    /// Physical groups of the mesh of each body that has some, in the numbers of its file.
    pub(crate) mesh_groups: &'a BTreeMap<usize, Arc<[NodeGroup]>>,
}

/// A body of the model that a joint names, and its index among the copies of the scene's body.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub(super) solid: usize,
    pub(super) rigid: Option<usize>,
    /// Tolerance (m) of a place on its elements: its contact clearance, by which the surface offset at the start may
    /// have moved its surface.
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
