//! The material points of all solids.

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
    /// Constant nodal force in addition to gravity (N).
    pub pull: Vec<Vector3<f64>>,
}
