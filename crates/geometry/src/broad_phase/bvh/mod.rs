//! Broad phase on a bounding volume hierarchy that persists between calls.

#![expect(
    clippy::inline_always,
    reason = "what is compiled for certain processors is what is inlined into one function"
)]

mod block;
mod bounds;
mod features;
mod gathered;
mod hits;
mod lanes;
mod order;
mod points;
mod refit;
mod search;
mod tree;
mod walk;

use std::sync::Arc;

use rayon::prelude::*;

use super::{Aabb, BroadPhase, CandidateSet, assert_boxes};
use crate::surface::CollisionSurface;
use bounds::Bounds;
use search::{Scratch, Search};
use tree::Tree;

/// A refitted tree is rebuilt once its boxes have grown by this factor relative to those of the triangles. The time of
/// a search grows about in proportion, and building costs about two searches, so a rebuild pays off within a few steps.
const REBUILD_DECAY: f64 = 1.5;

/// Clusters whose pairs one task collects. Results do not depend on it.
const CLUSTERS_PER_TASK: usize = 128;

/// Bound of the rounding error between two boxes, relative to the largest coordinate: twice 7 · 2⁻²⁴ and the error of
/// computing with it, doubled.
const MARGIN: f32 = 16.0 * f32::EPSILON;

/// Broad phase on two balanced trees of triangle boxes, one of the free and one of the passive bodies.
///
/// The trees are refitted from call to call. They are rebuilt for another surface, or when their boxes overlap too
/// much, so one value should live as long as its scene. Any surface may be given at any time: only the speed depends on
/// earlier calls, never the result. All stages run on the current rayon pool, and the result does not depend on the
/// number of threads.
///
/// # Method
/// Leaves are clusters of sixteen triangles with the vertices and edges that they own. Each feature is in one cluster
/// only, so no pair is found twice. For each cluster, the search finds the later clusters that its box meets, gathers
/// their features that reach into the box, and compares them with its own, eight at once. Boxes are kept in single
/// precision, rounded outwards; double precision decides the pairs that these leave open.
///
/// # Cost
/// `O(n)` for refitting, `O(n log n)` for building; then about proportional to the number of overlapping triangle
/// boxes; ordering the `k` pairs costs `O(n + k)`. Except when a tree is built, nothing of the size of the surface is
/// allocated once the buffers have grown.
#[derive(Default)]
pub struct Bvh {
    free: Tree,
    passive: Tree,
    /// The surface that the trees are for.
    surface: Option<Arc<()>>,
    point_bounds: Vec<Bounds>,
    /// Pairs found by each task.
    found: Vec<Found>,
    ordering: order::Scratch,
    /// See [`Search::margin`].
    margin: f32,
}

/// Pairs found by a task, and its scratch.
#[derive(Default)]
struct Found {
    pairs: CandidateSet,
    scratch: Box<Scratch>,
}

/// Action of [`Bvh::update`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeUpdate {
    /// The trees were built for another surface.
    Built,
    /// Their boxes were fitted to the motion.
    Refitted,
    /// The trees were rebuilt because their boxes overlapped too much.
    Rebuilt,
}

impl Bvh {
    /// An empty broad phase; the first call builds the trees.
    pub fn new() -> Self {
        Self::default()
    }

    /// The first half of [`collect`](BroadPhase::collect): fits the trees to the given boxes.
    ///
    /// # Panics
    /// As [`collect`](BroadPhase::collect).
    #[track_caller]
    pub fn update(&mut self, surface: &CollisionSurface, point_boxes: &[Aabb]) -> TreeUpdate {
        let points = points::bound(point_boxes, &mut self.point_bounds);
        self.margin = points.largest * MARGIN + 4.0 * f32::MIN_POSITIVE;
        if !points.valid || point_boxes.len() != surface.point_count() {
            // Boxes of points that no triangle uses are arbitrary.
            assert_boxes(surface, point_boxes);
        }
        let known = self
            .surface
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, surface.identity()));
        if !known {
            self.surface = Some(Arc::clone(surface.identity()));
            self.build(surface, point_boxes);
            self.refit();
            return TreeUpdate::Built;
        }
        if self.refit() <= REBUILD_DECAY {
            return TreeUpdate::Refitted;
        }
        self.build(surface, point_boxes);
        self.refit();
        TreeUpdate::Rebuilt
    }

    /// The second half: clears `out` and fills it with all pairs, ascending and unique.
    ///
    /// # Panics
    /// If the last [`update`](Self::update) was for another surface. The boxes must be those of that call, else the
    /// result is wrong.
    #[track_caller]
    pub fn find(
        &mut self,
        surface: &CollisionSurface,
        point_boxes: &[Aabb],
        out: &mut CandidateSet,
    ) {
        assert!(
            self.surface
                .as_ref()
                .is_some_and(|known| Arc::ptr_eq(known, surface.identity())),
            "the trees are of another surface; call update first"
        );
        let search = Search {
            surface,
            point_boxes,
            free: &self.free,
            passive: &self.passive,
            margin: self.margin,
        };
        let clusters = self.free.clusters();
        self.found
            .resize_with(clusters.div_ceil(CLUSTERS_PER_TASK), Found::default);
        self.found
            .par_iter_mut()
            .enumerate()
            .for_each(|(task, found)| {
                found.pairs.clear();
                let first = task * CLUSTERS_PER_TASK;
                let clusters = first..clusters.min(first + CLUSTERS_PER_TASK);
                search.collect(clusters, &mut found.scratch, &mut found.pairs);
            });
        let found = &self.found;
        order::merge(
            found.iter().map(|found| found.pairs.vertex_face.as_slice()),
            surface.point_count(),
            &mut self.ordering,
            &mut out.vertex_face,
        );
        order::merge(
            found.iter().map(|found| found.pairs.edge_edge.as_slice()),
            surface.edges().len(),
            &mut self.ordering,
            &mut out.edge_edge,
        );
    }

    fn build(&mut self, surface: &CollisionSurface, point_boxes: &[Aabb]) {
        let is_passive =
            |&triangle: &u32| surface.is_passive_point(surface.triangles()[triangle as usize][0]);
        let all = 0..surface.triangles().len() as u32;
        self.free.build(
            surface,
            all.clone().filter(|triangle| !is_passive(triangle)),
            point_boxes,
        );
        self.passive
            .build(surface, all.filter(is_passive), point_boxes);
    }

    /// Decay of the worse of both trees.
    fn refit(&mut self) -> f64 {
        let points = &self.point_bounds;
        self.free.refit(points).max(self.passive.refit(points))
    }
}

impl BroadPhase for Bvh {
    fn collect(
        &mut self,
        surface: &CollisionSurface,
        point_boxes: &[Aabb],
        out: &mut CandidateSet,
    ) {
        self.update(surface, point_boxes);
        self.find(surface, point_boxes, out);
    }
}
