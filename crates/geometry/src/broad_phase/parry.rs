//! Broad phase on the bounding volume hierarchy of `parry`.

use super::{Aabb, BroadPhase, CandidateSet, assert_boxes};
use crate::surface::CollisionSurface;
use nalgebra::Vector3;
use parry3d_f64::bounding_volume::Aabb as ParryAabb;
use parry3d_f64::math::Vector as ParryVector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use rayon::prelude::*;
use std::sync::Arc;

/// Features whose pairs one task collects. Results do not depend on it.
const FEATURES_PER_TASK: usize = 64;

/// Broad phase on two trees of `parry3d-f64`: one of the faces, which vertices are looked up in, and one of the edges.
///
/// It gives the pairs of [`Bvh`](super::Bvh), for comparison and for scenes that already rely on `parry`. The trees are
/// refitted and improved from call to call, and built for another surface. Boxes stay in double precision, so nothing
/// is rounded.
///
/// # Cost
/// `O(n)` for refitting, `O(n log n)` for building and for the queries, one for each vertex and edge. Pairs of two
/// passive bodies are found and dropped.
#[derive(Default)]
pub struct ParryBvh {
    faces: Leaves,
    edges: Leaves,
    /// The surface that the trees are for.
    surface: Option<Arc<()>>,
}

/// A tree of features in the order of their indices.
#[derive(Default)]
struct Leaves {
    boxes: Vec<ParryAabb>,
    tree: Bvh,
    workspace: BvhWorkspace,
}

impl Leaves {
    /// Takes the boxes of features with `N` points, building the tree if it is `new`.
    fn update<const N: usize>(&mut self, features: &[[u32; N]], point_boxes: &[Aabb], new: bool) {
        self.boxes.clear();
        let boxes = features.iter().map(|points| bounds(points, point_boxes));
        self.boxes.extend(boxes);
        if new {
            self.tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &self.boxes);
            return;
        }
        for (leaf, bounds) in (0..).zip(&self.boxes) {
            self.tree.insert_or_update_partially(*bounds, leaf, 0.0);
        }
        self.tree.refit(&mut self.workspace);
        self.tree.optimize_incremental(&mut self.workspace);
    }
}

impl ParryBvh {
    /// An empty broad phase; the first call builds the trees.
    pub fn new() -> Self {
        Self::default()
    }
}

impl BroadPhase for ParryBvh {
    fn collect(
        &mut self,
        surface: &CollisionSurface,
        point_boxes: &[Aabb],
        out: &mut CandidateSet,
    ) {
        assert_boxes(surface, point_boxes);
        let known =
            (self.surface.as_ref()).is_some_and(|known| Arc::ptr_eq(known, surface.identity()));
        self.surface = Some(Arc::clone(surface.identity()));
        let (triangles, edges) = (surface.triangles(), surface.edges());
        self.faces.update(triangles, point_boxes, !known);
        self.edges.update(edges, point_boxes, !known);

        let faces = &self.faces.tree;
        let of_vertex = |&vertex: &u32| {
            let around = bounds(&[vertex], point_boxes);
            let touch = |&face: &u32| surface.may_touch(&[vertex], &triangles[face as usize]);
            let mut found: Vec<u32> = faces.intersect_aabb(&around).filter(touch).collect();
            found.sort_unstable();
            found.into_iter().map(move |face| [vertex, face])
        };
        out.vertex_face.clear();
        (out.vertex_face).par_extend(
            (surface.vertices().par_iter())
                .with_min_len(FEATURES_PER_TASK)
                .flat_map_iter(of_vertex),
        );

        let Leaves { boxes, tree, .. } = &self.edges;
        let of_edge = |first: usize| {
            let ends = &edges[first];
            let touch = |&second: &u32| {
                second as usize > first && surface.may_touch(ends, &edges[second as usize])
            };
            let mut found: Vec<u32> = tree.intersect_aabb(&boxes[first]).filter(touch).collect();
            found.sort_unstable();
            found.into_iter().map(move |second| [first as u32, second])
        };
        out.edge_edge.clear();
        (out.edge_edge).par_extend(
            (0..edges.len())
                .into_par_iter()
                .with_min_len(FEATURES_PER_TASK)
                .flat_map_iter(of_edge),
        );
    }
}

/// The box of a feature in the types of `parry`; its numbers are `f64` too, so nothing is rounded.
fn bounds(points: &[u32], point_boxes: &[Aabb]) -> ParryAabb {
    let bounds = Aabb::of_boxes(points.iter().map(|&point| &point_boxes[point as usize]));
    let vector = |v: Vector3<f64>| ParryVector::new(v.x, v.y, v.z);
    ParryAabb::new(vector(bounds.lower), vector(bounds.upper))
}
