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

/// Refitted trees are built anew once their boxes have grown by this factor relative to the triangles' own. A search slows
/// down about as that grows, and building costs about two searches: it has paid for itself after a few steps.
const REBUILD_DECAY: f64 = 1.5;

/// Clusters whose pairs one task collects. Results do not depend on it.
const CLUSTERS_PER_TASK: usize = 128;

/// What rounding may have added to two boxes, as a part of the largest coordinate: twice 7 · 2⁻²⁴ and what computing with it
/// costs, doubled.
const MARGIN: f32 = 16.0 * f32::EPSILON;

/// Broad phase on two balanced trees of triangle boxes, one of the free and one of the passive bodies.
///
/// The trees are refitted from call to call and rebuilt when the surface is another one or their boxes have come to
/// overlap too much, so one value should live as long as its scene. It can be given any surface at any time; only speed
/// depends on the history, never the result. All stages run on the current rayon pool, and the result does not depend on
/// the number of threads.
///
/// # Method
/// Leaves are clusters of sixteen triangles with the vertices and edges that they own, each feature in one cluster only, so
/// that no pair is found twice. For each cluster the tree is read for later clusters that its box meets, what reaches into
/// the box is gathered from all of them, and compared with its own features, eight at once. Boxes are kept in single
/// precision, rounded outwards; pairs that these do not decide are decided in double precision.
///
/// # Cost
/// `O(n)` for refitting, `O(n log n)` for building; then about proportional to the number of overlapping triangle boxes;
/// ordering the `k` pairs costs `O(n + k)`. Except when a tree is built, nothing of the size of the surface is allocated
/// once the buffers have grown.
#[derive(Default)]
pub struct Bvh {
    free: Tree,
    passive: Tree,
    /// The surface that the trees are for.
    surface: Option<Arc<()>>,
    point_bounds: Vec<Bounds>,
    /// What each task has found.
    found: Vec<Found>,
    ordering: order::Scratch,
    /// See [`Search::margin`].
    margin: f32,
}

/// What a task has found, and its scratch.
#[derive(Default)]
struct Found {
    pairs: CandidateSet,
    scratch: Box<Scratch>,
}

/// What [`Bvh::update`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeUpdate {
    /// The trees were built, because the surface is another one than before.
    Built,
    /// Their boxes were fitted to the motion.
    Refitted,
    /// They were built anew, because the boxes had come to overlap too much.
    Rebuilt,
}

impl Bvh {
    /// An empty broad phase; the trees grow at the first call.
    pub fn new() -> Self {
        Self::default()
    }

    /// The first half of [`collect`](BroadPhase::collect): brings the trees to the given boxes.
    ///
    /// # Panics
    /// As [`collect`](BroadPhase::collect).
    #[track_caller]
    pub fn update(&mut self, surface: &CollisionSurface, point_boxes: &[Aabb]) -> TreeUpdate {
        let points = points::bound(point_boxes, &mut self.point_bounds);
        self.margin = points.largest * MARGIN + 4.0 * f32::MIN_POSITIVE;
        if !points.valid || point_boxes.len() != surface.point_count() {
            // Boxes of points that no triangle uses may be anything.
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
    /// If the last [`update`](Self::update) was for another surface. Other boxes than there give a wrong result.
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

    /// How much the worse of both trees has decayed.
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
