//! Rigid bodies: what is constant of them, what changes, and what contacts do to them.

use crate::{
    forces::contact_forces,
    model::{Model, PointMotion},
    state::State,
};
use impinge_fem::{RigidInertia, RigidPose};
use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The constant part of a free rigid body.
///
/// It has two blocks of unknowns, both in m/s: its linear velocity `u`, and `w` with `ω = B w`, its angular velocity along
/// the principal axes times their radii of gyration. So both diagonal blocks of the momentum matrix are `m I`, one norm
/// in N·s measures the momentum balance of nodes and rigid bodies alike, and the diagonal that preconditioners use is
/// exact for rigid bodies, however slender they are.
#[derive(Debug, Clone)]
pub struct RigidBody {
    /// Index among the model's bodies.
    pub body: usize,
    /// Points of its surface.
    pub points: Range<usize>,
    /// Block of `u`; that of `w` is the next.
    pub first_block: u32,
    /// Generalised mass; its axes are those of the world at time 0.
    pub inertia: RigidInertia,
    /// Surface points from the centre of mass, in the body's axes (m).
    pub arms: Vec<Vector3<f64>>,
}

/// The changing part of a free rigid body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RigidState {
    /// Centre of mass and orientation.
    pub pose: RigidPose,
    /// Velocity of the centre of mass (m/s).
    pub velocity: Vector3<f64>,
    /// Angular momentum about the centre of mass, in world axes (N·m·s).
    ///
    /// It is stored in place of the angular velocity because it is what a body without torque keeps.
    pub angular_momentum: Vector3<f64>,
}

impl RigidBody {
    /// The state at time 0 with the velocity `u` (m/s) and the angular velocity `ω` (rad/s).
    pub fn start(&self, velocity: Vector3<f64>, angular_velocity: Vector3<f64>) -> RigidState {
        RigidState {
            pose: RigidPose {
                center: self.inertia.center(),
                orientation: UnitQuaternion::identity(),
            },
            velocity,
            angular_momentum: self.inertia.inertia() * angular_velocity,
        }
    }

    /// `ω` of a state (rad/s).
    pub fn angular_velocity(&self, state: &RigidState) -> Vector3<f64> {
        self.inertia
            .angular_velocity(&state.pose.orientation, &state.angular_momentum)
    }

    /// Kinetic energy of a state (J).
    pub fn kinetic_energy(&self, state: &RigidState) -> f64 {
        0.5 * self.inertia.mass() * state.velocity.norm_squared()
            + self
                .inertia
                .spin_energy(&state.pose.orientation, &state.angular_momentum)
    }

    /// Writes where `state` puts the surface points (m), and their velocities (m/s).
    pub(crate) fn write_points(
        &self,
        state: &RigidState,
        positions: &mut [Vector3<f64>],
        velocities: &mut [Vector3<f64>],
    ) {
        let spin = self.angular_velocity(state);
        for (point, arm) in self.points.clone().zip(&self.arms) {
            positions[point] = state.pose.place(arm);
            velocities[point] =
                state.velocity + spin.cross(&(positions[point] - state.pose.center));
        }
    }
}

/// Contact force and torque on a rigid body.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wrench {
    /// Sum of the contact forces on it (N).
    pub force: Vector3<f64>,
    /// Their torque about the centre of its pose (N·m).
    pub torque: Vector3<f64>,
}

/// Where a rigid body is, how it moves, and what contacts do to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidMeasure {
    /// Index among the model's bodies.
    pub body: usize,
    /// Its pose; the centre is that of mass, or of the prescribed motion.
    pub pose: RigidPose,
    /// Velocity of that centre (m/s).
    pub velocity: Vector3<f64>,
    /// Angular velocity (rad/s).
    pub angular_velocity: Vector3<f64>,
    /// What the contacts of the state exert on it.
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
    for body in model.rigid_bodies() {
        let points = model.bodies[body].points.clone();
        let mut measure = if let Some((rigid, at)) = free.next_if(|(rigid, _)| rigid.body == body) {
            RigidMeasure {
                body,
                pose: at.pose,
                velocity: at.velocity,
                angular_velocity: rigid.angular_velocity(at),
                wrench: Wrench::default(),
            }
        } else if let PointMotion::Prescribed(motion) = model.motion_of_point[points.start] {
            let motion = &model.motions[motion as usize];
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
