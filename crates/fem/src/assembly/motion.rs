//! The motion of all points that the system of a step is assembled about.

use nalgebra::Vector3;

/// Positions and velocities of all points, one entry per point.
#[derive(Clone, Copy, Debug)]
pub struct NodalMotion<'a> {
    /// Positions at which forces and stiffness are evaluated (m).
    pub positions: &'a [Vector3<f64>],
    /// Velocities of the prescribed points (m/s); entries of other points are not read.
    pub prescribed_velocity: &'a [Vector3<f64>],
    /// `y` (m/s): the velocities of a motion that is damped already, if the system is about one.
    pub damped_velocity: Option<&'a [Vector3<f64>]>,
}

impl<'a> NodalMotion<'a> {
    /// A motion without damping so far.
    pub fn new(positions: &'a [Vector3<f64>], prescribed_velocity: &'a [Vector3<f64>]) -> Self {
        Self {
            positions,
            prescribed_velocity,
            damped_velocity: None,
        }
    }
}
