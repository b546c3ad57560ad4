//! A straight motion of all points, and a collision on it.

use super::contact::ContactKey;
use nalgebra::Vector3;

/// A pair that the continuous test could not prove apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) key: ContactKey,
    /// Fraction of the step before which the pair is proven apart.
    pub(crate) time: f64,
    pub(crate) work_limited: bool,
}

/// A straight motion of all points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sweep<'a> {
    /// Positions at the start (m).
    pub(crate) start: &'a [Vector3<f64>],
    /// Positions at the end (m).
    pub(crate) end: &'a [Vector3<f64>],
}
