//! All that changes during a run, and all that a restart needs.

use crate::{contacts::contact::Contact, rigid::RigidState};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// The simulated bodies at one instant.
///
/// Scratch lives in the stepper; a stepper made anew continues from a state bit for bit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Simulated time (s).
    pub time: f64,
    /// Number of whole steps taken.
    pub step: u64,
    /// `x`: one position per point of the model (m).
    pub positions: Vec<Vector3<f64>>,
    /// `v`: one velocity per point (m/s).
    pub velocities: Vec<Vector3<f64>>,
    /// Change of the velocities of free nodes of deformable bodies over the last step, per time (m/s²): where the next solve starts from.
    /// Gravity, at first, for bodies that nothing holds. Zeros elsewhere; steppers that do not use it leave it as it is.
    pub accelerations: Vec<Vector3<f64>>,
    /// Free rigid bodies; their points' positions and velocities follow from these.
    pub rigid: Vec<RigidState>,
    /// Contacts with their forces, ascending by key: results of the last step and warm start of the next.
    pub contacts: Vec<Contact>,
    /// Force of every row of the joints: what makes their geometric stiffness in the next step.
    pub joint_forces: Vec<f64>,
    /// `ε_p` of every row of the constraints, those in rows first, then those in stiffness form; empty where nothing flows.
    pub plastic_strains: Vec<f64>,
    /// Energy that was gained without an explanation since it was last lost (J); `energy_gains` counts from it.
    pub energy_gained: f64,
}
