//! The straight motion of all points over a substep, and an impact on it.

use super::contact::ContactKey;
use nalgebra::Vector3;

/// An impact: a pair that continuous collision detection cannot prove separated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) key: ContactKey,
    /// Fraction of the step up to which the pair is proven separated.
    pub(crate) time: f64,
    pub(crate) work_limited: bool,
}

/// The straight motion of all points over a substep, as solved or predicted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepMotion<'a> {
    /// Positions at the start (m).
    pub(crate) start: &'a [Vector3<f64>],
    /// Positions at the end (m).
    pub(crate) end: &'a [Vector3<f64>],
    /// Time that the motion takes (s).
    pub(crate) time_step: f64,
}
