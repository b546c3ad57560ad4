//! Closest point of a segment, the boundary case of both distances.

use nalgebra::Vector3;

/// Parameter in `[0, 1]` of the point of `start + t·direction` closest to `point`, and the squared distance.
///
/// A zero-length segment answers `t = 0`.
#[inline]
pub(super) fn closest_parameter(
    point: &Vector3<f64>,
    start: &Vector3<f64>,
    direction: &Vector3<f64>,
) -> (f64, f64) {
    let offset = point - start;
    let length_squared = direction.norm_squared();
    let t = if length_squared > 0.0 {
        (offset.dot(direction) / length_squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (t, (offset - direction * t).norm_squared())
}
