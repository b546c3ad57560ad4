//! Points of deformable bodies by barycentric weights, in the elements that hold them.

use super::PartsToJoin;
use crate::model::Body;
use impinge_contact::constraint::Point;
use nalgebra::{Matrix3, Vector3};

/// Barycentric weight below 0 by which a place may miss an element and still be on it, and distance from a triangle over its
/// longest edge: rounding of files and of placements.
const INSIDE: f64 = 1e-6;

/// Weight of a corner above which a place is that corner.
const CORNER: f64 = 1.0 - 1e-9;

/// A place on a body.
pub(super) struct Attached {
    /// It as a function of nodes.
    pub(super) point: Point,
    /// Whether an element holds it.
    pub(super) inside: bool,
    /// How far it is from what the weights make (m): off a sheet. Nothing is off a solid, whose elements go on.
    pub(super) apart: f64,
}

/// `x` on a solid or thin body: of a solid in the element that holds `at`, or else in the one whose weights miss it least; of a thin body in the
/// triangle nearest to `x`. Across a gap between the surface at `at` and `x` the element is taken to go on.
pub(super) fn attach(
    parts: &PartsToJoin<'_>,
    body: &Body,
    x: Vector3<f64>,
    at: Vector3<f64>,
) -> Option<Attached> {
    let tets = parts.tets[body.tets.clone()].iter();
    let solid = tets.filter_map(|tet| {
        let [a, b, c, d] = tet.map(|node| parts.rest[node as usize]);
        let edges = Matrix3::from_columns(&[b - a, c - a, d - a]);
        let inverse = edges.try_inverse()?;
        let of = |x: Vector3<f64>| {
            let w = inverse * (x - a);
            [1.0 - w.sum(), w.x, w.y, w.z]
        };
        Some((tet.as_slice(), of(x), of(at), 4, 0.0))
    });
    let surface = if body.thin {
        parts.triangles[body.triangles.clone()].iter()
    } else {
        [].iter()
    };
    let thin = surface.map(|triangle| {
        let (weights, apart) = on_triangle(triangle.map(|node| parts.rest[node as usize]), &x);
        let [a, b, c] = weights;
        let weights = [a, b, c, 0.0];
        (triangle.as_slice(), weights, weights, 3, apart)
    });
    let mut best: Option<(f64, Attached)> = None;
    for (nodes, weights, weights_at, count, apart) in solid.chain(thin) {
        let weights = &weights[..count];
        let least = weights_at[..count]
            .iter()
            .copied()
            .fold(f64::INFINITY, f64::min);
        let size = (parts.rest[nodes[0] as usize] - parts.rest[nodes[1] as usize]).norm();
        // What is off a triangle is missed as much as what is beside it.
        let miss = (-least).max(apart / size).max(0.0);
        if best.as_ref().is_some_and(|(known, _)| *known <= miss) {
            continue;
        }
        let corner = weights.iter().position(|&w| w > CORNER);
        let is_corner = weights.iter().all(|&w| w >= CORNER - 1.0);
        let point = if let Some(corner) = corner.filter(|_| is_corner) {
            Point::particle(nodes[corner] as usize)
        } else {
            let nodes = nodes.iter().map(|&node| node as usize);
            Point::weighted(nodes.zip(weights.iter().copied()))
        };
        let inside = miss <= INSIDE;
        let attached = Attached {
            point,
            inside,
            apart: if inside { 0.0 } else { apart },
        };
        best = Some((miss, attached));
    }
    best.map(|(_, attached)| attached)
}

/// Weights of the place in the plane of a triangle nearest to `x`, and how far the nearest place of the triangle is (m).
fn on_triangle([a, b, c]: [Vector3<f64>; 3], x: &Vector3<f64>) -> ([f64; 3], f64) {
    let (u, v, p) = (b - a, c - a, x - a);
    let (uu, uv, vv) = (u.norm_squared(), u.dot(&v), v.norm_squared());
    let determinant = uu * vv - uv * uv;
    let s = (vv * p.dot(&u) - uv * p.dot(&v)) / determinant;
    let t = (uu * p.dot(&v) - uv * p.dot(&u)) / determinant;
    let weights = [1.0 - s - t, s, t];
    let inside = weights.map(|w| w.max(0.0));
    let sum: f64 = inside.iter().sum();
    let near = (a * inside[0] + b * inside[1] + c * inside[2]) / sum;
    (weights, (x - near).norm())
}
