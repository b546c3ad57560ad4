//! Rigid bodies: constants and state.

use impinge_contact::constraint::Frame;
use impinge_fem::{RigidInertia, RigidPose};
use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The constants of a free rigid body.
///
/// It has two blocks of unknowns, both in m/s: its linear velocity `u`, and `w` with `ω = B w`, its angular velocity
/// along the principal axes times their radii of gyration. So both diagonal blocks of the momentum matrix are `m I`.
/// One norm in N·s measures the momentum balance of nodes and rigid bodies alike, and diagonal preconditioners are
/// exact for rigid bodies of any shape.
#[derive(Debug, Clone)]
pub struct RigidBody {
    /// Index among the model's bodies.
    pub body: usize,
    /// Points of its surface.
    pub points: Range<usize>,
    /// Block of `u`; the next one is that of `w`.
    pub first_block: u32,
    /// Generalised mass; its axes are those of the world at time 0.
    pub inertia: RigidInertia,
    /// Surface points from the centre of mass, in the body's axes (m).
    pub arms: Vec<Vector3<f64>>,
}

/// The state of a free rigid body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RigidState {
    /// Centre of mass and orientation.
    pub pose: RigidPose,
    /// Velocity of the centre of mass (m/s).
    pub velocity: Vector3<f64>,
    /// Angular momentum about the centre of mass, in world axes (N·m·s).
    ///
    /// It replaces the angular velocity because it is conserved without torque.
    pub angular_momentum: Vector3<f64>,
}

impl RigidState {
    /// The pose as constraints take it.
    pub fn frame(&self) -> Frame {
        Frame {
            center: self.pose.center,
            orientation: self.pose.orientation,
        }
    }
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

    /// Angular velocity `ω` of a state in world axes (rad/s).
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

    /// Writes the positions (m) and velocities (m/s) of the body's points at `state`, into one entry per point of the
    /// model.
    ///
    /// # Panics
    /// If a slice is too short.
    pub fn write_points(
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
