//! Given forces and torques on bodies, in addition to gravity.

use super::Model;
use crate::{
    scene::{GivenLoad, Signal},
    state::State,
};
use nalgebra::{Matrix3, Vector3};
use std::ops::Range;

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

/// Force on some points that changes with time.
#[derive(Debug, Clone)]
pub(super) struct VaryingPull {
    pub(super) points: Vec<u32>,
    /// Share of each point, relative to `force`.
    pub(super) share: f64,
    /// Total force (N).
    pub(super) force: Signal,
}

/// The given forces of a scene.
#[derive(Debug, Clone, Default)]
pub(super) struct LoadsOfScene {
    /// Constant force on each point (N).
    pub(super) constant: Vec<Vector3<f64>>,
    pub(super) varying: Vec<VaryingPull>,
    /// Bodies with a force or torque as a whole.
    pub(super) of_bodies: Vec<(usize, GivenLoad)>,
}

/// Given forces: constant during a step, set between steps. Those that change with time have their mean over the step,
/// so that its impulse is theirs.
#[derive(Debug, Clone, Default)]
pub struct Loads {
    /// Constant force on each point from the scene (N).
    constant: Vec<Vector3<f64>>,
    /// Forces on points from the scene that change with time.
    varying: Vec<VaryingPull>,
    /// Loads of bodies from the scene: the index of each body with its load.
    of_scene: Vec<(usize, GivenLoad)>,
    /// Load that a program set, of each body in the order of the geometry.
    given: Vec<Load>,
    /// Load of each free rigid body in the present step.
    rigid: Vec<Load>,
    /// Whether nodal forces in the model are other than the constant ones.
    varies: bool,
}

impl Loads {
    /// The loads `of_scene`, of a model with so many bodies and free rigid bodies.
    pub(super) fn new(of_scene: LoadsOfScene, bodies: usize, rigid: usize) -> Self {
        let LoadsOfScene {
            constant,
            varying,
            of_bodies,
        } = of_scene;
        Self {
            constant,
            varying,
            of_scene: of_bodies,
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

    /// Whether the scene gives a body a force, or some of its `points` one that changes with time.
    pub(crate) fn are_on(&self, body: usize, points: &Range<usize>) -> bool {
        let of_body = self.of_scene.iter().any(|(loaded, _)| *loaded == body);
        let mut pulled = self.varying.iter().flat_map(|pull| &pull.points);
        of_body || pulled.any(|&point| points.contains(&(point as usize)))
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
        let (start, end) = (state.time, state.time + self.settings.time_step);
        let mean = |signal: &Option<Signal>| {
            let value = signal.as_ref().map(|signal| signal.mean(start, end));
            Vector3::from(value.unwrap_or_default())
        };
        let mut loads = self.loads.given.clone();
        for (body, load) in &self.loads.of_scene {
            loads[*body].force += mean(&load.force);
            loads[*body].torque += mean(&load.torque);
        }
        for (rigid, load) in self.rigid.iter().zip(&mut self.loads.rigid) {
            *load = loads[rigid.body];
        }
        let is_deformable = |body: usize| !self.geometry.bodies[body].is_rigid();
        let loaded: Vec<usize> = (0..loads.len())
            .filter(|&body| !loads[body].is_zero() && is_deformable(body))
            .collect();
        let varies = !(loaded.is_empty() && self.loads.varying.is_empty());
        if !varies && !self.loads.varies {
            return;
        }
        self.points.pull.clone_from(&self.loads.constant);
        for pull in &self.loads.varying {
            let share = Vector3::from(pull.force.mean(start, end)) * pull.share;
            for &point in &pull.points {
                self.points.pull[point as usize] += share;
            }
        }
        for &body in &loaded {
            self.spread(body, &loads[body], state);
        }
        self.loads.varies = varies;
    }

    /// Adds the load of a deformable body to the forces of its free nodes, `m (a + α × r)` at the arm `r` from their
    /// centre of mass: in proportion to the masses, so that only the torque deforms the body.
    fn spread(&mut self, body: usize, load: &Load, state: &State) {
        let points = self.geometry.bodies[body].points.clone();
        let free: Vec<usize> = points
            .filter(|&point| self.unknowns.motion_of_point[point].is_free())
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
