//! The material points of all solids, and sets of them that a prescribed motion holds.

use nalgebra::Vector3;

/// One entry per point of the model.
#[derive(Debug)]
pub struct Points {
    /// Rest positions, equal to those at time 0 (m).
    pub rest: Vec<Vector3<f64>>,
    /// Lumped mass (kg); 0 for rigid bodies and obstacles.
    pub mass: Vec<f64>,
    /// Mass-proportional damping (kg/s).
    pub mass_damping: Vec<f64>,
    /// Nodal force of the present step in addition to gravity (N); [`Loads`](super::Loads) sets it.
    pub pull: Vec<Vector3<f64>>,
}

/// Points of a deformable body that one entry of `fixed` holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldPoints {
    /// Name of the body, a slash, and that of the entry.
    pub name: String,
    /// Index of the body.
    pub body: usize,
    /// The points, ascending. They stay listed after their release.
    pub points: Vec<u32>,
}
