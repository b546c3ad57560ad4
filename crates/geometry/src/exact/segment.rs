//! A segment against a segment and against a triangle.

use nalgebra::Vector3;

use super::predicate::{Orientation, Projection, all_on_one_side, in_box, tet_orientation};

/// Whether two closed segments share a point, exactly. Segments of zero length act as points.
pub fn segments_intersect(first: &[Vector3<f64>; 2], second: &[Vector3<f64>; 2]) -> bool {
    let ([p, q], [r, s]) = (first, second);
    if tet_orientation(&[*p, *q, *r, *s]) != Orientation::Degenerate {
        return false;
    }
    // Any three points that are not in one line span the common plane.
    let spanning = [[*p, *q, *r], [*p, *q, *s], [*p, *r, *s], [*q, *r, *s]]
        .iter()
        .find_map(Projection::of_plane);
    match spanning {
        Some(plane) => coplanar_segments_intersect(plane, first, second),
        // All in one line: then the segments overlap if and only if an end of one is on the other.
        None => in_box(p, second) || in_box(q, second) || in_box(r, first) || in_box(s, first),
    }
}

/// Whether a closed segment and a closed triangle share a point, exactly. Either may be degenerate.
pub fn segment_crosses_triangle(segment: &[Vector3<f64>; 2], triangle: &[Vector3<f64>; 3]) -> bool {
    let ([p, q], [a, b, c]) = (segment, triangle);
    let side_of_p = tet_orientation(&[*a, *b, *c, *p]);
    let side_of_q = tet_orientation(&[*a, *b, *c, *q]);
    if side_of_p == side_of_q && side_of_p != Orientation::Degenerate {
        return false;
    }
    if side_of_p == Orientation::Degenerate && side_of_q == Orientation::Degenerate {
        return match Projection::of_plane(triangle) {
            Some(plane) => coplanar_segment_crosses_triangle(plane, segment, triangle),
            // A triangle collapsed to a line is covered by its sides.
            None => sides(triangle)
                .iter()
                .any(|side| segments_intersect(segment, side)),
        };
    }
    // The segment's line meets the plane in one point, which lies on the segment. The point is in the triangle if and
    // only if the line passes all three sides on the same side.
    all_on_one_side([
        tet_orientation(&[*p, *q, *a, *b]),
        tet_orientation(&[*p, *q, *b, *c]),
        tet_orientation(&[*p, *q, *c, *a]),
    ])
}

/// The three sides of a triangle.
pub(super) fn sides(triangle: &[Vector3<f64>; 3]) -> [[Vector3<f64>; 2]; 3] {
    let [a, b, c] = *triangle;
    [[a, b], [b, c], [c, a]]
}

/// As [`segments_intersect`] for four points of one plane on which the projection is one-to-one.
fn coplanar_segments_intersect(
    plane: Projection,
    first: &[Vector3<f64>; 2],
    second: &[Vector3<f64>; 2],
) -> bool {
    let ([p, q], [r, s]) = (first, second);
    let side_of_p = plane.orientation(r, s, p);
    let side_of_q = plane.orientation(r, s, q);
    let side_of_r = plane.orientation(p, q, r);
    let side_of_s = plane.orientation(p, q, s);
    let on =
        |side: Orientation, point, ends| side == Orientation::Degenerate && in_box(point, ends);
    (side_of_p.opposes(side_of_q) && side_of_r.opposes(side_of_s))
        || on(side_of_p, p, second)
        || on(side_of_q, q, second)
        || on(side_of_r, r, first)
        || on(side_of_s, s, first)
}

fn coplanar_segment_crosses_triangle(
    plane: Projection,
    segment: &[Vector3<f64>; 2],
    triangle: &[Vector3<f64>; 3],
) -> bool {
    let within = all_on_one_side(
        sides(triangle).map(|[from, to]| plane.orientation(&from, &to, &segment[0])),
    );
    within
        || sides(triangle)
            .iter()
            .any(|side| coplanar_segments_intersect(plane, segment, side))
}
