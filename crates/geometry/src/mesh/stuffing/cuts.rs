//! Crossings of lattice edges and the surface.

use nalgebra::Vector3;
use parry3d_f64::bounding_volume::Aabb as ParryAabb;
use parry3d_f64::math::Vector as ParryVector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use rayon::prelude::*;

use super::inside::Sign;
use super::lattice::{LONG_NEIGHBOURS, Lattice, NEIGHBOURS};
use crate::distance::{edge_edge, point_triangle};
use crate::exact::segment_crosses_triangle;
use crate::mesh::TriangleMesh;

/// The crossing of a lattice edge from an inner point to an outer one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cut {
    /// The inner point.
    pub(super) inner: u32,
    /// The outer point.
    pub(super) outer: u32,
    /// Parameter of the crossing: 0 at the inner point, 1 at the outer one.
    pub(super) t: f64,
    /// Whether the edge is one of the long ones.
    pub(super) long: bool,
}

/// All crossings, ascending by inner and outer point; where an edge crosses the surface several times, the one nearest
/// to the inner point.
pub(super) fn cuts(surface: &TriangleMesh, lattice: &Lattice, signs: &[Sign]) -> Vec<Cut> {
    let boxes = (0..surface.triangles().len())
        .map(|triangle| boxed(&surface.corners(triangle)))
        .enumerate();
    let tree = Bvh::from_iter(BvhBuildStrategy::Binned, boxes);
    (0..lattice.len() as u32)
        .into_par_iter()
        .filter(|&point| signs[point as usize] == Sign::Inside)
        .flat_map_iter(|inner| {
            let place = lattice.place(inner);
            let mut found: Vec<(u32, bool)> = NEIGHBOURS
                .iter()
                .enumerate()
                .filter_map(|(index, &offset)| {
                    let outer = lattice.neighbour(place, offset)?;
                    (signs[outer as usize] == Sign::Outside)
                        .then_some((outer, index < LONG_NEIGHBOURS))
                })
                .collect();
            found.sort_unstable();
            found
                .into_iter()
                .map(move |(outer, long)| (inner, outer, long))
        })
        .map(|(inner, outer, long)| Cut {
            inner,
            outer,
            t: first_crossing(
                surface,
                &tree,
                [lattice.position(inner), lattice.position(outer)],
            ),
            long,
        })
        .collect()
}

/// Position of a cut.
pub(super) fn position(lattice: &Lattice, cut: &Cut) -> Vector3<f64> {
    let (inner, outer) = (lattice.position(cut.inner), lattice.position(cut.outer));
    inner + (outer - inner) * cut.t
}

/// The least `t` at which the segment meets the surface; its ends lie on different sides of the surface.
///
/// The exact test finds at least one triangle: the ends are inside and outside after an infinitesimal move, and a
/// triangle that the moved segment meets for every size of the move also meets the segment itself.
fn first_crossing(surface: &TriangleMesh, tree: &Bvh, segment: [Vector3<f64>; 2]) -> f64 {
    tree.intersect_aabb(&boxed(&segment))
        .map(|triangle| surface.corners(triangle as usize))
        .filter(|triangle| segment_crosses_triangle(&segment, triangle))
        .map(|triangle| crossing(&segment, &triangle))
        .fold(1.0, f64::min)
}

/// Parameter at which a segment meets a triangle, which it is known to meet.
fn crossing(segment: &[Vector3<f64>; 2], triangle: &[Vector3<f64>; 3]) -> f64 {
    let [a, b, c] = triangle;
    let normal = (b - a).cross(&(c - a));
    let heights = segment.map(|end| normal.dot(&(end - a)));
    if heights[0] * heights[1] < 0.0 {
        return (heights[0] / (heights[0] - heights[1])).clamp(0.0, 1.0);
    }
    // An end, or the whole segment, lies on the plane: the first of its start and its crossings of the sides.
    let sides = [[*a, *b], [*b, *c], [*c, *a]].map(|side| {
        let closest = edge_edge(segment, &side);
        (closest.distance_squared, closest.a)
    });
    let ends = [0.0, 1.0].map(|t| {
        let end = if t > 0.0 { &segment[1] } else { &segment[0] };
        (point_triangle(end, triangle).distance_squared, t)
    });
    sides
        .into_iter()
        .chain(ends)
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)))
        .map_or(0.0, |(_, t)| t)
}

/// The box of some points in the types of `parry`; its values are `f64` too, so nothing is rounded.
pub(super) fn boxed(points: &[Vector3<f64>]) -> ParryAabb {
    let (lower, upper) = points
        .iter()
        .fold((points[0], points[0]), |(lower, upper), p| {
            (lower.inf(p), upper.sup(p))
        });
    let vector = |v: Vector3<f64>| ParryVector::new(v.x, v.y, v.z);
    ParryAabb::new(vector(lower), vector(upper))
}
