//! Directions from the origin to the closest point of a difference of primitives.
//!
//! These are candidate directions, which `slab` verifies. The vector to the closest point is good enough only while the
//! distance `δ` is above about `√ε L`, with `L` the size: its direction is off by `ε L/δ`, which lifts the other
//! corners of the closest face by `ε L²/δ`. Hence the direction is made perpendicular to the closest feature
//! explicitly, which keeps it useful down to `δ ≈ ε L`.

use nalgebra::Vector3;

use crate::distance::{EdgePart, TriangleFeature, edge_edge, point_triangle};

/// Direction to the triangle of the three differences `p − a`, `p − b`, `p − c`.
#[inline]
pub(super) fn from_triangle(d: &[Vector3<f64>; 3]) -> Vector3<f64> {
    let closest = point_triangle(&Vector3::zeros(), d);
    let [wa, wb, wc] = closest.barycentric;
    let point = d[0] * wa + d[1] * wb + d[2] * wc;
    match closest.feature {
        TriangleFeature::Face => normal_towards(&(d[1] - d[0]), &(d[2] - d[0]), &point, &d[0]),
        TriangleFeature::Edge(i) => perpendicular(&point, &(d[(i + 1) % 3] - d[i])),
        TriangleFeature::Vertex(_) => point,
    }
}

/// Direction to the parallelogram of the four differences `a0 − b0`, `a1 − b0`, `a0 − b1`, `a1 − b1`.
#[inline]
pub(super) fn from_parallelogram(d: &[Vector3<f64>; 4]) -> Vector3<f64> {
    let (along_a, along_b) = (d[1] - d[0], d[0] - d[2]);
    let closest = edge_edge(&[d[0], d[1]], &[Vector3::zeros(), along_b]);
    let point = d[0] + along_a * closest.a - along_b * closest.b;
    match (closest.part_a, closest.part_b) {
        (EdgePart::Interior, EdgePart::Interior) => {
            normal_towards(&along_a, &along_b, &point, &d[0])
        }
        (EdgePart::Interior, _) => perpendicular(&point, &along_a),
        (_, EdgePart::Interior) => perpendicular(&point, &along_b),
        _ => point,
    }
}

/// Normal of the plane of `u` and `v` that points to the plane's side of the origin; `corner` is a point of the plane.
#[inline]
fn normal_towards(
    u: &Vector3<f64>,
    v: &Vector3<f64>,
    point: &Vector3<f64>,
    corner: &Vector3<f64>,
) -> Vector3<f64> {
    let normal = u.cross(v);
    // The corner decides the side more precisely than the closest point, which is nearly zero in the difficult cases.
    let side = normal.dot(corner);
    if side > 0.0 {
        normal
    } else if side < 0.0 {
        -normal
    } else {
        *point
    }
}

/// The part of `point` perpendicular to `edge`.
#[inline]
fn perpendicular(point: &Vector3<f64>, edge: &Vector3<f64>) -> Vector3<f64> {
    point - edge * (point.dot(edge) / edge.norm_squared())
}
