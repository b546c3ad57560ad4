//! The equations that a substep solved and their solution, as the balance reads them.

use crate::contacts::contact::Contact;
use crate::flight::Flight;
use crate::model::Model;
use crate::state::State;
use impinge_contact::constraint::{Condenser, Evaluation};
use impinge_contact::{ContactProblem, ContactSolution};
use nalgebra::{Matrix3, Vector3};

/// The equations of an accepted substep, their solution, and the state that they start from.
#[derive(Clone, Copy)]
pub(crate) struct Substep<'a> {
    pub(crate) model: &'a Model,
    /// The state at the start.
    pub(crate) start: &'a State,
    pub(crate) problem: &'a ContactProblem,
    /// Mean velocities and forces.
    pub(crate) solution: &'a ContactSolution,
    /// The contacts with the forces that the next state gets.
    pub(crate) contacts: &'a [Contact],
    pub(crate) flight: &'a Flight,
    /// Mean velocity of points with a prescribed motion (m/s).
    pub(crate) prescribed_velocity: &'a [Vector3<f64>],
    /// Positions at the end (m); only those of prescribed points are read.
    pub(crate) end: &'a [Vector3<f64>],
    /// `B` of every free rigid body: `ω = B w`.
    pub(crate) axes: &'a [Matrix3<f64>],
    /// Starts of the unknowns of every free rigid body.
    pub(crate) rigid_starts: &'a [UnknownsStart],
    /// Positions at which elastic forces are linearised (m).
    pub(crate) linearised_at: &'a [Vector3<f64>],
    /// Joints in stiffness form.
    pub(crate) links: &'a [(Evaluation, Condenser)],
    /// Forces of extensions.
    pub(crate) forces: Option<&'a AddedForces>,
}

/// Start of the unknowns of a free rigid body, without gravity.
pub(crate) struct UnknownsStart {
    /// `(1 + κ)²`.
    pub(crate) inertia_factor: f64,
    /// Velocities that its two blocks of unknowns start from (m/s).
    pub(crate) velocities: [Vector3<f64>; 2],
}

/// Terms of the momentum system from forces of extensions.
#[derive(Debug, Clone, Default)]
pub(crate) struct AddedForces {
    /// Right-hand side, in the order of the unknowns (N·s).
    pub(crate) impulses: Vec<f64>,
    /// Diagonal blocks of the matrix (kg).
    pub(crate) diagonal: Vec<(u32, Matrix3<f64>)>,
}

impl Substep<'_> {
    /// Time at the end (s).
    pub(super) fn end_time(&self) -> f64 {
        self.start.time + self.problem.time_step
    }

    /// Whether a point with a prescribed motion moves.
    pub(super) fn is_moved(&self, point: usize) -> bool {
        self.model.unknowns.motion_of_point[point].is_prescribed()
            && (self.prescribed_velocity[point] != Vector3::zeros()
                || self.start.velocities[point] != Vector3::zeros())
    }

    /// Mean velocity of a point that is no part of a free rigid body (m/s).
    pub(super) fn velocity_of(&self, point: usize) -> Vector3<f64> {
        match self.model.unknowns.block_of_point[point] {
            Some(block) => get(&self.solution.velocity, block as usize),
            None => self.prescribed_velocity[point],
        }
    }
}

/// The entries of a block.
pub(super) fn get(values: &[f64], block: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&values[3 * block..][..3])
}
