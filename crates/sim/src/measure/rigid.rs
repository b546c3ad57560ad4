//! Poses and velocities of rigid bodies, and the contact forces and torques on them.

use super::forces::contact_forces;
use crate::{
    model::{Model, PointMotion},
    state::State,
};
use impinge_fem::RigidPose;
use nalgebra::Vector3;

/// Contact force and torque on a rigid body.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wrench {
    /// Sum of the contact forces on it (N).
    pub force: Vector3<f64>,
    /// Their torque about the centre of its pose (N·m).
    pub torque: Vector3<f64>,
}

/// Pose, velocity and contact load of a rigid body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidMeasure {
    /// Index among the model's bodies.
    pub body: usize,
    /// Its pose. The centre is the centre of mass, or that of the prescribed motion.
    pub pose: RigidPose,
    /// Velocity of the centre (m/s).
    pub velocity: Vector3<f64>,
    /// Angular velocity (rad/s).
    pub angular_velocity: Vector3<f64>,
    /// Force and torque of the contacts.
    pub wrench: Wrench,
}

/// Measures every rigid body of `state`, free ones and those with a prescribed motion, in the order of the bodies.
///
/// # Panics
/// If `state` is not one of `model`.
pub fn rigid_measures(model: &Model, state: &State) -> Vec<RigidMeasure> {
    let forces = contact_forces(model, state).points;
    let mut free = model.rigid.iter().zip(&state.rigid).peekable();
    let mut measures = Vec::new();
    for body in model.geometry.rigid_bodies() {
        let points = model.geometry.bodies[body].points.clone();
        let mut measure = if let Some((rigid, at)) = free.next_if(|(rigid, _)| rigid.body == body) {
            RigidMeasure {
                body,
                pose: at.pose,
                velocity: at.velocity,
                angular_velocity: rigid.angular_velocity(at),
                wrench: Wrench::default(),
            }
        } else if let PointMotion::Prescribed(motion) = model.unknowns.motion_of_point[points.start]
        {
            let motion = &model.unknowns.motions[motion as usize];
            let (velocity, angular_velocity) = motion.velocities_at(state.time);
            RigidMeasure {
                body,
                pose: RigidPose {
                    center: motion.center + motion.shift_at(state.time),
                    orientation: motion.turn_at(state.time).unwrap_or_default(),
                },
                velocity,
                angular_velocity,
                wrench: Wrench::default(),
            }
        } else {
            continue;
        };
        for point in points {
            let arm = state.positions[point] - measure.pose.center;
            measure.wrench.force += forces[point];
            measure.wrench.torque += arm.cross(&forces[point]);
        }
        measures.push(measure);
    }
    measures
}
