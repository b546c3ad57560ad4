//! Continuous collision detection: do two primitives touch while their corners move linearly?
//!
//! [`Toi::Separated`] is a proof, for the `f64` numbers as given: at every real time of the closed step the distance
//! exceeds [`CcdRule::minimum_separation`]. [`Toi::Impact`] is a claim that may be false for close passes, but its time
//! is never later than the first time at which the distance is not larger than the separation.
//!
//! # Method
//! Both primitives are convex hulls of linearly moving points, so they are apart at time `t` if and only if the
//! differences of their corners `d_k(t) = p_i(t) − q_j(t)`, also linear in `t`, lie strictly on one side of some plane
//! through the origin: `n · d_k(t) > 0` for all `k`. Whole time intervals are certified by such directions (`slab`),
//! the uncertified ones are halved, earlier half first, until they are shorter than the time tolerance. No root is ever
//! computed, and every comparison carries a rigorous bound of its rounding error.
//!
//! `step_size` is the shortest way in: how far may these arrays of points move? It needs the feature `parry`.
//!
//! # Source
//! Separating planes over time as in Snyder, "Interval analysis for computer graphics", 1992, and the inclusion-based
//! queries of Wang et al. 2021, <https://doi.org/10.1145/3460775>, from which it differs: it subdivides time only, and
//! excludes a contact by a turning plane instead of an interval box.

mod batch;
mod direction;
mod slab;
#[cfg(feature = "parry")]
mod step_size;

use nalgebra::Vector3;

pub use batch::{CandidateImpact, CandidatePair, LinearMotion, earliest_impact, impacts};
#[cfg(feature = "parry")]
pub use step_size::{StepSize, StepSizeError, SurfaceArrays, step_size, step_size_under};

/// Definition of an impact, and the resolution of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CcdRule {
    /// Distance in m that the primitives must keep; `0` forbids touching only, and so does a
    /// negative number. NaN and infinity make every query an impact at time 0 unless an axis separates.
    pub minimum_separation: f64,
    /// Shortest interval examined, as a fraction of the step. A contact is reported at most about this much too early,
    /// and a pass is reported falsely only if its distance is below the way that the corners travel in this time. At
    /// least 2⁻⁵⁰.
    pub time_tolerance: f64,
    /// Gap in m above the separation that counts as contact. The default `0` leaves only the bound of rounding, about
    /// `16 ε` times the largest relative coordinate of the query. A positive value ends the search earlier.
    pub distance_tolerance: f64,
    /// Most instants to examine in one query before the rest counts as an impact ([`Toi::Impact::work_limited`]).
    pub work_limit: u32,
}

impl Default for CcdRule {
    fn default() -> Self {
        Self {
            minimum_separation: 0.0,
            // 2⁻²⁰: a contact costs twenty halvings, and is early by less than a millionth of the step.
            time_tolerance: 1.0 / 1_048_576.0,
            distance_tolerance: 0.0,
            // Twenty halvings for each of about twelve close passes; bounds the time of a query.
            work_limit: 256,
        }
    }
}

/// Answer of a continuous collision query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Toi {
    /// Proven: farther apart than the separation at every time of the closed step.
    Separated,
    /// Not proven separated from `time` on; proven separated at every time before it.
    Impact {
        /// Fraction of the step in `[0, 1]`, never later than the exact first time of contact.
        time: f64,
        /// Whether the search ended at [`CcdRule::work_limit`] instead of a tolerance.
        work_limited: bool,
    },
}

impl Toi {
    fn of(impact: Option<(f64, bool)>) -> Self {
        match impact {
            None => Self::Separated,
            Some((time, work_limited)) => Self::Impact { time, work_limited },
        }
    }

    /// Time of the impact, if any.
    pub fn time(self) -> Option<f64> {
        match self {
            Self::Separated => None,
            Self::Impact { time, .. } => Some(time),
        }
    }
}

/// Finds the first contact of a moving point and a moving closed triangle.
///
/// # Shapes and units
/// Corners `[p, a, b, c]` in m at the start and the end of the step, moving linearly in between. If a number is not
/// finite, the answer is an impact at time 0.
///
/// # Cost
/// A few comparisons if an axis separates, one search direction per end if a plane does, about twenty halvings for a
/// contact; no allocation.
pub fn vertex_face(start: &[Vector3<f64>; 4], end: &[Vector3<f64>; 4], rule: &CcdRule) -> Toi {
    Toi::of(vertex_face_until(start, end, rule, 1.0))
}

/// Finds the first contact of two moving closed edges.
///
/// # Shapes and units
/// Corners `[a0, a1, b0, b1]` in m at the start and the end of the step, moving linearly in between. If a number is not
/// finite, the answer is an impact at time 0.
///
/// # Cost
/// As [`vertex_face`].
pub fn edge_edge(start: &[Vector3<f64>; 4], end: &[Vector3<f64>; 4], rule: &CcdRule) -> Toi {
    Toi::of(edge_edge_until(start, end, rule, 1.0))
}

/// [`vertex_face`] with an early end: `None` also if the impact is later than `latest`; else time and `work_limited`.
#[inline]
fn vertex_face_until(
    start: &[Vector3<f64>; 4],
    end: &[Vector3<f64>; 4],
    rule: &CcdRule,
    latest: f64,
) -> Option<(f64, bool)> {
    let differences = |[p, a, b, c]: &[Vector3<f64>; 4]| [p - a, p - b, p - c];
    slab::first_contact(
        differences(start),
        differences(end),
        direction::from_triangle,
        rule,
        latest,
    )
}

/// [`edge_edge`] with an early end, like [`vertex_face_until`].
#[inline]
fn edge_edge_until(
    start: &[Vector3<f64>; 4],
    end: &[Vector3<f64>; 4],
    rule: &CcdRule,
    latest: f64,
) -> Option<(f64, bool)> {
    let differences = |[a0, a1, b0, b1]: &[Vector3<f64>; 4]| [a0 - b0, a1 - b0, a0 - b1, a1 - b1];
    slab::first_contact(
        differences(start),
        differences(end),
        direction::from_parallelogram,
        rule,
        latest,
    )
}
