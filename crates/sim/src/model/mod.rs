//! Everything that stays constant during a run.

mod blocks;
mod builder;
mod lengths;
mod solver;
mod touching;

use crate::{
    error::SimError,
    rigid::RigidBody,
    scene::{
        Asynchronous, Formulation, Placed, RigidMotion, Scene, SceneParts, StepperChoice,
        pair_friction,
    },
    solid::StressPoint,
    state::State,
    step::features::Neighbours,
    thin::ThinBodies,
    tolerances::ToleranceScales,
};
use blocks::{block_pattern, number_blocks};
use builder::Builder;
use impinge_contact::constraint::{Constraint, GeometricStiffness, Term};
use impinge_contact::method::Method;
use impinge_fem::ElasticModel;
use impinge_geometry::surface::CollisionSurface;
use impinge_krylov::block::BlockPattern;
pub use lengths::BodyLengths;
use nalgebra::Vector3;
use std::{ops::Range, path::PathBuf, sync::Arc};
pub use touching::TouchingStart;
pub(crate) use touching::is_closed;

/// A deformable body, a rigid body or a mesh obstacle.
#[derive(Debug, Clone)]
pub struct Body {
    /// Name from the scene.
    pub name: String,
    /// The body or obstacle of the scene that it is a copy of.
    pub origin: Placed,
    /// Its points.
    pub points: Range<usize>,
    /// Its tetrahedra; empty for rigid bodies and obstacles.
    pub tets: Range<usize>,
    /// Whether it is thin: elastic terms on its triangles instead of elements.
    pub thin: bool,
    /// Whether its surface may be met from both sides: a thin body, or an obstacle whose surface is open.
    pub two_sided: bool,
    /// Its surface triangles.
    pub triangles: Range<usize>,
    /// Its own friction coefficient.
    pub friction: f64,
    /// For each point, the node of the mesh as it was given: nodes are stored along a space-filling curve.
    pub original_nodes: Vec<u32>,
}

/// A half-space that never moves.
#[derive(Debug, Clone)]
pub struct HalfSpace {
    /// Name from the scene.
    pub name: String,
    /// A point of its plane (m).
    pub point: Vector3<f64>,
    /// Unit normal, out of the solid.
    pub normal: Vector3<f64>,
    /// Its own friction coefficient.
    pub friction: f64,
}

/// What moves a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointMotion {
    /// The block of the velocity that holds it.
    Free(u32),
    /// The free rigid body that it is part of.
    Rigid(u32),
    /// The prescribed motion that carries it.
    Prescribed(u32),
}

