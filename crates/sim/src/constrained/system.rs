//! Particles, rigid bodies and constraints: the state and the constants of a constrained system.

use crate::rigid::RigidState;
use impinge_contact::constraint::{Constraint, Frame};
use impinge_fem::{RigidInertia, RigidPose};
use nalgebra::{UnitQuaternion, Vector3};

/// The form in which a compliant constraint enters the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Formulation {
    /// A row with a force of its own: better for stiff constraints, and required for rigid ones.
    #[default]
    Compliance,
    /// A stiffness `h² Jᵀ C⁻¹ J` in the momentum matrix: better for soft constraints, or with more rows than unknowns.
    Stiffness,
}

/// A rigid body.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyState {
    /// Mass and inertia in the body's axes.
    pub inertia: RigidInertia,
    /// Pose, velocity and angular momentum.
    pub state: RigidState,
    /// Whether forces do not move it.
    pub fixed: bool,
}

/// A constrained system as plain data.
///
/// | field | symbol | unit |
/// |---|---|---|
/// | `positions`, `velocities` | `x`, `v` | m, m/s |
/// | `masses` | `m` | kg |
/// | `forces` | `λ` of every row, constraint by constraint | J/\[φ\]: N for a length |
#[derive(Debug, Clone, Default)]
pub struct ConstrainedSystem {
    /// Gravity (m/s²).
    pub gravity: Vector3<f64>,
    /// Positions of particles (m).
    pub positions: Vec<Vector3<f64>>,
    /// Velocities of particles (m/s); a fixed particle moves with its velocity.
    pub velocities: Vec<Vector3<f64>>,
    /// Masses of particles (kg).
    pub masses: Vec<f64>,
    /// Whether forces do not move the particle.
    pub fixed: Vec<bool>,
    /// Rigid bodies.
    pub bodies: Vec<BodyState>,
    /// Constraints.
    pub constraints: Vec<Constraint>,
    /// Form of each constraint; beyond the length of this list, compliance form.
    pub formulations: Vec<Formulation>,
    /// Forces of the previous step, which give the geometric stiffness of the next.
    pub forces: Vec<f64>,
    /// Whether a constraint has such a force; beyond the length of this list, none has.
    pub has_history: Vec<bool>,
    /// Simulated time (s).
    pub time: f64,
}

impl ConstrainedSystem {
    /// An empty system under gravity (m/s²).
    pub fn new(gravity: Vector3<f64>) -> Self {
        Self {
            gravity,
            ..Self::default()
        }
    }

    /// Adds a particle at `x` (m) and returns its index.
    pub fn add_particle(&mut self, x: Vector3<f64>, mass: f64) -> usize {
        self.positions.push(x);
        self.velocities.push(Vector3::zeros());
        self.masses.push(mass);
        self.fixed.push(false);
        self.positions.len() - 1
    }

    /// Adds a particle that forces do not move.
    pub fn add_fixed_particle(&mut self, x: Vector3<f64>) -> usize {
        let index = self.add_particle(x, 0.0);
        self.fixed[index] = true;
        index
    }

    /// Adds a rigid body with its centre of mass at `center` (m), at rest, and returns its index.
    pub fn add_body(
        &mut self,
        inertia: RigidInertia,
        center: Vector3<f64>,
        orientation: UnitQuaternion<f64>,
    ) -> usize {
        self.bodies.push(BodyState {
            inertia,
            state: RigidState {
                pose: RigidPose {
                    center,
                    orientation,
                },
                velocity: Vector3::zeros(),
                angular_momentum: Vector3::zeros(),
            },
            fixed: false,
        });
        self.bodies.len() - 1
    }

    /// Poses of all bodies.
    pub fn frames(&self) -> Vec<Frame> {
        let frame = |body: &BodyState| Frame {
            center: body.state.pose.center,
            orientation: body.state.pose.orientation,
        };
        self.bodies.iter().map(frame).collect()
    }

    /// Number of constraint rows.
    pub fn rows(&self) -> usize {
        self.constraints.iter().map(Constraint::rows).sum()
    }

    /// Form of a constraint.
    pub fn formulation(&self, constraint: usize) -> Formulation {
        self.formulations
            .get(constraint)
            .copied()
            .unwrap_or_default()
    }

    /// Linear momentum of all free particles and bodies (N·s).
    pub fn momentum(&self) -> Vector3<f64> {
        let mut sum = Vector3::zeros();
        for (index, v) in self.velocities.iter().enumerate() {
            if !self.fixed[index] {
                sum += v * self.masses[index];
            }
        }
        for body in self.bodies.iter().filter(|body| !body.fixed) {
            sum += body.state.velocity * body.inertia.mass();
        }
        sum
    }
}
