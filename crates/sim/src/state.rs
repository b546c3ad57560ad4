//! The state of a simulation, sufficient for a restart.

use crate::{contacts::contact::Contact, history::History, rigid::RigidState};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// The simulated bodies at one instant.
///
/// Scratch memory belongs to the stepper; a new stepper continues from a state bit for bit.
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
    /// Change of velocity over the last step, per time (m/s²), of the free nodes of deformable bodies; predicts the
    /// start of the next solve. Initially gravity for bodies that nothing holds, zero elsewhere. Steppers that do not
    /// use it leave it unchanged.
    pub accelerations: Vec<Vector3<f64>>,
    /// Free rigid bodies; they determine the positions and velocities of their points.
    pub rigid: Vec<RigidState>,
    /// Contacts with their forces, ascending by key: results of the last step and warm start of the next.
    pub contacts: Vec<Contact>,
    /// Force of every joint row (N, or N·m for an angle), for the geometric stiffness in the next step.
    pub joint_forces: Vec<f64>,
    /// `ε_p` of every row of the constraints, in compliance form first, then in stiffness form; empty without plastic
    /// flow.
    pub plastic_strains: Vec<f64>,
    /// The last step, as the next one of second order needs it.
    pub history: History,
    /// Unexplained energy gain since the last loss (J), the reference of `energy_gains`.
    pub energy_gained: f64,
}

impl State {
    /// Whether all numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        let Self {
            time,
            step: _,
            positions,
            velocities,
            accelerations,
            rigid,
            contacts,
            joint_forces,
            plastic_strains,
            history,
            energy_gained,
        } = self;
        let points = positions.iter().chain(velocities).chain(accelerations);
        let rigid = rigid.iter().flat_map(|at| {
            let turn = at.pose.orientation.coords;
            let vectors = [at.pose.center, at.velocity, at.angular_momentum];
            let numbers = vectors
                .into_iter()
                .flat_map(|vector| [vector.x, vector.y, vector.z]);
            numbers.chain([turn.x, turn.y, turn.z, turn.w])
        });
        let contacts = contacts.iter().flat_map(|contact| {
            let weights = contact.weights.iter().chain(&contact.anchor_weights);
            let [first, second] = contact.frame.tangents;
            let vectors = [
                contact.frame.normal,
                first,
                second,
                contact.origin,
                contact.anchor,
                contact.slip_start,
            ];
            let vectors = vectors
                .into_iter()
                .flat_map(|vector| [vector.x, vector.y, vector.z]);
            let forces = contact.multipliers;
            let [stick, other] = forces.gamma;
            weights
                .copied()
                .chain(vectors)
                .chain([contact.distance, contact.friction])
                .chain([forces.lambda, stick, other])
        });
        let numbers = joint_forces.iter().chain(plastic_strains).copied();
        time.is_finite()
            && energy_gained.is_finite()
            && history.is_finite()
            && points.flatten().all(|x| x.is_finite())
            && numbers.chain(rigid).chain(contacts).all(f64::is_finite)
    }
}