/// The constant part of a simulation: meshes, masses, materials, topology, parameters. It changes only where the scene lets
/// go of prescribed nodes.
///
/// Points are numbered through: deformable bodies first, each along a space-filling curve, then rigid bodies, then mesh
/// obstacles. Blocks of unknowns: one per free node, then two per free rigid body.
#[derive(Debug)]
pub struct Model {
    /// Positions at rest, which are those at time 0 (m).
    pub rest: Vec<Vector3<f64>>,
    /// Lumped mass per point (kg); 0 for rigid bodies and obstacles.
    pub mass: Vec<f64>,
    /// Mass-proportional damping per point (kg/s).
    pub mass_damping: Vec<f64>,
    /// Constant force on each point (N), beside gravity.
    pub pull: Vec<Vector3<f64>>,
    /// What moves each point.
    pub motion_of_point: Vec<PointMotion>,
    /// The same, as the block of free nodes.
    pub block_of_point: Vec<Option<u32>>,
    /// Point of each block; blocks beyond its length belong to rigid bodies.
    pub point_of_block: Vec<u32>,
    /// Prescribed motions.
    pub motions: Vec<RigidMotion>,
    /// Deformable bodies, then rigid bodies, those with a prescribed motion included.
    pub bodies: Vec<Body>,
    /// The free ones among the rigid bodies.
    pub rigid: Vec<RigidBody>,
    /// Mesh obstacles; body `bodies.len() + i` of the collision surface.
    pub obstacles: Vec<Body>,
    /// Rows of constraints: joints and links, then strains of solids and sheets, then edges and triangles of thin bodies; their
    /// particles are points, their bodies those of `rigid`.
    pub joints: Vec<Constraint>,
    /// Constraints in stiffness form, in the momentum matrix: links, then strains of solids and sheets.
    pub soft: Vec<Constraint>,
    /// How many of them are links, which may join two bodies.
    pub soft_links: usize,
    /// Strains between points that never move: they act on nothing, but hold energy.
    pub held: Vec<Constraint>,
    /// Bodies that joints join and that are not held apart, as numbers of the collision surface's bodies, the smaller one first.
    pub joined: Vec<[u32; 2]>,
    /// Which of `joints`, then `soft`, then `held`, say what the stress of a body is, in the order of their rows; which flow.
    pub(crate) stress_points: Vec<StressPoint>,
    /// What of their geometric stiffness is used.
    pub joint_stiffness: GeometricStiffness,
    /// Half-spaces.
    pub half_spaces: Vec<HalfSpace>,
    /// Tetrahedra of all bodies.
    pub tets: Vec<[u32; 4]>,
    /// Elastic terms of thin bodies, over all points.
    pub thin: ThinBodies,
    /// Elements, materials and masses.
    pub elastic: ElasticModel,
    /// Blocks of the momentum matrix.
    pub pattern: Arc<BlockPattern>,
    /// Triangles, edges and vertices that may touch.
    pub surface: CollisionSurface,
    /// Which of them meet where.
    pub neighbours: Neighbours,
    /// Gravity (m/s²).
    pub gravity: Vector3<f64>,
    /// Length of a whole step (s).
    pub time_step: f64,
    /// Shortest part that a step is divided into (s).
    pub minimum_step: f64,
    /// Whether elements may invert.
    pub allow_inversion: bool,
    /// Whether sticking contacts keep their anchor from step to step.
    pub anchored_contacts: bool,
    /// Scales of the tolerances.
    pub tolerances: ToleranceScales,
    /// Lengths that those of contacts are made of.
    pub lengths: BodyLengths,
    /// The asynchronous stepper's part of the scene, where it is chosen.
    pub asynchronous: Option<Asynchronous>,
    /// The contact method with its settings, tolerances excepted.
    pub solver: Method,
    /// The folder that compliances at rest are kept in, if any.
    pub rest_compliance: Option<PathBuf>,
    /// Pairs that touched at the start and were moved apart, in `rest`.
    pub touching: Option<TouchingStart>,
    /// Joints that hold bodies where they are not, in words.
    pub(crate) doubtful_joints: Vec<String>,
}

impl Model {
    /// Builds the model of a scene, and its state at time 0. Surfaces that touch recede to the gap at which contacts rest, see
    /// [`touching`](Self::touching).
    ///
    /// # Errors
    /// [`SimError`] for scenes, meshes and materials that cannot be simulated.
    pub fn new(scene: &Scene) -> Result<(Self, State), SimError> {
        let mut parts = scene.instantiate()?;
        let (model, state) = Self::of_parts(scene, &parts)?;
        // Penalty layers have gaps of their own, and without contact bodies may overlap.
        if scene.stepper != StepperChoice::Synchronous {
            return Ok((model, state));
        }
        let Some((moves, touching)) = touching::recede(&model) else {
            return Ok((model, state));
        };
        touching::apply(&mut parts, &model, &moves)?;
        drop((model, state));
        // Masses, elements and joints follow from the shape at rest.
        let (mut model, state) = Self::of_parts(scene, &parts)?;
        model.touching = Some(touching);
        Ok((model, state))
    }

    fn of_parts(scene: &Scene, parts: &SceneParts) -> Result<(Self, State), SimError> {
        let mut builder = Builder::default();
        for (index, part) in parts.bodies.iter().enumerate() {
            builder.add_body(index, part, &parts.motions)?;
        }
        for part in &parts.shells {
            let by_default = match scene.stepper {
                StepperChoice::Constrained => Formulation::Compliance,
                _ => Formulation::Stiffness,
            };
            let formulation = part.shell.formulation.unwrap_or(by_default);
            builder.add_shell(part, &parts.motions, formulation)?;
        }
        for part in &parts.rigid_bodies {
            builder.add_rigid(part, &parts.motions);
        }
        for part in &parts.obstacles {
            builder.add_obstacle(part, &parts.motions);
        }
        builder.finish(scene, parts)
    }

    /// What the user should know of how the scene was read.
    pub(crate) fn notices(&self) -> Vec<String> {
        let touching = self.touching.as_ref().map(|touching| touching.notice(self));
        touching
            .into_iter()
            .chain(self.doubtful_joints.iter().cloned())
            .collect()
    }

    /// Number of bodies and mesh obstacles; half-spaces come after them in body numbering.
    pub fn solid_count(&self) -> usize {
        self.bodies.len() + self.obstacles.len()
    }

