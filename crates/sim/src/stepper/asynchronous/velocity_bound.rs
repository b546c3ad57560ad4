//! The velocity bound of a vertex.

use nalgebra::Vector3;

/// The velocity bound of a vertex: within `deviation` of `velocity`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct VelocityBound {
    /// Reference velocity (m/s).
    pub(super) velocity: Vector3<f64>,
    /// `ρ` (m/s); infinite for a vertex without certificates, 0 for one that never moves.
    pub(super) deviation: f64,
    /// Initial deviation (m/s).
    pub(super) least: f64,
    /// Time at which it was set (s).
    pub(super) since: f64,
}
