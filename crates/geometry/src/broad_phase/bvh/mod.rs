//! Broad phase on a bounding volume hierarchy that persists between calls.

mod bounds;
mod search;
mod tree;

use std::sync::Arc;

use rayon::prelude::*;

use super::{Aabb, BroadPhase, CandidateSet, assert_boxes};
use crate::surface::CollisionSurface;
use bounds::Bounds;
use search::Search;
use tree::Tree;

/// Refitted trees are built anew once their boxes have grown by this factor relative to the triangles' own. A search slows
/// down about as that grows, and building costs about two searches: it has paid for itself after a few steps.
const REBUILD_DECAY: f64 = 1.5;

/// Clusters whose pairs one task collects, and points it converts. Results do not depend on them.
const CLUSTERS_PER_TASK: usize = 128;
const POINTS_PER_TASK: usize = 8192;

/// Pairs that are worth sorting on several threads.
const PAIRS_PER_SORT: usize = 1 << 14;

/// Broad phase on two balanced trees of triangle boxes, one of the free and one of the passive bodies.
///
/// The trees are refitted from call to call and rebuilt when the surface is another one or their boxes have come to
/// overlap too much, so one value should live as long as its scene. It can be given any surface at any time; only speed
/// depends on the history, never the result. All stages run on the current rayon pool, and the result does not depend on
/// the number of threads.
///
/// # Method
/// Leaves are clusters of eight triangles with the vertices and edges that they own, each feature in one cluster only, so
/// that no pair is found twice. For each cluster the tree is read for later clusters that its box meets, and their
/// features are compared. Boxes are kept in single precision, rounded outwards, and a pair is confirmed in double
/// precision before it is handed on.
///
/// # Cost
/// `O(n)` for refitting, `O(n log n)` for building; then about proportional to the number of overlapping triangle boxes;
/// sorting the result costs `O(k log k)`. Except when a tree is built, nothing of the size of the surface is allocated
/// once the buffers have grown.
#[derive(Default)]
pub struct Bvh {
    free: Tree,
    passive: Tree,
    /// The surface that the trees are for.
    surface: Option<Arc<()>>,
    point_bounds: Vec<Bounds>,
    /// What each task has found.
    found: Vec<CandidateSet>,
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
        assert_boxes(surface, point_boxes);
        self.bound_points(point_boxes);
        let known = self
            .surface
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, surface.identity()));
        if !known {
            self.surface = Some(Arc::clone(surface.identity()));
            self.build(surface, point_boxes);
            self.refit(surface);
            return TreeUpdate::Built;
        }
        if self.refit(surface) <= REBUILD_DECAY {
            return TreeUpdate::Refitted;
        }
        self.build(surface, point_boxes);
        self.refit(surface);
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
        };
        let clusters = self.free.clusters();
        self.found
            .resize_with(clusters.div_ceil(CLUSTERS_PER_TASK), CandidateSet::default);
        self.found
            .par_iter_mut()
            .enumerate()
            .for_each(|(task, found)| {
                found.clear();
                let first = task * CLUSTERS_PER_TASK;
                search.collect(first..clusters.min(first + CLUSTERS_PER_TASK), found);
            });
        out.clear();
        for found in &self.found {
            out.vertex_face.extend_from_slice(&found.vertex_face);
            out.edge_edge.extend_from_slice(&found.edge_edge);
        }
        sort(&mut out.vertex_face);
        sort(&mut out.edge_edge);
    }

    fn bound_points(&mut self, point_boxes: &[Aabb]) {
        self.point_bounds.resize(point_boxes.len(), Bounds::EMPTY);
        self.point_bounds
            .par_chunks_mut(POINTS_PER_TASK)
            .zip(point_boxes.par_chunks(POINTS_PER_TASK))
            .for_each(|(bounds, boxes)| {
                for (bounds, exact) in bounds.iter_mut().zip(boxes) {
                    *bounds = Bounds::around(exact);
                }
            });
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
    fn refit(&mut self, surface: &CollisionSurface) -> f64 {
        let points = &self.point_bounds;
        self.free
            .refit(surface, points)
            .max(self.passive.refit(surface, points))
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

fn sort(pairs: &mut [[u32; 2]]) {
    // One integer comparison instead of two, in the same order.
    let key = |&[first, second]: &[u32; 2]| (u64::from(first) << 32) | u64::from(second);
    if pairs.len() > PAIRS_PER_SORT {
        pairs.par_sort_unstable_by_key(key);
    } else {
        pairs.sort_unstable_by_key(key);
    }
}
