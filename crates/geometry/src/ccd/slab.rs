//! Separation of a moving convex hull from the origin, certified over time by turning planes.
//!
//! # Theorem
//! Let `d_k(t) = (1 − t) d_k(0) + t d_k(1)` be the exact corner differences and `n_a`, `n_b` any two vectors, attached
//! to the ends of `[t_a, t_b]`. With `τ` running from 0 to 1 over the interval, `n(τ) = (1 − τ) n_a + τ n_b` and
//! `d_k(τ)` are linear, so `n(τ) · d_k(τ)` is a quadratic with Bernstein coefficients
//!
//! `n_a · d_k(t_a)`,  `½ (n_a · d_k(t_b) + n_b · d_k(t_a))`,  `n_b · d_k(t_b)`.
//!
//! A polynomial lies in the hull of its Bernstein coefficients. If all of them exceed `s · max(|n_a|, |n_b|)` then, as
//! `|n(τ)|` is convex, `n · d_k > s |n|` throughout: the hull of the `d_k` keeps farther than `s` from the origin.
//! With `n_a` alone at both ends the same says it for a fixed plane: `n_a · d_k > s |n_a|` at both ends suffices.
//!
//! # Rounding
//! With `u = ε/2` and `γ_m = m u / (1 − m u)` (Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, §3.1):
//! - A corner difference at `t = 0` or `1` is one subtraction of given numbers: relative error at most `u` per
//!   component, however large the coordinates are against the difference.
//! - Times are dyadic with at most 50 digits, so `t` and `1 − t` are exact. `(1 − t) d(0) + t d(1)` adds a product and
//!   a sum to either term: error at most `γ_3 m_c` in component `c`, with `m_c` the largest `|d_kc|` at `t = 0` and
//!   `1`.
//! - Its inner product with the (exactly known) `n` adds `γ_3`: together at most `γ_6 Σ_c |n_c| m_c (1 + γ_6)`.
//! - The bound is itself computed from rounded `m_c`, adding a relative `γ_5`; and the comparison against it adds a
//!   relative `u` for each of the few operations of the right-hand side.
//!
//! In total less than `7 u` times the computed `Σ_c |n_c| m_c`; [`ROUNDING`] is `16 u`. For the middle coefficient the
//! two inner products and their sum are bounded by the sum of both bounds. Underflow, which relative bounds do not
//! cover, loses at most 2⁻¹⁰⁷⁵ in each of fewer than twenty products: [`UNDERFLOW`]. Overflow and NaN make comparisons
//! fail, that is, certify nothing.

use nalgebra::Vector3;

use super::CcdRule;

/// Relative rounding bound of an inner product with a corner difference, see the module's documentation.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Absolute bound of the loss by underflow.
const UNDERFLOW: f64 = 4.0 * f64::MIN_POSITIVE;

/// Relative slack for computing `s` times the length of a nearly unit direction.
const LENGTH_SLACK: f64 = 1.0 + 16.0 * f64::EPSILON;

/// Shortest direction whose length is known to full relative precision: its square must not be subnormal.
const SHORTEST: f64 = 1e-150;

/// Smallest time tolerance: keeps `t` and `1 − t` exact, and bounds the depth of the search.
const FINEST_TIME: f64 = 1.0 / (1_u64 << 50) as f64;

/// First time at which the hull of the moving `d` is not proven farther than the separation from the origin, and
/// whether the search ended at the work limit; `None` proves that there is no such time up to `latest`.
///
/// `latest` only ends the search: the instants that are examined, their order and a time that is found do not depend on
/// it.
#[inline]
pub(super) fn first_contact<const K: usize>(
    start: [Vector3<f64>; K],
    end: [Vector3<f64>; K],
    direction: impl Fn(&[Vector3<f64>; K]) -> Vector3<f64>,
    rule: &CcdRule,
    latest: f64,
) -> Option<(f64, bool)> {
    // Not `max`, which would turn NaN, an impact, into zero.
    let separation = if rule.minimum_separation < 0.0 {
        0.0
    } else {
        rule.minimum_separation
    };
    let extent = overlapping_extent(&start, &end, separation)?;
    let mut search = Search {
        direction,
        extent,
        separation: separation * LENGTH_SLACK,
        // Never below the separation, whatever the tolerance: the certificates rely on it.
        clearance: (separation + rule.distance_tolerance.max(0.0)) * LENGTH_SLACK,
        time_tolerance: rule.time_tolerance.max(FINEST_TIME),
        work_left: rule.work_limit,
        latest,
        start,
        end,
    };
    let first = search.instant_of(0.0, search.start);
    // Most pairs do not need the direction at the end.
    if search.is_clear_until(&first, &search.end) {
        return None;
    }
    let last = search.instant_of(1.0, search.end);
    search.first_uncertified(&first, &last)
}

