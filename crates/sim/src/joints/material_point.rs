//! The material point of a body at a place.

use super::{
    attach,
    parts::{Held, PartsToJoin, solid},
};
use impinge_contact::constraint::{Frame, Point};
use nalgebra::{Matrix3, Vector3};

/// Volume over the cube of the size below which four points count as coplanar.
const FLAT: f64 = 1e-6;

/// The material point of a body at `x`. For a free rigid body it is a point of its frame. For others it is given by the
/// weights of the element that contains it up to a contact clearance, or else by the nearest node. A rigid body with a
/// prescribed motion has no frame of its own; four of its nodes replace it.
pub(super) fn point(
    parts: &PartsToJoin<'_>,
    frames: &[Frame],
    held: Option<Held>,
    x: Vector3<f64>,
) -> Point {
    match held {
        None => Point::fixed(x),
        Some(Held {
            rigid: Some(rigid), ..
        }) => Point::on_body(rigid, x - frames[rigid].center),
        Some(Held {
            solid: index,
            slack,
            ..
        }) => {
            let body = solid(parts, index);
            let nodes = body.points.clone();
            if body.tets.is_empty()
                && !body.thin
                && let Some(weights) = affine(parts.rest, nodes.clone(), x)
            {
                return Point::weighted(weights);
            }
            if let Some(attached) = attach::attach(parts, body, x, x, slack)
                && attached.inside
            {
                return attached.point;
            }
            let far = |&point: &usize| (parts.rest[point] - x).norm_squared();
            let nearest = nodes
                .clone()
                .min_by(|a, b| far(a).total_cmp(&far(b)))
                .unwrap_or(nodes.start);
            Point::particle(nearest)
        }
    }
}

/// The place `x` as the weighted mean `Σ w q` of the material points of its carriers there: linear blend skinning.
/// Without carriers it is fixed.
pub(super) fn blended(
    parts: &PartsToJoin<'_>,
    frames: &[Frame],
    carriers: &[(Held, f64)],
    x: Vector3<f64>,
) -> Point {
    if carriers.is_empty() {
        return Point::fixed(x);
    }
    let mut mean = Point::default();
    for &(held, weight) in carriers {
        mean = mean.plus(point(parts, frames, Some(held), x).times(weight));
    }
    mean
}

/// Four points far from each other, with the weights that give `x`; `None` if all points are coplanar.
fn affine(
    rest: &[Vector3<f64>],
    points: std::ops::Range<usize>,
    x: Vector3<f64>,
) -> Option<[(usize, f64); 4]> {
    let first = points.start;
    let arm = |point: usize| rest[point] - rest[first];
    let most = |size: &dyn Fn(usize) -> f64| {
        points
            .clone()
            .max_by(|&a, &b| size(a).total_cmp(&size(b)).then(b.cmp(&a)))
    };
    let second = most(&|point| arm(point).norm())?;
    let third = most(&|point| arm(second).cross(&arm(point)).norm())?;
    let plane = arm(second).cross(&arm(third));
    let fourth = most(&|point| plane.dot(&arm(point)).abs())?;
    let frame = Matrix3::from_columns(&[arm(second), arm(third), arm(fourth)]);
    let size = arm(second).norm();
    if frame.determinant().abs() <= FLAT * size * size * size {
        return None;
    }
    let weights = frame.try_inverse()? * (x - rest[first]);
    Some([
        (first, 1.0 - weights.sum()),
        (second, weights.x),
        (third, weights.y),
        (fourth, weights.z),
    ])
}
