//! Points of deformable bodies as barycentric combinations of the nodes of an element.

use super::parts::PartsToJoin;
use crate::geometry::Body;
use impinge_contact::constraint::Point;
use nalgebra::{Matrix3, Vector3};

/// Relative tolerance of a place on an element, for rounding of files and placements: of a negative barycentric weight,
/// and of the distance from a triangle over its longest edge.
const INSIDE: f64 = 1e-6;

/// Weight of a corner above which a place is identified with that corner.
const CORNER: f64 = 1.0 - 1e-9;

/// A place on a body.
pub(super) struct Attached {
    /// The place as a function of nodes.
    pub(super) point: Point,
    /// Whether it is on an element.
    pub(super) inside: bool,
    /// Distance (m) between the place and the combination of nodes: nonzero beside a sheet only, since the elements of
    /// a solid are extrapolated.
    pub(super) apart: f64,
}

/// `x` on a solid or thin body. For a solid, the element is the one that contains `at`, or else the one whose weights
/// are violated least. For a thin body, it is the triangle nearest to `x`. Across a gap between the surface at `at` and
/// `x`, the element is extrapolated.
///
/// A place counts as inside up to `slack` (m) off an element: touching surfaces are offset at the start by up to a
/// contact clearance. The tolerance of a weight is `slack` over the height of its corner. The point is `x` in all
/// cases: a solid extrapolates its element, a sheet adds a constant.
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

/// The best of all elements, or only of those whose boxes contain `at`.
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
        // The gradient of a weight has length 1 over the height of its corner.
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
        // Distance above a triangle counts like distance beside it.
        let miss = (-a.min(b).min(c)).max(apart / size).max(0.0);
        let missed = [((apart - slack) / size).max(0.0), miss];
        (triangle.as_slice(), [a, b, c, 0.0], 3, missed, apart)
    });
    // Ordered by the violation beyond the slack, then by the violation itself.
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

/// Whether the box around `corners`, enlarged by `slack` (m) and the tolerance of rounding, contains `x`.
fn box_holds(corners: &[Vector3<f64>; 4], x: &Vector3<f64>, slack: f64) -> bool {
    let [a, b, c, d] = corners;
    let (lower, upper) = (a.inf(b).inf(c).inf(d), a.sup(b).sup(c).sup(d));
    let off = (x - x.sup(&lower).inf(&upper)).amax();
    off <= slack + INSIDE * (upper - lower).amax()
}

/// Weights of the nearest place to `x` in the plane of a triangle, and the distance (m) of the nearest place of the
/// triangle.
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
