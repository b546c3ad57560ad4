//! Exact answers to continuous collision queries: the oracle of `impinge_geometry::ccd`, with which it shares no code.
//!
//! Whether two linearly moving primitives come within a distance of each other during a part of the step is decided for
//! the `f64` numbers as given, in integer arithmetic of unbounded length: without rounding or tolerance, and every
//! query ends with yes or no. Tests, `cargo xtask conformance` and `impinge verify` use it; it is some hundred times
//! slower than `impinge_geometry::ccd`.
//!
//! - [`ExactQuery`]: the query, and whether it touches within a time interval
//! - [`generate`]: queries that are random, degenerate, or within rounding of contact; reproducible by number
//!
//! # Method
//! The primitives are within `s` of each other at time `t` if and only if some pair of their *features* is: the open
//! face and the vertex, the two open edges, an edge and an end, or two ends. For each such pair this is a handful of
//! polynomial inequalities in `t` of degree at most six (`features`): the feature pair's lines or planes are within
//! `s`, and the closest points lie inside the features. Their common solutions are found by halving the interval with
//! all polynomials in Bernstein form. If halving does not end, because solutions are single points, the real roots of
//! the polynomials are isolated and signs evaluated there (`solve`, `algebraic`).
//!
//! It does **not** know meshes, motions other than linear ones, or the code that it judges.
//!
//! # Example
//! ```
//! use impinge_ccd_oracle::{ExactQuery, Kind};
//!
//! let corners = |height| [[0.25, 0.25, height], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! // Falls from 1 to −2: through the plane at a third, which is no `f64`.
//! let query = ExactQuery::new(Kind::VertexFace, &corners(1.0), &corners(-2.0), 0.0).unwrap();
//! let third = 1.0 / 3.0_f64;
//! assert!(!query.touches_within(0.0, third) && query.touches_within(0.0, third.next_up()));
//! ```

mod algebraic;
mod bernstein;
mod constraint;
mod features;
mod form;
pub mod generate;
mod kind;
mod solve;

pub use kind::{Corners, Kind};

use constraint::Constraint;
use features::FeaturePair;

/// A continuous collision query in exact arithmetic.
#[derive(Clone, Debug)]
pub struct ExactQuery {
    /// Pairs of features with their conditions over the whole step.
    pairs: Vec<FeaturePair>,
}

impl ExactQuery {
    /// Prepares a query: the corners move linearly from `start` to `end`; the primitives touch if their distance is at
    /// most `separation`.
    ///
    /// `None` if a number is not finite, or the separation is negative.
    pub fn new(kind: Kind, start: &Corners, end: &Corners, separation: f64) -> Option<Self> {
        features::pairs(kind, start, end, separation).map(|pairs| Self { pairs })
    }

    /// Whether the primitives touch at some time of the whole closed step.
    pub fn touches(&self) -> bool {
        self.touches_within(0.0, 1.0)
    }

    /// Whether the primitives touch at some time of the closed interval.
    ///
    /// # Panics
    /// Unless `0 ≤ from ≤ to ≤ 1`.
    #[track_caller]
    pub fn touches_within(&self, from: f64, to: f64) -> bool {
        self.decide(from, to, true)
    }

    /// Whether the primitives touch at some time of `[0, time)`.
    ///
    /// # Panics
    /// Unless `0 ≤ time ≤ 1`.
    #[track_caller]
    pub fn touches_before(&self, time: f64) -> bool {
        self.decide(0.0, time, false)
    }

    #[track_caller]
    fn decide(&self, from: f64, to: f64, end_included: bool) -> bool {
        assert!(
            0.0 <= from && from <= to && to <= 1.0,
            "not a part of the step: {from} to {to}"
        );
        let full = from <= 0.0 && to >= 1.0;
        let restrict = |constraint: &Constraint| {
            if full {
                constraint.clone()
            } else {
                constraint.map(|polynomial| polynomial.restricted(from, to))
            }
        };
        if from >= to && !end_included {
            return false;
        }
        self.pairs.iter().any(|pair| {
            let constraints: Vec<Constraint> = pair.constraints().iter().map(restrict).collect();
            solve::solvable(constraints, end_included)
        })
    }
}