/// `None` if a coordinate axis separates during the whole step, else the largest `|d_kc|` per axis.
///
/// Tests the boxes swept by the *relative* motion. Signs of rounded differences are exact, hence so is the test for
/// zero separation; otherwise the slack covers the one rounding. A number that is not finite makes `spoiled` NaN, which
/// fails this test and, through the extent, every later certificate.
#[inline]
fn overlapping_extent<const K: usize>(
    start: &[Vector3<f64>; K],
    end: &[Vector3<f64>; K],
    separation: f64,
) -> Option<Vector3<f64>> {
    let mut lower = start[0];
    let mut upper = start[0];
    let mut spoiled = Vector3::<f64>::zeros();
    for d in start.iter().chain(end) {
        for c in 0..3 {
            lower[c] = if d[c] < lower[c] { d[c] } else { lower[c] };
            upper[c] = if d[c] > upper[c] { d[c] } else { upper[c] };
            spoiled[c] += d[c] * 0.0;
        }
    }
    let spoiled = spoiled.sum();
    let gap = separation * LENGTH_SLACK;
    let apart = |c: usize| lower[c] > gap || upper[c] < -gap;
    if (apart(0) || apart(1) || apart(2)) && !spoiled.is_nan() {
        return None;
    }
    Some(Vector3::from_fn(|c, _| upper[c].max(-lower[c]) + spoiled))
}

/// The configuration at one time with its own candidate direction.
struct Instant<const K: usize> {
    time: f64,
    corners: [Vector3<f64>; K],
    /// Nearly unit length.
    normal: Vector3<f64>,
    /// Bound of the rounding error of `normal · d_k(t)` at any time.
    error: f64,
    /// Whether `normal` proves more than the clearance at this time.
    clear: bool,
}

struct Search<const K: usize, F> {
    direction: F,
    start: [Vector3<f64>; K],
    end: [Vector3<f64>; K],
    extent: Vector3<f64>,
    separation: f64,
    clearance: f64,
    time_tolerance: f64,
    work_left: u32,
    latest: f64,
}

impl<const K: usize, F: Fn(&[Vector3<f64>; K]) -> Vector3<f64>> Search<K, F> {
    /// Start of the first interval that could not be certified, and whether the search ended at the work limit.
    ///
    /// The depth is that of halving 1 down to the time tolerance, at most 50.
    fn first_uncertified(&mut self, left: &Instant<K>, right: &Instant<K>) -> Option<(f64, bool)> {
        if left.time > self.latest || self.certified(left, right) {
            return None;
        }
        if !left.clear || right.time - left.time <= self.time_tolerance {
            return Some((left.time, false));
        }
        if self.work_left == 0 {
            return Some((left.time, true));
        }
        self.work_left -= 1;
        let middle = self.instant(0.5 * (left.time + right.time));
        self.first_uncertified(left, &middle)
            .or_else(|| self.first_uncertified(&middle, right))
    }

    fn instant(&self, time: f64) -> Instant<K> {
        let corners = std::array::from_fn(|k| self.start[k] * (1.0 - time) + self.end[k] * time);
        self.instant_of(time, corners)
    }

    #[inline]
    fn instant_of(&self, time: f64, corners: [Vector3<f64>; K]) -> Instant<K> {
        let towards = (self.direction)(&corners);
        let length = towards.norm();
        let normal = towards / length;
        let error = ROUNDING * normal.abs().dot(&self.extent) + UNDERFLOW;
        let threshold = self.clearance + error;
        let clear = length > SHORTEST && corners.iter().all(|d| normal.dot(d) > threshold);
        Instant {
            time,
            corners,
            normal,
            error,
            clear,
        }
    }

    /// Whether the plane of an instant certifies separation until the corners are at `later`.
    #[inline]
    fn is_clear_until(&self, instant: &Instant<K>, later: &[Vector3<f64>; K]) -> bool {
        let threshold = self.separation + instant.error;
        instant.clear && later.iter().all(|d| instant.normal.dot(d) > threshold)
    }

    /// Whether the planes of the two instants certify separation during all of the interval between them.
    #[inline]
    fn certified(&self, left: &Instant<K>, right: &Instant<K>) -> bool {
        let (left_threshold, right_threshold) =
            (self.separation + left.error, self.separation + right.error);
        let (mut left_alone, mut right_alone, mut turning) =
            (left.clear, right.clear, left.clear && right.clear);
        for (d_left, d_right) in left.corners.iter().zip(&right.corners) {
            let left_later = left.normal.dot(d_right);
            let right_earlier = right.normal.dot(d_left);
            left_alone &= left_later > left_threshold;
            right_alone &= right_earlier > right_threshold;
            turning &= left_later + right_earlier > left_threshold + right_threshold;
        }
        left_alone || right_alone || turning
    }
}
