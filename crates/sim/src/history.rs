//! The last step, for the second-order integrator.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// The last step, as the next one of second order needs it; empty with implicit Euler and before the first step.
///
/// See `flight` for the equations.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// `ℓ − v` of every point (m/s), where `m ℓ` is the momentum that forces act on.
    pub leads: Vec<Vector3<f64>>,
    /// `w` of every point, its mean velocity in the last step (m/s).
    pub means: Vec<Vector3<f64>>,
    /// The same of the free rigid bodies.
    pub rigid: Vec<RigidHistory>,
    /// The length of the last step, or of its last part (s).
    pub time_step: f64,
}

/// The last step of a free rigid body: of its velocity (m/s), and of its angular momentum (N·m·s).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RigidHistory {
    /// Differences of momentum and the state: over the mass for the velocity.
    pub leads: [Vector3<f64>; 2],
    /// Means in the last step.
    pub means: [Vector3<f64>; 2],
}

impl History {
    /// Whether there is no last step.
    pub fn is_empty(&self) -> bool {
        self.means.is_empty()
    }

    /// Whether all numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        let is_length = self.is_empty() || (self.time_step.is_finite() && self.time_step > 0.0);
        let of_rigid = |at: &RigidHistory| at.leads.into_iter().chain(at.means);
        (self.leads.iter().chain(&self.means).copied())
            .chain(self.rigid.iter().flat_map(of_rigid))
            .all(|vector| vector.iter().all(|x| x.is_finite()))
            && is_length
    }
}