    /// Body or mesh obstacle by number.
    pub fn solid(&self, index: usize) -> &Body {
        self.bodies
            .get(index)
            .unwrap_or_else(|| &self.obstacles[index - self.bodies.len()])
    }

    /// Body or mesh obstacle of a surface point.
    pub fn solid_of_point(&self, point: u32) -> usize {
        self.surface.body_of_point(point) as usize
    }

    /// Name of a body, mesh obstacle or half-space by number.
    pub fn name_of(&self, index: usize) -> &str {
        if index < self.solid_count() {
            &self.solid(index).name
        } else {
            &self.half_spaces[index - self.solid_count()].name
        }
    }

    /// `μ` between two solids, or between a solid and a half-space (numbered after the solids).
    pub fn pair_friction(&self, first: usize, second: usize) -> f64 {
        let of = |index: usize| {
            if index < self.solid_count() {
                self.solid(index).friction
            } else {
                self.half_spaces[index - self.solid_count()].friction
            }
        };
        pair_friction(of(first), of(second))
    }

    /// Number of blocks of unknowns: free nodes, and two for every free rigid body.
    pub fn blocks(&self) -> usize {
        self.point_of_block.len() + 2 * self.rigid.len()
    }

    /// The rigid ones among the bodies, those with a prescribed motion included, ascending.
    pub fn rigid_bodies(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.bodies.len())
            .filter(|&body| self.bodies[body].tets.is_empty() && !self.bodies[body].thin)
    }

    /// Mass of a body (kg); 0 for obstacles and rigid bodies with a prescribed motion.
    pub fn body_mass(&self, index: usize) -> f64 {
        match self.rigid.iter().find(|rigid| rigid.body == index) {
            Some(rigid) => rigid.inertia.mass(),
            None => self.mass[self.solid(index).points.clone()].iter().sum(),
        }
    }

    /// Which bodies are held at a point, or have rows or links of their own: all others are moved by forces alone.
    pub(crate) fn tied_bodies(&self) -> Vec<bool> {
        let is_held =
            |point: usize| matches!(self.motion_of_point[point], PointMotion::Prescribed(_));
        let mut tied: Vec<bool> = (self.bodies.iter())
            .map(|body| body.points.clone().any(is_held))
            .collect();
        let rows = self.joints.iter().chain(&self.soft[..self.soft_links]);
        for term in rows.flat_map(Constraint::points).flat_map(|p| &p.terms) {
            if let Term::Particle { index, .. } = *term
                && let Some(tied) = tied.get_mut(self.solid_of_point(index as u32))
            {
                *tied = true;
            }
        }
        tied
    }

    /// Frees the points whose prescribed motion has let go at `time` (s), whereupon the unknowns are others: the motions that
    /// points had, for [`move_points`](Self::move_points) to give back. `None` if there were none.
    pub(crate) fn release(&mut self, time: f64) -> Option<Vec<PointMotion>> {
        let ended: Vec<bool> = self.motions.iter().map(|m| m.has_ended(time)).collect();
        let let_go = |motion: &PointMotion| matches!(*motion, PointMotion::Prescribed(by) if ended[by as usize]);
        if !self.motion_of_point.iter().any(let_go) {
            return None;
        }
        let before = self.motion_of_point.clone();
        let after = before.iter().map(|motion| match motion {
            motion if let_go(motion) => PointMotion::Free(u32::MAX),
            motion => *motion,
        });
        self.move_points(after.collect());
        Some(before)
    }

    /// Sets what moves each point, and numbers the unknowns by it.
    pub(crate) fn move_points(&mut self, motions: Vec<PointMotion>) {
        self.motion_of_point = motions;
        (self.point_of_block, self.block_of_point) =
            number_blocks(&mut self.motion_of_point, &mut self.rigid);
        self.pattern = block_pattern(
            self.blocks(),
            &self.elastic,
            &self.thin,
            &[&self.joints, &self.soft],
            &self.block_of_point,
            &self.rigid,
        );
    }

    /// Name of a solid that a prescribed motion carries.
    pub(crate) fn name_of_moved(&self, motion: u32) -> String {
        let moved = PointMotion::Prescribed(motion);
        self.motion_of_point
            .iter()
            .position(|&of_point| of_point == moved)
            .map_or_else(String::new, |point| {
                self.solid(self.surface.group()[point] as usize)
                    .name
                    .clone()
            })
    }
}
