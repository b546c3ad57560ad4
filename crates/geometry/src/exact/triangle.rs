//! A triangle against a triangle, with and without common corners.

use nalgebra::Vector3;

use super::predicate::{Orientation, Projection, tet_orientation};
use super::segment::{segment_crosses_triangle, sides};

/// Whether two closed triangles share a point, exactly. Touching counts; triangles may be coplanar or degenerate.
///
/// The common part is convex, so it has an extreme point, and that lies on a side of one of them.
pub fn triangles_intersect(first: &[Vector3<f64>; 3], second: &[Vector3<f64>; 3]) -> bool {
    if one_sided(first, second) || one_sided(second, first) {
        return false;
    }
    sides(first)
        .iter()
        .any(|side| segment_crosses_triangle(side, second))
        || sides(second)
            .iter()
            .any(|side| segment_crosses_triangle(side, first))
}

/// Whether the plane of `triangle` has all of `other` strictly on one side.
fn one_sided(triangle: &[Vector3<f64>; 3], other: &[Vector3<f64>; 3]) -> bool {
    let [a, b, c] = *triangle;
    let [p, q, r] = other.map(|corner| tet_orientation(&[a, b, c, corner]));
    p != Orientation::Degenerate && p == q && q == r
}

/// Whether triangles with exactly the corner `apex` in common meet anywhere else; the other corners are `first` and
/// `second`.
///
/// From the apex, the common part extends until it leaves one of the triangles, through the side opposite to the apex.
pub(super) fn meet_beyond_apex(
    apex: Vector3<f64>,
    first: [Vector3<f64>; 2],
    second: [Vector3<f64>; 2],
) -> bool {
    segment_crosses_triangle(&first, &[apex, second[0], second[1]])
        || segment_crosses_triangle(&second, &[apex, first[0], first[1]])
}

/// Whether triangles with exactly the side `hinge` in common meet anywhere else: folded flat onto each other.
///
/// Degenerate triangles, whose third corner is in line with the hinge, do not count as folded.
pub(super) fn folded_flat(
    hinge: [Vector3<f64>; 2],
    first: Vector3<f64>,
    second: Vector3<f64>,
) -> bool {
    let [u, v] = hinge;
    if tet_orientation(&[u, v, first, second]) != Orientation::Degenerate {
        return false;
    }
    Projection::of_plane(&[u, v, first]).is_some_and(|plane| {
        plane.orientation(&u, &v, &first) == plane.orientation(&u, &v, &second)
    })
}
