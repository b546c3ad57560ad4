//! The parameters of a step.

use crate::scene::Asynchronous;
use impinge_contact::method::Method;
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
    /// Whether elements may invert.
    pub allow_inversion: bool,
    /// Whether sticking contacts keep their anchor from step to step.
    pub anchored_contacts: bool,
    /// The contact method with its settings, tolerances excepted.
    pub solver: Method,
    /// The folder that compliances at rest are kept in, if any.
    pub rest_compliance: Option<PathBuf>,
    /// The asynchronous stepper's part of the scene, where it is chosen.
    pub asynchronous: Option<Asynchronous>,
}
