//! Assumptions of a certificate about a point, and its guards against rounding.

use nalgebra::Vector3;

/// A point with a velocity bound.
///
/// At time `t` after the certificate was made, the point is within `ρ t` of `x + v t`: its velocity may change at any
/// time as long as it stays within `ρ` of `v`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingPoint {
    /// `x`: present position (m).
    pub position: Vector3<f64>,
    /// `v`: centre of the velocity bound (m/s).
    pub velocity: Vector3<f64>,
    /// `ρ`: radius of the velocity bound (m/s), not negative.
    pub deviation: f64,
}

impl MovingPoint {
    /// A point at rest.
    pub fn at_rest(position: Vector3<f64>) -> Self {
        Self {
            position,
            velocity: Vector3::zeros(),
            deviation: 0.0,
        }
    }

    /// A point of constant velocity.
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

/// Most roundings of the position of a point per second: each time its trajectory continues from a new position, that
/// position is off by at most `2 u` of its size.
const MOST_ROUNDINGS: f64 = 1e10;

/// `δ = 16 u X`: bound of the rounding errors of a clearance between points with coordinates up to `X` (m).
///
/// It covers six products and six sums of numbers up to `2 X` each, with a normal whose length is 1 up to `4 u`.
#[inline]
pub(super) fn length_guard(largest: f64) -> f64 {
    16.0 * UNIT * largest
}

/// Bound of the rounding error of a closing speed (m/s): of its evaluation, for velocities up to `speed` (m/s) along
/// each axis, and of continued trajectories at positions up to `largest` (m).
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
        // A number that is not finite proves nothing.
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
