//! Pass-through impacts: impacts of a pair inside a body, or on its way out.

use crate::contacts::step_motion::{Hit, StepMotion};
use crate::contacts::{
    admissible::between_solids,
    contact::ContactKey,
    linearise::closest_weights,
    stencil::{solids_of, stencil_of},
};
use crate::geometry::Geometry;
use nalgebra::Vector3;
use std::collections::BTreeSet;

/// A feature that a motion takes into a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Entering {
    Vertex(u32),
    Edge(u32),
}

/// Whether `hit` is a vertex or an edge that leaves a body which it entered during the same motion, or that moves on
/// within it. `inside` collects the features that have entered.
///
/// A pass-through impact gets no contact: once the entry is prevented, it does not occur. As a row it would push the
/// feature farther in, against the row of the entry. Where the two share a ridge or a hollow, only huge forces satisfy
/// both: without this rule the coarse armadillo between rollers takes an eighth more iterations.
pub(crate) fn passes_through(
    inside: &mut BTreeSet<(Entering, usize)>,
    geometry: &Geometry,
    hit: &Hit,
    motion: StepMotion<'_>,
) -> bool {
    let [first, second] = solids_of(geometry, hit.key);
    let pairs = match hit.key {
        ContactKey::VertexFace { vertex, .. } if !geometry.solid(second).two_sided => {
            [(Entering::Vertex(vertex), second); 2]
        }
        ContactKey::EdgeEdge {
            first: one,
            second: other,
        } if !geometry.solid(first).two_sided && !geometry.solid(second).two_sided => [
            (Entering::Edge(one), second),
            (Entering::Edge(other), first),
        ],
        _ => return false,
    };
    let enters = outward_speed(geometry, hit, motion).is_some_and(|speed| speed <= 0.0);
    if enters {
        inside.extend(pairs);
        false
    } else {
        pairs.iter().any(|pair| inside.contains(pair))
    }
}

/// Speed of the first side along the outward direction of the second side's body, up to a positive factor. `None` if
/// the edges of the pair do not determine that direction.
fn outward_speed(geometry: &Geometry, hit: &Hit, motion: StepMotion<'_>) -> Option<f64> {
    let at = |point: u32| {
        let start = motion.start[point as usize];
        start + (motion.end[point as usize] - start) * hit.time
    };
    let (points, _) = stencil_of(geometry, hit.key);
    let corners = points.map(at);
    let weights = closest_weights(hit.key, &corners);
    let approach: Vector3<f64> = points
        .iter()
        .zip(weights)
        .map(|(&point, w)| (motion.end[point as usize] - motion.start[point as usize]) * w)
        .sum();
    let [p, a, b, c] = corners;
    let outwards = match hit.key {
        ContactKey::EdgeEdge { first, second } => {
            between_solids(geometry, [first, second], at, (a - p).cross(&(c - b)))?
        }
        _ => (b - a).cross(&(c - a)),
    };
    Some(approach.dot(&outwards))
}
