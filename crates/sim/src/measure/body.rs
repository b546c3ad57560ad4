//! One body of a state: place, motion, momentum, energy and contact load.

use super::{rigid::Wrench, strains::constraint_energies_of};
use crate::{
    contacts::{contact::Contact, stencil::solids_of},
    geometry::Body,
    model::{Load, Model, PointMotion},
    rigid::{RigidBody, RigidState},
    scene::RigidMotion,
    state::State,
};
use impinge_contact::ContactState;
use impinge_contact::constraint::{Constraint, Term};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

/// Kind of a solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SolidKind {
    /// A deformable solid.
    Elastic,
    /// A thin body.
    Shell,
    /// A rigid body.
    Rigid,
    /// A surface that only its prescribed motion moves.
    Obstacle,
    /// A half-space.
    HalfSpace,
}

/// Placement of a body's own frame, as `position` and `rotation` of the scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Position of its origin (m).
    pub position: Vector3<f64>,
    /// Rotation from its axes to the world's.
    pub orientation: UnitQuaternion<f64>,
}

/// Energies of a body (J).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BodyEnergies {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Elastic energy, without that of joints.
    pub elastic: f64,
    /// Gravitational energy, 0 at the origin.
    pub gravitational: f64,
}

/// A body, obstacle or half-space at a state.
///
/// A body of which all points are prescribed, or an obstacle, has no momentum and no energy: forces do not move it.
#[derive(Debug, Clone, Copy)]
pub struct BodyView<'a> {
    model: &'a Model,
    state: &'a State,
    index: usize,
}

impl<'a> BodyView<'a> {
    /// The solid of that number, see [`Geometry`](crate::geometry::Geometry), or `None` if there is no such solid.
    pub fn new(model: &'a Model, state: &'a State, index: usize) -> Option<Self> {
        let all = model.geometry.solid_count() + model.geometry.half_spaces.len();
        (index < all).then_some(Self {
            model,
            state,
            index,
        })
    }

