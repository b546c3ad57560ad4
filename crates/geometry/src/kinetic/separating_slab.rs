//! Separating slabs: proofs, with an expiry time, that two features stay apart.

use super::certificate::{MovingPoint, length_guard, magnitudes, speed_guard, waiting_time};
use super::feature_pair::PairKind;
use nalgebra::Vector3;

/// Time (s) for which the two features of a pair provably stay farther apart than `separation` (m); infinite if the
/// velocity bounds allow no approach.
///
/// Between the features lies a slab with normal `n` as long as every point `a` of the first side and every point `b` of
/// the second have `n · (x_a − x_b) > η`. Each of these differences is linear in time up to the deviations, so with
/// `s_ab = n · (x_a − x_b) − η` and the closing speed `c_ab = n · (v_b − v_a) + ρ_a + ρ_b`
///
/// ```text
/// t = min over a, b of  s_ab / c_ab      where c_ab > 0
/// ```
///
/// As hulls of their points, the features then lie in half-spaces that are `η` apart. The normal is constant, so the
/// time is short for a pair that turns; use the longer of this and [`distance_waiting_time`].
///
/// # Shapes and units
/// Points in the order of [`PairKind`]; `normal` of length 1 up to a few roundings, from the second side to the first.
///
/// # Source
/// Harmon et al. 2012, section 4.1; differs from it in: the slab is the widest one at every time, instead of one of
/// constant velocity `V` and width `η`, with `s_a = n · (x_a − c) − η/2` and `c_a = n · (V − v_a)` on each side. It
/// outlasts every slab of the same normal.
#[inline]
pub fn slab_waiting_time(
    kind: PairKind,
    normal: &Vector3<f64>,
    points: &[MovingPoint; 4],
    separation: f64,
) -> f64 {
    let (largest, speed) = magnitudes(points);
    let margin = separation + length_guard(largest);
    let guard = speed_guard(largest, speed);
    let split = kind.first_side();
    let mut earliest = f64::INFINITY;
    for a in &points[..split] {
        for b in &points[split..] {
            let clearance = normal.dot(&(a.position - b.position)) - margin;
            let rate = normal.dot(&(b.velocity - a.velocity)) + a.deviation + b.deviation + guard;
            earliest = earliest.min(waiting_time(clearance, rate));
        }
    }
    earliest
}

/// Time (s) for which two features that are `distance` (m) apart provably stay farther apart than `separation` (m).
///
/// Points of the features are convex combinations of their corners, and so are the relative velocities of any two of
/// them; the distance therefore changes at most at the largest relative speed of two corners. This needs no normal.
#[inline]
pub fn distance_waiting_time(
    kind: PairKind,
    distance: f64,
    points: &[MovingPoint; 4],
    separation: f64,
) -> f64 {
    let (largest, speed) = magnitudes(points);
    let split = kind.first_side();
    let mut fastest = 0.0_f64;
    for a in &points[..split] {
        for b in &points[split..] {
            fastest = fastest.max((b.velocity - a.velocity).norm() + a.deviation + b.deviation);
        }
    }
    waiting_time(
        distance - separation - 2.0 * length_guard(largest),
        fastest + speed_guard(largest, speed),
    )
}

/// Time (s) for which a point provably stays farther than `separation` (m) in front of the resting plane `normal · x =
/// offset` (m).
#[inline]
pub fn plane_waiting_time(
    normal: &Vector3<f64>,
    offset: f64,
    point: &MovingPoint,
    separation: f64,
) -> f64 {
    let largest = point.position.amax().max(offset.abs());
    let speed = point.velocity.amax() + point.deviation;
    waiting_time(
        normal.dot(&point.position) - offset - separation - length_guard(largest),
        point.deviation - normal.dot(&point.velocity) + speed_guard(largest, speed),
    )
}
