//! Vertices that a straight motion takes into a half-space.

use crate::contacts::contact::ContactKey;
use crate::contacts::step_motion::{Hit, StepMotion};
use crate::model::Model;
use nalgebra::Vector3;

/// Impact of a vertex on a half-space, if there is one.
pub(crate) fn hit_on_half_space(
    model: &Model,
    index: u32,
    vertex: u32,
    motion: StepMotion<'_>,
) -> Option<Hit> {
    if model.geometry.surface.is_passive_point(vertex) {
        return None;
    }
    let half_space = &model.geometry.half_spaces[index as usize];
    let height = |x: &Vector3<f64>| half_space.normal.dot(&(x - half_space.point));
    let (start, end) = (&motion.start[vertex as usize], &motion.end[vertex as usize]);
    let last = height(end);
    // A straight motion crosses a plane if and only if an end is beyond it. The bound covers the rounding of the three
    // products and the difference.
    let rounding = 8.0 * f64::EPSILON * (end.amax() + half_space.point.amax());
    // NaN counts as an impact.
    if last > rounding {
        return None;
    }
    let first = height(start);
    let key = ContactKey::VertexHalfSpace {
        vertex,
        half_space: index,
    };
    Some(Hit {
        key,
        time: (first / (first - last)).clamp(0.0, 1.0),
        work_limited: false,
    })
}
