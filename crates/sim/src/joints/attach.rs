//! Points of deformable bodies by barycentric weights, in the elements that hold them.

use super::parts::PartsToJoin;
use crate::geometry::Body;
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

/// `x` on a solid or thin body: of a solid in the element that holds `at`, or else in the one whose weights miss it
/// least; of a thin body in the triangle nearest to `x`. Across a gap between the surface at `at` and `x` the element
/// is taken to go on.
///
/// A place counts as inside up to `slack` (m) off an element: surfaces that touch something at the start recede by up
/// to a contact clearance. A weight misses by that over the height of its corner. The point is `x` all the same: of a
/// solid its element goes on, of a sheet the rest is a constant.
pub(super) fn attach(
    parts: &PartsToJoin<'_>,
    body: &Body,
    x: Vector3<f64>,
    at: Vector3<f64>,
    slack: f64,
) -> Option<Attached> {
    if !body.tets.is_empty() {
        let near = best(parts, body, [x, at], slack, true);
        if near.as_ref().is_some_and(|attached| attached.inside) {
            return near;
        }
    }
    best(parts, body, [x, at], slack, false)
}

/// That of all elements, or of those alone whose boxes hold `at`.
fn best(
    parts: &PartsToJoin<'_>,
    body: &Body,
    [x, at]: [Vector3<f64>; 2],
    slack: f64,
    in_boxes: bool,
) -> Option<Attached> {
    let tets = parts.tets[body.tets.clone()].iter();
    let solid = tets.filter_map(|tet| {
        let corners = tet.map(|node| parts.rest[node as usize]);
        if in_boxes && !box_holds(&corners, &at, slack) {
            return None;
        }
        let [a, b, c, d] = corners;
        let edges = Matrix3::from_columns(&[b - a, c - a, d - a]);
        let inverse = edges.try_inverse()?;
        let of = |x: Vector3<f64>| {
            let w = inverse * (x - a);
            [1.0 - w.sum(), w.x, w.y, w.z]
        };
        let of_at = of(at);
        // The gradient of a weight is 1 over the height of its corner.
        let [b, c, d] = [0, 1, 2].map(|row| inverse.row(row).transpose());
        let gradients = [-(b + c + d), b, c, d];
        let least = |slack: f64| {
            let ways = of_at.iter().zip(&gradients);
            ways.map(|(weight, gradient)| weight + slack * gradient.norm())
                .fold(f64::INFINITY, f64::min)
        };
        let missed = [slack, 0.0].map(|slack| (-least(slack)).max(0.0));
        Some((tet.as_slice(), of(x), 4, missed, 0.0))
    });
    let surface = if body.thin {
        parts.triangles[body.triangles.clone()].iter()
    } else {
        [].iter()
    };
    let thin = surface.map(|triangle| {
        let corners = triangle.map(|node| parts.rest[node as usize]);
        let ([a, b, c], apart) = on_triangle(corners, &x);
        let size = (corners[0] - corners[1]).norm();
        // A point above a triangle is as far off as one beside it.
        let miss = (-a.min(b).min(c)).max(apart / size).max(0.0);
        let missed = [((apart - slack) / size).max(0.0), miss];
        (triangle.as_slice(), [a, b, c, 0.0], 3, missed, apart)
    });
    // By what is missed beyond the slack, then by what is missed at all.
    let mut best: Option<([f64; 2], Attached)> = None;
    for (nodes, weights, count, missed, apart) in solid.chain(thin) {
        let weights = &weights[..count];
        if best.as_ref().is_some_and(|(known, _)| *known <= missed) {
            continue;
        }
        let corner = weights.iter().position(|&w| w > CORNER);
        let is_corner = weights.iter().all(|&w| w >= CORNER - 1.0);
        let mut point = if let Some(corner) = corner.filter(|_| is_corner) {
            Point::particle(nodes[corner] as usize)
        } else {
            let nodes = nodes.iter().map(|&node| node as usize);
            Point::weighted(nodes.zip(weights.iter().copied()))
        };
        let inside = missed[0] <= INSIDE;
        if inside && count == 3 && missed[1] > INSIDE {
            let corners = nodes.iter().map(|&node| parts.rest[node as usize]);
            let made: Vector3<f64> = corners.zip(weights).map(|(x, &w)| x * w).sum();
            point.constant = x - made;
        }
        let attached = Attached {
            point,
            inside,
            apart: if inside { 0.0 } else { apart },
        };
        best = Some((missed, attached));
    }
    best.map(|(_, attached)| attached)
}

/// Whether the box around `corners`, wider by `slack` (m) and by what rounding may miss, holds `x`.
fn box_holds(corners: &[Vector3<f64>; 4], x: &Vector3<f64>, slack: f64) -> bool {
    let [a, b, c, d] = corners;
    let (lower, upper) = (a.inf(b).inf(c).inf(d), a.sup(b).sup(c).sup(d));
    let off = (x - x.sup(&lower).inf(&upper)).amax();
    off <= slack + INSIDE * (upper - lower).amax()
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
