//! What a certificate assumes of a point, and how it guards itself against rounding.

use nalgebra::Vector3;

/// A point that keeps a promise about its velocity.
///
/// At time `t` after the certificate was made, whatever happens in between, the point is within `ρ t` of `x + v t`: its
/// velocity may change as often as it likes as long as it stays within `ρ` of `v`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingPoint {
    /// `x`: where it is now (m).
    pub position: Vector3<f64>,
    /// `v`: the velocity that it keeps near (m/s).
    pub velocity: Vector3<f64>,
    /// `ρ`: by how much its velocity may differ from that (m/s), not negative.
    pub deviation: f64,
}

impl MovingPoint {
    /// A point that stays where it is.
    pub fn at_rest(position: Vector3<f64>) -> Self {
        Self {
            position,
            velocity: Vector3::zeros(),
            deviation: 0.0,
        }
    }

    /// A point that never changes its velocity.
    pub fn steady(position: Vector3<f64>, velocity: Vector3<f64>) -> Self {
        Self {
            position,
            velocity,
            deviation: 0.0,
        }
    }
}

/// `u`, the rounding unit of a double.
const UNIT: f64 = f64::EPSILON / 2.0;

/// How often the position of a point may be rounded, per second: each time its trajectory is continued from a new
/// position, that position is off by at most `2 u` of its size.
const MOST_ROUNDINGS: f64 = 1e10;

/// `δ = 16 u X`: bound of the rounding errors of a clearance between points with coordinates up to `X` (m).
///
/// Six products and as many sums of numbers up to `2 X` each, with a normal whose length is 1 up to `4 u`.
#[inline]
pub(super) fn length_guard(largest: f64) -> f64 {
    16.0 * UNIT * largest
}

/// Bound of what rounding adds to a closing speed (m/s): of its evaluation, for velocities up to `speed` (m/s) along each
/// axis, and of continued trajectories at positions up to `largest` (m).
#[inline]
pub(super) fn speed_guard(largest: f64, speed: f64) -> f64 {
    16.0 * UNIT * speed + 2.0 * UNIT * MOST_ROUNDINGS * largest
}

/// Time until a clearance (m) that closes at `rate` (m/s) is used up, rounded down; infinite if it never is.
#[inline]
pub(super) fn waiting_time(clearance: f64, rate: f64) -> f64 {
    if clearance <= 0.0 {
        0.0
    } else if rate <= 0.0 {
        f64::INFINITY
    } else if clearance.is_nan() || rate.is_nan() {
        // Of a number that is not finite nothing is certain.
        0.0
    } else {
        clearance / rate * (1.0 - 8.0 * UNIT)
    }
}

/// Largest coordinate and largest velocity component among some points.
#[inline]
pub(super) fn magnitudes(points: &[MovingPoint]) -> (f64, f64) {
    points
        .iter()
        .fold((0.0, 0.0), |(position, velocity), point| {
            (
                point.position.amax().max(position),
                (point.velocity.amax() + point.deviation).max(velocity),
            )
        })
}
