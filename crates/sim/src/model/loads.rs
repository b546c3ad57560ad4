//! Given forces and torques on bodies, in addition to gravity.

use super::{Model, PointMotion};
use crate::state::State;
use nalgebra::{Matrix3, Vector3};

/// Force and torque on a body.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Load {
    /// Force (N): on a rigid body at its centre of mass, on a deformable one spread over its free nodes by their mass.
    pub force: Vector3<f64>,
    /// Torque about the centre of mass, in world axes (N·m).
    pub torque: Vector3<f64>,
}

impl Load {
    /// Whether it does nothing.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

/// Given forces: constant during a step, set between steps.
#[derive(Debug, Clone, Default)]
pub struct Loads {
    /// Constant force on each point from the scene (N).
    constant: Vec<Vector3<f64>>,
    /// Load that a program set, of each body in the order of the geometry.
    given: Vec<Load>,
    /// Load of each free rigid body in the present step.
    rigid: Vec<Load>,
    /// Whether nodal forces in the model are other than the constant ones.
    varies: bool,
}

impl Loads {
    /// The constant nodal forces `constant` (N), of a model with so many bodies and free rigid bodies.
    pub(super) fn new(constant: Vec<Vector3<f64>>, bodies: usize, rigid: usize) -> Self {
        Self {
            constant,
            given: vec![Load::default(); bodies],
            rigid: vec![Load::default(); rigid],
            varies: false,
        }
    }

    /// Load of a free rigid body in the present step.
    ///
    /// # Panics
    /// If there is no such rigid body.
    pub fn of_rigid(&self, index: usize) -> &Load {
        &self.rigid[index]
    }

    /// Load that a program set on a body.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn given(&self, body: usize) -> &Load {
        &self.given[body]
    }

    /// The same, to change it for the following steps.
    pub(crate) fn given_mut(&mut self, body: usize) -> &mut Load {
        &mut self.given[body]
    }

    /// The loads that a program set, of all bodies.
    pub(crate) fn all_given(&self) -> &[Load] {
        &self.given
    }

    /// Replaces them; `given` has one per body.
    pub(crate) fn set_all_given(&mut self, given: &[Load]) {
        self.given.copy_from_slice(given);
    }
}

impl Model {
    /// Sets the forces of the step that starts at `state`.
    pub(crate) fn load_step(&mut self, state: &State) {
        for (rigid, load) in self.rigid.iter().zip(&mut self.loads.rigid) {
            *load = self.loads.given[rigid.body];
        }
        let is_deformable = |body: usize| !self.geometry.bodies[body].is_rigid();
        let loaded: Vec<usize> = (0..self.geometry.bodies.len())
            .filter(|&body| !self.loads.given[body].is_zero() && is_deformable(body))
            .collect();
        if loaded.is_empty() && !self.loads.varies {
            return;
        }
        self.points.pull.clone_from(&self.loads.constant);
        for &body in &loaded {
            self.spread(body, state);
        }
        self.loads.varies = !loaded.is_empty();
    }

    /// Adds the load of a deformable body to the forces of its free nodes, `m (a + α × r)` at the arm `r` from their
    /// centre of mass: in proportion to the masses, so that only the torque deforms the body.
    fn spread(&mut self, body: usize, state: &State) {
        let load = self.loads.given[body];
        let points = self.geometry.bodies[body].points.clone();
        let free: Vec<usize> = points
            .filter(|&point| matches!(self.unknowns.motion_of_point[point], PointMotion::Free(_)))
            .collect();
        let mass = |point: usize| self.points.mass[point];
        let total: f64 = free.iter().map(|&point| mass(point)).sum();
        if total <= 0.0 {
            return;
        }
        let moment = |sum: Vector3<f64>, &point: &usize| sum + state.positions[point] * mass(point);
        let center = free.iter().fold(Vector3::zeros(), moment) / total;
        let inertia = free.iter().fold(Matrix3::zeros(), |sum, &point| {
            let arm = state.positions[point] - center;
            let square = Matrix3::from_diagonal_element(arm.norm_squared());
            sum + (square - arm * arm.transpose()) * mass(point)
        });
        // Nodes on a line take no torque about it.
        let turn = inertia
            .pseudo_inverse(1e-12 * inertia.trace())
            .map_or_else(|_| Vector3::zeros(), |inverse| inverse * load.torque);
        for &point in &free {
            let arm = state.positions[point] - center;
            let acceleration = load.force / total + turn.cross(&arm);
            self.points.pull[point] += acceleration * mass(point);
        }
    }
}
