//! The parameters of a step.

use crate::scene::{Asynchronous, Elasticity, FreeFlight, Integrator};
use impinge_contact::method::Method;
use impinge_geometry::broad_phase::BroadPhaseChoice;
use nalgebra::Vector3;
use std::path::PathBuf;

/// Parameters of a step that the scene sets.
#[derive(Debug)]
pub struct Settings {
    /// Gravity (m/s²).
    pub gravity: Vector3<f64>,
    /// Length of a whole step (s).
    pub time_step: f64,
    /// Shortest substep (s).
    pub minimum_step: f64,
    /// Motion of deformable bodies without forces.
    pub free_flight: FreeFlight,
    /// Treatment of elastic forces in a step: linearised once, or to convergence.
    pub elasticity: Elasticity,
    /// Rule by which velocities and positions follow from forces.
    pub integrator: Integrator,
    /// Whether elements may invert.
    pub allow_inversion: bool,
    /// Whether sticking contacts keep their anchor from step to step.
    pub anchored_contacts: bool,
    /// The contact method with its settings, without tolerances.
    pub solver: Method,
    /// Search for candidate pairs.
    pub broad_phase: BroadPhaseChoice,
    /// The folder of stored compliances at rest, if any.
    pub rest_compliance: Option<PathBuf>,
    /// Settings of the asynchronous stepper, if it is chosen.
    pub asynchronous: Option<Asynchronous>,
}
