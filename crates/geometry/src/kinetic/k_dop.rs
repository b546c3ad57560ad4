//! k-DOPs: volumes bounded by pairs of parallel planes in thirteen fixed directions.

use super::certificate::{MovingPoint, length_guard, speed_guard, waiting_time};
use nalgebra::Vector3;
use std::f64::consts::FRAC_1_SQRT_2;

/// Number of directions: 3 axes, 6 diagonals of faces, 4 diagonals of the cube.
pub const DIRECTIONS: usize = 13;

/// `1/√3`.
const FRAC_1_SQRT_3: f64 = 0.577_350_269_189_625_8;

/// Components of a vector along the thirteen unit directions.
///
/// Unit length matters: a gap along `(1, 1, 0)` would be overestimated by `√2`.
#[inline]
pub fn components(x: &Vector3<f64>) -> [f64; DIRECTIONS] {
    let (x, y, z) = (x.x, x.y, x.z);
    let (a, b) = (FRAC_1_SQRT_2, FRAC_1_SQRT_3);
    [
        x,
        y,
        z,
        (x + y) * a,
        (x - y) * a,
        (x + z) * a,
        (x - z) * a,
        (y + z) * a,
        (y - z) * a,
        (x + y + z) * b,
        (x + y - z) * b,
        (x - y + z) * b,
        (y + z - x) * b,
    ]
}

/// A closed volume `l_k ≤ d_k · x ≤ u_k` for thirteen directions (a 26-DOP).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KDop {
    /// `l_k` (m).
    pub lower: [f64; DIRECTIONS],
    /// `u_k` (m).
    pub upper: [f64; DIRECTIONS],
}

impl KDop {
    /// Holds no point: neutral in [`KDop::merged`], overlaps nothing.
    pub const EMPTY: Self = Self {
        lower: [f64::INFINITY; DIRECTIONS],
        upper: [f64::NEG_INFINITY; DIRECTIONS],
    };

    /// A volume that holds every point within `margin` (m) of `x + v t` for `t` from 0 to `duration` (s), the deviation
    /// of the velocity bound included.
    pub fn of_path(point: &MovingPoint, duration: f64, margin: f64) -> Self {
        let from = components(&point.position);
        let way = components(&point.velocity);
        let largest = point.position.amax() + (point.velocity.amax() + point.deviation) * duration;
        let round = margin + point.deviation * duration + 2.0 * length_guard(largest);
        let mut lower = [0.0; DIRECTIONS];
        let mut upper = [0.0; DIRECTIONS];
        for k in 0..DIRECTIONS {
            let to = from[k] + way[k] * duration;
            lower[k] = from[k].min(to) - round;
            upper[k] = from[k].max(to) + round;
        }
        Self { lower, upper }
    }

    /// Smallest volume that holds both.
    #[must_use]
    #[inline]
    pub fn merged(&self, other: &Self) -> Self {
        let mut merged = *self;
        for k in 0..DIRECTIONS {
            merged.lower[k] = if other.lower[k] < merged.lower[k] {
                other.lower[k]
            } else {
                merged.lower[k]
            };
            merged.upper[k] = if other.upper[k] > merged.upper[k] {
                other.upper[k]
            } else {
                merged.upper[k]
            };
        }
        merged
    }

    /// Whether no direction separates the two; touching counts.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        // The axes first: they decide nearly every pair.
        let axes =
            (0..3).all(|k| (self.lower[k] <= other.upper[k]) && (other.lower[k] <= self.upper[k]));
        axes && (3..DIRECTIONS)
            .all(|k| (self.lower[k] <= other.upper[k]) && (other.lower[k] <= self.upper[k]))
    }

    /// Whether `other` lies within this volume.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        (0..DIRECTIONS)
            .all(|k| (self.lower[k] <= other.lower[k]) && (other.upper[k] <= self.upper[k]))
    }

    /// Time (s) for which a point provably keeps `margin` (m) inside every plane; 0 if it does not do so now.
    #[inline]
    pub fn exit_time(&self, point: &MovingPoint, margin: f64) -> f64 {
        let at = components(&point.position);
        let speed = components(&point.velocity);
        let largest = point.position.amax();
        let margin = margin + length_guard(largest);
        let slack = point.deviation + speed_guard(largest, point.velocity.amax() + point.deviation);
        let mut earliest = f64::INFINITY;
        for k in 0..DIRECTIONS {
            let up = waiting_time(self.upper[k] - at[k] - margin, speed[k] + slack);
            let down = waiting_time(at[k] - self.lower[k] - margin, slack - speed[k]);
            earliest = earliest.min(up).min(down);
        }
        earliest
    }
}
