//! Constraints of joints, whose length or limit may change with time.

use crate::scene::Signal;
use impinge_contact::constraint::{Constraint, Point};

/// A constraint of a joint.
pub(super) struct JointConstraint {
    pub(super) constraint: Constraint,
    /// Change of its `φ` since time 0 by a length or limit that changes with time.
    pub(super) change: Option<Signal<f64>>,
    /// The line in space that it is, for a link or rope.
    pub(super) line: Option<LineInSpace>,
}

/// A line between two bodies.
pub(super) struct LineInSpace {
    /// Its points, from the first body on.
    pub(super) points: Vec<Point>,
    /// Sign of the force of its constraint under tension.
    pub(super) tension_sign: f64,
}

impl From<Constraint> for JointConstraint {
    fn from(constraint: Constraint) -> Self {
        Self {
            constraint,
            change: None,
            line: None,
        }
    }
}

impl JointConstraint {
    /// A `constraint` that was made as `φ = sign (x − base)`, with `rest` in the place of `base`.
    pub(super) fn following(
        mut constraint: Constraint,
        sign: f64,
        base: f64,
        rest: &Signal<f64>,
    ) -> Self {
        let Signal::Table(table) = rest else {
            return constraint.into();
        };
        let start = rest.at(0.0);
        constraint.offset[0] = sign * (start - base);
        let change = |&(time, rest): &(f64, f64)| (time, sign * (start - rest));
        Self {
            constraint,
            change: Some(Signal::Table(table.iter().map(change).collect())),
            line: None,
        }
    }
}

/// The lower (0) or upper (1) one of two limits.
pub(super) fn side_of(limits: &Signal<[f64; 2]>, side: usize) -> Signal<f64> {
    match limits {
        Signal::Constant(limits) => Signal::Constant(limits[side]),
        Signal::Table(table) => {
            let entries = table.iter().map(|(time, limits)| (*time, limits[side]));
            Signal::Table(entries.collect())
        }
    }
}

/// The middle of the range of a limit.
pub(super) fn middle(limit: &Signal<f64>) -> f64 {
    match limit {
        Signal::Constant(limit) => *limit,
        Signal::Table(table) => {
            let values = || table.iter().map(|(_, value)| *value);
            let (least, most) = (
                values().fold(f64::INFINITY, f64::min),
                values().fold(f64::NEG_INFINITY, f64::max),
            );
            0.5 * (least + most)
        }
    }
}
