//! All pairs, the oracle for every other broad phase.

use super::{Aabb, BroadPhase, CandidateSet, assert_boxes};
use crate::surface::CollisionSurface;

/// Tests every vertex against every face and every edge against every other: quadratic, for tests and tiny scenes.
#[derive(Clone, Copy, Debug, Default)]
pub struct BruteForce;

impl BroadPhase for BruteForce {
    fn collect(
        &mut self,
        surface: &CollisionSurface,
        point_boxes: &[Aabb],
        out: &mut CandidateSet,
    ) {
        assert_boxes(surface, point_boxes);
        out.clear();
        let box_of = |points: &[u32]| {
            Aabb::of_boxes(points.iter().map(|&point| &point_boxes[point as usize]))
        };
        for &vertex in surface.vertices() {
            for (face, corners) in (0..).zip(surface.triangles()) {
                if surface.may_touch(&[vertex], corners)
                    && box_of(&[vertex]).overlaps(&box_of(corners))
                {
                    out.vertex_face.push([vertex, face]);
                }
            }
        }
        for (first, ends) in (0..).zip(surface.edges()) {
            for (second, other) in (0..).zip(surface.edges()).skip(first as usize + 1) {
                if surface.may_touch(ends, other) && box_of(ends).overlaps(&box_of(other)) {
                    out.edge_edge.push([first, second]);
                }
            }
        }
    }
}