    /// Its number: bodies come first, then mesh obstacles, then half-spaces.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Its name.
    pub fn name(&self) -> &'a str {
        self.model.geometry.name_of(self.index)
    }

    /// Its kind.
    pub fn kind(&self) -> SolidKind {
        let geometry = &self.model.geometry;
        match self.solid() {
            None => SolidKind::HalfSpace,
            Some(_) if self.index >= geometry.bodies.len() => SolidKind::Obstacle,
            Some(body) if body.thin => SolidKind::Shell,
            Some(body) if body.is_rigid() => SolidKind::Rigid,
            Some(_) => SolidKind::Elastic,
        }
    }

    fn solid(&self) -> Option<&'a Body> {
        let geometry = &self.model.geometry;
        (self.index < geometry.solid_count()).then(|| geometry.solid(self.index))
    }

    /// Numbers of its points in [`State::positions`]; empty for a half-space.
    pub fn points(&self) -> std::ops::Range<usize> {
        self.solid().map_or(0..0, |body| body.points.clone())
    }

    /// Position of each point (m).
    pub fn positions(&self) -> &'a [Vector3<f64>] {
        &self.state.positions[self.points()]
    }

    /// Velocity of each point (m/s).
    pub fn velocities(&self) -> &'a [Vector3<f64>] {
        &self.state.velocities[self.points()]
    }

    /// Position of each point at rest (m).
    pub fn rest_positions(&self) -> &'a [Vector3<f64>] {
        &self.model.points.rest[self.points()]
    }

    /// For each point, its node in the body's own mesh: points are stored along a space-filling curve.
    pub fn nodes(&self) -> &'a [u32] {
        self.solid().map_or(&[], |body| &body.original_nodes)
    }

    /// Triangles of its surface, as numbers of its points from 0.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let Some(body) = self.solid() else {
            return Vec::new();
        };
        let first = body.points.start as u32;
        let triangles = &self.model.geometry.surface.triangles()[body.triangles.clone()];
        triangles
            .iter()
            .map(|t| t.map(|point| point - first))
            .collect()
    }

    /// Tetrahedra of an elastic body, as numbers of its points from 0; empty for others.
    pub fn tetrahedra(&self) -> Vec<[u32; 4]> {
        let Some(body) = self.solid() else {
            return Vec::new();
        };
        let first = body.points.start as u32;
        let tets = &self.model.elements.tets[body.tets.clone()];
        tets.iter().map(|t| t.map(|point| point - first)).collect()
    }

    /// Whether a prescribed motion moves all its points, or it never moves.
    pub fn is_prescribed(&self) -> bool {
        let is_prescribed = |point: usize| {
            let motion = self.model.unknowns.motion_of_point[point];
            motion.is_prescribed()
        };
        self.points().all(is_prescribed)
    }

    /// The free rigid body and its state.
    fn rigid(&self) -> Option<(&'a RigidBody, &'a RigidState)> {
        let mut all = self.model.rigid.iter().zip(&self.state.rigid);
        all.find(|(rigid, _)| rigid.body == self.index)
    }

    /// The prescribed motion of a rigid body or an obstacle.
    fn motion(&self) -> Option<&'a RigidMotion> {
        let body = self.solid().filter(|body| body.is_rigid())?;
        match self.model.unknowns.motion_of_point[body.points.start] {
            PointMotion::Prescribed(motion) => Some(&self.model.unknowns.motions[motion as usize]),
            _ => None,
        }
    }

    /// Placement of the body's own frame; `None` for a deformable body, and for a half-space.
    pub fn pose(&self) -> Option<Pose> {
        let origin = self.solid()?.origin;
        if let Some((rigid, at)) = self.rigid() {
            let arm = origin.position - rigid.inertia.center();
            return Some(Pose {
                position: at.pose.place(&arm),
                orientation: at.pose.orientation * origin.rotation,
            });
        }
        let motion = self.motion()?;
        let turn = motion.turn_at(self.state.time).unwrap_or_default();
        Some(Pose {
            position: motion.position_at(&origin.position, self.state.time),
            orientation: turn * origin.rotation,
        })
    }

    /// Mass (kg); 0 for obstacles, half-spaces and rigid bodies with a prescribed motion.
    pub fn mass(&self) -> f64 {
        if self.solid().is_some() {
            self.model.body_mass(self.index)
        } else {
            0.0
        }
    }

    /// Sum of `of` over the masses of the points (kg), with position (m) and velocity (m/s).
    fn sum(&self, of: impl Fn(f64, &Vector3<f64>, &Vector3<f64>) -> Vector3<f64>) -> Vector3<f64> {
        let points = self.points().map(|point| {
            let (x, v) = (&self.state.positions[point], &self.state.velocities[point]);
            of(self.model.points.mass[point], x, v)
        });
        points.sum()
    }

    /// Centre of mass (m). Without mass, the origin of the body's own frame; 0 for a half-space.
    pub fn center_of_mass(&self) -> Vector3<f64> {
        if let Some((_, at)) = self.rigid() {
            return at.pose.center;
        }
        let mass = self.mass();
        if mass > 0.0 {
            return self.sum(|m, x, _| x * m) / mass;
        }
        self.pose()
            .map_or_else(Vector3::zeros, |pose| pose.position)
    }

    /// Velocity of the centre of mass (m/s). Without mass, that of the origin of the body's own frame.
    pub fn velocity(&self) -> Vector3<f64> {
        if let Some((_, at)) = self.rigid() {
            return at.velocity;
        }
        let mass = self.mass();
        if mass > 0.0 {
            return self.momentum() / mass;
        }
        let origin = self.solid().map(|body| body.origin.position);
        let velocity = self.motion().zip(origin);
        velocity.map_or_else(Vector3::zeros, |(motion, origin)| {
            motion.velocity_at(&origin, self.state.time)
        })
    }

    /// Angular velocity (rad/s). Of a deformable body, that of a rigid body of the same shape and angular momentum.
    pub fn angular_velocity(&self) -> Vector3<f64> {
        if let Some((rigid, at)) = self.rigid() {
            return rigid.angular_velocity(at);
        }
        if let Some(motion) = self.motion() {
            return motion.velocities_at(self.state.time).1;
        }
        let center = self.center_of_mass();
        let mut inertia = Matrix3::zeros();
        for point in self.points() {
            let arm = self.state.positions[point] - center;
            let square = Matrix3::from_diagonal_element(arm.norm_squared());
            inertia += (square - arm * arm.transpose()) * self.model.points.mass[point];
        }
        let inverse = inertia.try_inverse();
        inverse.map_or_else(Vector3::zeros, |inverse| inverse * self.angular_momentum())
    }

    /// Linear momentum (N·s).
    pub fn momentum(&self) -> Vector3<f64> {
        match self.rigid() {
            Some((rigid, at)) => at.velocity * rigid.inertia.mass(),
            None => self.sum(|mass, _, v| v * mass),
        }
    }

    /// Angular momentum about the centre of mass (N·m·s).
    pub fn angular_momentum(&self) -> Vector3<f64> {
        if let Some((_, at)) = self.rigid() {
            return at.angular_momentum;
        }
        let center = self.center_of_mass();
        self.sum(|mass, x, v| (x - center).cross(v) * mass)
    }

    /// Kinetic, elastic and gravitational energy (J).
    pub fn energies(&self) -> BodyEnergies {
        let gravity = &self.model.settings.gravity;
        if let Some((rigid, at)) = self.rigid() {
            return BodyEnergies {
                kinetic: rigid.kinetic_energy(at),
                elastic: 0.0,
                gravitational: -rigid.inertia.mass() * gravity.dot(&at.pose.center),
            };
        }
        let Some(body) = self.solid().filter(|body| !body.is_rigid()) else {
            return BodyEnergies::default();
        };
        let positions = &self.state.positions;
        let is_own = |constraint: &Constraint| {
            let mut terms = constraint.points().iter().flat_map(|point| &point.terms);
            terms.all(|term| match *term {
                Term::Particle { index, .. } => body.points.contains(&index),
                Term::Body { .. } => false,
            })
        };
        let half_squares = |point: usize| {
            0.5 * self.model.points.mass[point] * self.state.velocities[point].norm_squared()
        };
        BodyEnergies {
            kinetic: self.points().map(half_squares).sum(),
            elastic: self
                .model
                .elements
                .elastic
                .energy_of(body.tets.clone(), positions)
                + self.model.elements.thin.energy_of(&body.points, positions)
                + constraint_energies_of(self.model, self.state, is_own)
                    .map(|(_, _, energy)| energy)
                    .sum::<f64>(),
            gravitational: -gravity.dot(&self.sum(|mass, x, _| x * mass)),
        }
    }

    /// Sum of the contact forces on it (N), and their torque about its centre of mass (N·m).
    pub fn contact_load(&self) -> Wrench {
        let center = self.center_of_mass();
        let mut sum = Wrench::default();
        let pushes = |contact: &&Contact| contact.multipliers.state != ContactState::Inactive;
        for contact in self.state.contacts.iter().filter(pushes) {
            let [first, second] = solids_of(&self.model.geometry, contact.key);
            if first != self.index && second != self.index {
                continue;
            }
            let half_space = contact.point_count == 1 && second == self.index;
            for (i, &point) in contact.stencil().iter().enumerate() {
                let own = self.points().contains(&(point as usize));
                if own || half_space {
                    let force = contact.force_on(i) * if half_space { -1.0 } else { 1.0 };
                    sum.force += force;
                    let arm = self.state.positions[point as usize] - center;
                    sum.torque += arm.cross(&force);
                }
            }
        }
        sum
    }

    /// Force and torque that a program set on it, see
    /// [`Simulation::set_force`](crate::Simulation::set_force).
    pub fn given_load(&self) -> Load {
        if self.index < self.model.geometry.bodies.len() {
            *self.model.loads.given(self.index)
        } else {
            Load::default()
        }
    }
}
