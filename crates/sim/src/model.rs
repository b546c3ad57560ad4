//! Everything that stays constant during a run.

use crate::{
    error::SimError,
    joints::{Joined, PartsToJoin, coupled_blocks, join},
    rigid::{RigidBody, RigidState},
    scene::{
        Asynchronous, BodyPart, Formulation, MaterialModel, MeshObstaclePart, RigidMotion,
        RigidPart, Scene, SceneParts, ShellPart, StepperChoice, pair_friction,
    },
    solid::{Elements, Sheet, StrainBody, Yield, cells_of_tets, strain_constraints},
    state::State,
    step::features::Neighbours,
    thin::{
        ThinBodies,
        rows::{ThinPlaces, thin_constraints},
    },
    tolerances::{ToleranceMode, ToleranceScales},
};
use impinge_contact::constraint::{Constraint, GeometricStiffness};
use impinge_contact::method::Method;
use impinge_contact::method::active_set_cr::{
    ActiveSetCrSettings, EvaluationSchedule, PreconditionerKind,
};
use impinge_contact::method::compliant_kkt::CompliantKktSettings;
use impinge_contact::method::constraint_anticipation::ConstraintAnticipationSettings;
use impinge_contact::method::corrective_motion::{CorrectiveMotionSettings, DelassusForm};
use impinge_contact::method::staggered_projections::{Schedule, StaggeredProjectionsSettings};
use impinge_fem::thin::{Shell, ShellMaterial};
use impinge_fem::{ElasticModel, Material, RayleighDamping, VonMises};
use impinge_geometry::{
    mesh::TriangleMesh,
    surface::{CollisionSurface, PairFilter},
};
use impinge_krylov::block::BlockPattern;
use nalgebra::Vector3;
use std::{ops::Range, path::PathBuf, sync::Arc};

/// A deformable body, a rigid body or a mesh obstacle.
#[derive(Debug, Clone)]
pub struct Body {
    /// Name from the scene.
    pub name: String,
    /// Its points.
    pub points: Range<usize>,
    /// Its tetrahedra; empty for rigid bodies and obstacles.
    pub tets: Range<usize>,
    /// Whether it is thin: elastic terms on its triangles instead of elements.
    pub thin: bool,
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
    /// How many of them are no edges and triangles of thin bodies, which know their energy themselves.
    pub measured_joints: usize,
    /// Constraints in stiffness form, in the momentum matrix: links, then strains of solids and sheets.
    pub soft: Vec<Constraint>,
    /// How many of them are links, which may join two bodies.
    pub soft_links: usize,
    /// Which of `joints`, then `soft`, flow.
    pub(crate) yields: Vec<Yield>,
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
    /// The asynchronous stepper's part of the scene, where it is chosen.
    pub asynchronous: Option<Asynchronous>,
    /// The contact method with its settings, tolerances excepted.
    pub solver: Method,
    /// The folder that compliances at rest are kept in, if any.
    pub rest_compliance: Option<PathBuf>,
    /// What the user should know of how the scene was read.
    pub(crate) notices: Vec<String>,
}

impl Model {
    /// Builds the model of a scene, and its state at time 0.
    ///
    /// # Errors
    /// [`SimError`] for scenes, meshes and materials that cannot be simulated.
    pub fn new(scene: &Scene) -> Result<(Self, State), SimError> {
        let parts = scene.instantiate()?;
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

#[derive(Default)]
struct Builder {
    rest: Vec<Vector3<f64>>,
    velocities: Vec<Vector3<f64>>,
    pull: Vec<Vector3<f64>>,
    motions_of_points: Vec<PointMotion>,
    rigid: Vec<RigidBody>,
    rigid_start: Vec<RigidState>,
    bodies: Vec<Body>,
    obstacles: Vec<Body>,
    tets: Vec<[u32; 4]>,
    thin: ThinBodies,
    materials: Vec<Material>,
    material_of_tet: Vec<u32>,
    density_of_tet: Vec<f64>,
    /// Which tetrahedra only fill a body whose strains are in `strains`, and what cell each is a part of.
    filling: Vec<bool>,
    cell_of_tet: Vec<Option<[u32; 8]>>,
    strains: Vec<StrainBody>,
    damping_of_tet: Vec<RayleighDamping>,
    triangles: Vec<[u32; 3]>,
    group: Vec<u32>,
    passive: Vec<bool>,
}

impl Builder {
    fn add_body(
        &mut self,
        index: usize,
        part: &BodyPart,
        motions: &[RigidMotion],
    ) -> Result<(), SimError> {
        let in_body = |error: &dyn std::fmt::Display| SimError::Body {
            body: part.name.clone(),
            problem: error.to_string(),
        };
        let (mesh, original_nodes) = part.mesh.reordered_along_curve();
        let surface = mesh.surface().map_err(|e| in_body(&e))?;
        surface.check_closed().map_err(|e| in_body(&e))?;
        let law = &part.material;
        let material = match law.model {
            MaterialModel::Corotational => Material::corotational(law.young, law.poisson),
            MaterialModel::NeoHookean => Material::neo_hookean(law.young, law.poisson),
            MaterialModel::StVenantKirchhoff => {
                Material::st_venant_kirchhoff(law.young, law.poisson)
            }
        }
        .map_err(|e| in_body(&e))?;
        let damping = RayleighDamping::new(law.mass_damping, law.stiffness_damping)
            .map_err(|e| in_body(&e))?;

        let first_point = self.rest.len();
        let offset = first_point as u32;
        let first_tet = self.tets.len();
        let count = mesh.tets().len();
        self.tets
            .extend(mesh.tets().iter().map(|tet| tet.map(|node| node + offset)));
        self.add_strains(part, &material, &original_nodes, first_tet);
        // Copies of a body share one entry.
        let material_index = self
            .materials
            .iter()
            .position(|known| *known == material)
            .unwrap_or_else(|| {
                self.materials.push(material);
                self.materials.len() - 1
            });
        self.material_of_tet
            .extend(std::iter::repeat_n(material_index as u32, count));
        self.density_of_tet
            .extend(std::iter::repeat_n(law.density, count));
        self.damping_of_tet
            .extend(std::iter::repeat_n(damping, count));

        self.rest.extend_from_slice(mesh.nodes());
        self.velocities.extend(
            original_nodes
                .iter()
                .map(|&node| part.velocity[node as usize]),
        );
        self.pull
            .extend(original_nodes.iter().map(|&node| part.pull[node as usize]));
        self.motions_of_points
            .extend(
                original_nodes
                    .iter()
                    .map(|&node| match part.prescribed[node as usize] {
                        Some(motion) => PointMotion::Prescribed(motion as u32),
                        // Blocks are numbered once all nodes are known.
                        None => PointMotion::Free(u32::MAX),
                    }),
            );
        let first_triangle = self.triangles.len();
        self.triangles.extend(
            surface
                .triangles()
                .iter()
                .map(|t| t.map(|node| node + offset)),
        );
        self.group
            .extend(std::iter::repeat_n(index as u32, mesh.nodes().len()));
        self.passive.push(is_passive(&part.prescribed, motions));
        self.bodies.push(Body {
            name: part.name.clone(),
            points: first_point..self.rest.len(),
            tets: first_tet..self.tets.len(),
            thin: false,
            triangles: first_triangle..self.triangles.len(),
            friction: part.friction,
            original_nodes,
        });
        Ok(())
    }

    /// Notes how the strains of a solid are measured, whose tetrahedra are there already.
    fn add_strains(
        &mut self,
        part: &BodyPart,
        material: &Material,
        original_nodes: &[u32],
        first_tet: usize,
    ) {
        let first = self.rest.len();
        let law = &part.material;
        let in_rows = law.formulation == Some(Formulation::Compliance);
        let mut place = vec![0; original_nodes.len()];
        for (node, &original) in (first as u32..).zip(original_nodes) {
            place[original as usize] = node;
        }
        let cells: Vec<[u32; 8]> = (part.cells.iter())
            .map(|cell| cell.map(|node| place[node as usize]))
            .collect();
        let tets = &self.tets[first_tet..];
        let apart =
            in_rows || !cells.is_empty() || law.yield_stress.is_some() || law.meshless.is_some();
        self.filling.resize(self.tets.len(), apart);
        self.cell_of_tet.extend(cells_of_tets(tets, &cells));
        if !apart {
            return;
        }
        let material = *material;
        let elements = match law.meshless {
            Some(radius) => Elements::Meshless {
                filling: tets.to_vec(),
                radius,
                material,
            },
            None if cells.is_empty() => Elements::Tetrahedra {
                corners: tets.to_vec(),
                material,
            },
            None => Elements::Hexahedra {
                corners: cells,
                material,
            },
        };
        self.strains.push(StrainBody {
            name: part.name.clone(),
            points: first..first + original_nodes.len(),
            elements,
            damping: law.stiffness_damping,
            in_rows,
            yield_stress: law.yield_stress,
        });
    }

    /// Takes stretching out of a thin body whose strains are constraints between its points, and notes them.
    fn add_sheet(&mut self, part: &ShellPart, formulation: Formulation) {
        let offset = self.rest.len() as u32;
        let sheet = Sheet {
            along: part.shell.stretch,
            poisson: part.shell.poisson.unwrap_or(0.0),
            orthotropic: (part.fibre.zip(part.shell.orthotropic))
                .map(|(fibre, of)| (fibre, of.across, of.shear)),
        };
        let elements = if part.quadrilaterals.is_empty() {
            let triangles = part.mesh.triangles().iter();
            Elements::Triangles {
                corners: triangles.map(|t| t.map(|x| x + offset)).collect(),
                sheet,
            }
        } else {
            let quadrilaterals = part.quadrilaterals.iter();
            Elements::Quadrilaterals {
                corners: quadrilaterals.map(|q| q.map(|x| x + offset)).collect(),
                sheet,
            }
        };
        self.strains.push(StrainBody {
            name: part.name.clone(),
            points: self.rest.len()..self.rest.len() + part.mesh.vertices().len(),
            elements,
            damping: 0.0,
            in_rows: formulation == Formulation::Compliance,
            yield_stress: None,
        });
    }

    fn add_shell(
        &mut self,
        part: &ShellPart,
        motions: &[RigidMotion],
        formulation: Formulation,
    ) -> Result<(), SimError> {
        let index = self.bodies.len();
        let first = self.rest.len();
        let offset = first as u32;
        let of_strains = !part.quadrilaterals.is_empty() || part.fibre.is_some();
        if of_strains {
            self.add_sheet(part, formulation);
        }
        let material = ShellMaterial {
            density: part.shell.density,
            stretch: if of_strains { 0.0 } else { part.shell.stretch },
            poisson: part.shell.poisson,
            bend: part.shell.bend,
        };
        let shell = Shell::new(part.mesh.vertices(), part.mesh.triangles(), &material).map_err(
            |error| SimError::Body {
                body: part.name.clone(),
                problem: error.to_string(),
            },
        )?;
        if let Some(point) = shell.masses.iter().position(|&mass| mass <= 0.0) {
            return Err(SimError::Body {
                body: part.name.clone(),
                problem: format!("no triangle uses point {point}, so it has no mass; remove it"),
            });
        }
        let mut springs = shell.springs;
        for term in &mut springs {
            term.points = term.points.map(|point| point + offset);
        }
        self.thin.springs.push((part.shell.damping, springs));
        let membranes = shell.membranes.into_iter().filter(|_| !of_strains);
        self.thin.membranes.extend(membranes.map(|mut term| {
            term.points = term.points.map(|point| point + offset);
            term
        }));
        let mut hinges = shell.hinges;
        for term in &mut hinges {
            term.points = term.points.map(|point| point + offset);
        }
        self.thin.hinges.push((part.shell.bend_damping, hinges));
        self.thin.masses.extend((first..).zip(shell.masses));
        if formulation == Formulation::Compliance {
            self.thin
                .in_rows
                .push(first..first + part.mesh.vertices().len());
        }
        let body = self.add_surface(index, &part.name, &part.mesh, part.friction);
        self.bodies.push(Body { thin: true, ..body });
        self.velocities.extend_from_slice(&part.velocity);
        self.pull.extend_from_slice(&part.pull);
        self.motions_of_points
            .extend(part.prescribed.iter().map(|motion| match *motion {
                Some(motion) => PointMotion::Prescribed(motion as u32),
                None => PointMotion::Free(u32::MAX),
            }));
        self.passive.push(is_passive(&part.prescribed, motions));
        Ok(())
    }

    fn add_rigid(&mut self, part: &RigidPart, motions: &[RigidMotion]) {
        let index = self.bodies.len();
        let (motion, velocities) = if let Some(motion) = part.motion {
            let law = &motions[motion];
            let of = |x: &Vector3<f64>| law.velocity_at(x, 0.0);
            let velocities = part.mesh.vertices().iter().map(of).collect();
            (PointMotion::Prescribed(motion as u32), velocities)
        } else {
            let center = part.inertia.center();
            let arms: Vec<_> = part.mesh.vertices().iter().map(|x| x - center).collect();
            let first_point = self.rest.len();
            let rigid = RigidBody {
                body: index,
                points: first_point..first_point + arms.len(),
                first_block: u32::MAX,
                inertia: part.inertia,
                arms,
            };
            let spin = part.angular_velocity;
            let velocities = rigid.arms.iter().map(|a| part.velocity + spin.cross(a));
            let velocities = velocities.collect();
            self.rigid_start.push(rigid.start(part.velocity, spin));
            self.rigid.push(rigid);
            (PointMotion::Rigid(self.rigid.len() as u32 - 1), velocities)
        };
        let body = self.add_surface(index, &part.name, &part.mesh, part.friction);
        self.bodies.push(body);
        self.velocities.extend::<Vec<_>>(velocities);
        self.motions_of_points.resize(self.rest.len(), motion);
        self.passive.push(part.motion.is_some());
    }

    fn add_obstacle(&mut self, part: &MeshObstaclePart, motions: &[RigidMotion]) {
        let index = self.bodies.len() + self.obstacles.len();
        let body = self.add_surface(index, &part.name, &part.mesh, part.friction);
        self.obstacles.push(body);
        let motion = &motions[part.motion];
        self.velocities.extend(
            part.mesh
                .vertices()
                .iter()
                .map(|x| motion.velocity_at(x, 0.0)),
        );
        self.motions_of_points
            .resize(self.rest.len(), PointMotion::Prescribed(part.motion as u32));
        self.passive.push(true);
    }

    /// Adds the points and triangles of solid `index`, which has no elements.
    fn add_surface(
        &mut self,
        index: usize,
        name: &str,
        mesh: &TriangleMesh,
        friction: f64,
    ) -> Body {
        let first_point = self.rest.len();
        let offset = first_point as u32;
        let first_triangle = self.triangles.len();
        self.rest.extend_from_slice(mesh.vertices());
        self.triangles.extend(
            mesh.triangles()
                .iter()
                .map(|t| t.map(|vertex| vertex + offset)),
        );
        self.group.resize(self.rest.len(), index as u32);
        Body {
            name: name.to_owned(),
            points: first_point..self.rest.len(),
            tets: self.tets.len()..self.tets.len(),
            thin: false,
            triangles: first_triangle..self.triangles.len(),
            friction,
            original_nodes: (0..mesh.vertices().len() as u32).collect(),
        }
    }

    /// Which pairs may touch at all; `joined` bodies overlap where they are joined.
    fn filter(&self, joined: Vec<[u32; 2]>) -> PairFilter {
        // Only bodies of elements change their shape.
        let bodies = self.bodies.iter().chain(&self.obstacles);
        let keep_shape = (0..)
            .zip(bodies)
            .filter(|(_, body)| body.tets.is_empty() && !body.thin);
        PairFilter {
            without_self_contact: keep_shape.map(|(body, _)| body).collect(),
            user_group: if joined.is_empty() {
                Vec::new()
            } else {
                (0..(self.bodies.len() + self.obstacles.len()) as u32).collect()
            },
            excluded_groups: joined,
            ..PairFilter::default()
        }
    }

    /// Joints and links, then thin bodies in compliance form; the pairs are those that joints join.
    fn constraints(&self, scene: &Scene, motions: &[RigidMotion]) -> Result<Joined, SimError> {
        let parts_to_join = PartsToJoin {
            rest: &self.rest,
            tets: &self.tets,
            triangles: &self.triangles,
            bodies: &self.bodies,
            obstacles: &self.obstacles,
            rigid: &self.rigid,
        };
        let mut joined = join(scene, &parts_to_join)?;
        joined.soft_links = joined.soft.len();
        let moves: Vec<bool> = (self.motions_of_points.iter())
            .map(|motion| ever_moves(*motion, motions))
            .collect();
        let places = ThinPlaces {
            rest: &self.rest,
            bodies: &self.bodies,
            moves: &moves,
        };
        let mut flowing = Vec::new();
        for body in &self.strains {
            let strains = strain_constraints(body, &self.rest, &moves)?;
            let list = if body.in_rows {
                &mut joined.constraints
            } else {
                &mut joined.soft
            };
            if let Some(stress) = body.yield_stress {
                let places = list.len()..list.len() + strains.len();
                flowing.push((body, places, stress));
            }
            list.extend(strains);
        }
        joined.measured = joined.constraints.len();
        let of_thin = thin_constraints(&self.thin, &places, true)?;
        joined.constraints.extend(of_thin);
        joined.yields = yields(&joined, &flowing);
        Ok(joined)
    }

    fn finish(mut self, scene: &Scene, parts: SceneParts) -> Result<(Model, State), SimError> {
        let elastic = ElasticModel::new(
            &self.rest,
            &self.tets,
            &self.materials,
            &self.material_of_tet,
            &self.density_of_tet,
        )?
        .with_damping(&self.damping_of_tet)
        .with_filling(&self.filling)
        .with_cells(&self.cell_of_tet);
        let (point_of_block, block_of_point) =
            number_blocks(&mut self.motions_of_points, &mut self.rigid);
        let blocks = point_of_block.len() + 2 * self.rigid.len();
        if blocks == 0 {
            return Err(SimError::NothingMoves);
        }
        let Joined {
            constraints: joints,
            measured: measured_joints,
            soft,
            soft_links,
            yields,
            pairs: joined,
            notices,
        } = self.constraints(scene, &parts.motions)?;
        let pattern = block_pattern(
            blocks,
            &elastic,
            &self.thin,
            &[&joints, &soft],
            &block_of_point,
            &self.rigid,
        );
        let filter = self.filter(joined);
        let surface =
            CollisionSurface::new(self.triangles, self.rest.len(), self.group, self.passive)
                .with_filter(&filter);
        let solver = solver_settings(scene, !joints.is_empty());
        check_method(scene, &solver, &joints, &self.thin, &self.strains)?;
        let mut mass = elastic.lumped_mass();
        for &(point, share) in &self.thin.masses {
            mass[point] = share;
        }
        // What has no pull of its own comes after what has.
        self.pull.resize(self.rest.len(), Vector3::zeros());
        let mut model = Model {
            pull: self.pull,
            mass_damping: elastic.lumped_mass_damping(),
            mass,
            rest: self.rest,
            motion_of_point: self.motions_of_points,
            block_of_point,
            point_of_block,
            motions: parts.motions,
            bodies: self.bodies,
            rigid: self.rigid,
            obstacles: self.obstacles,
            joint_stiffness: joint_stiffness(scene),
            joints,
            measured_joints,
            soft,
            soft_links,
            yields,
            half_spaces: parts
                .half_spaces
                .into_iter()
                .map(|part| HalfSpace {
                    name: part.name,
                    point: part.point,
                    normal: part.normal,
                    friction: part.friction,
                })
                .collect(),
            tets: self.tets,
            thin: self.thin,
            elastic,
            pattern,
            neighbours: Neighbours::new(&surface),
            surface,
            gravity: scene.world.gravity.into(),
            time_step: scene.time.step,
            minimum_step: scene.time.minimum_step(),
            allow_inversion: scene.solver.allow_inversion,
            anchored_contacts: scene.solver.anchored_contacts,
            tolerances: ToleranceScales::default(),
            asynchronous: scene.asynchronous,
            solver,
            rest_compliance: scene
                .solver
                .rest_compliance
                .as_ref()
                .map(|folder| scene.folder().join(folder)),
            notices,
        };
        model.tolerances = scales(scene, &model);
        let state = start_state(&model, self.velocities, self.rigid_start);
        Ok((model, state))
    }
}

/// The state at time 0.
fn start_state(model: &Model, velocities: Vec<Vector3<f64>>, rigid: Vec<RigidState>) -> State {
    let rows = |constraints: &[Constraint]| constraints.iter().map(Constraint::rows).sum::<usize>();
    let flowing = if model.yields.is_empty() {
        0
    } else {
        rows(&model.joints) + rows(&model.soft)
    };
    let mut state = State {
        time: 0.0,
        step: 0,
        positions: model.rest.clone(),
        velocities,
        rigid,
        contacts: Vec::new(),
        joint_forces: vec![0.0; rows(&model.joints)],
        plastic_strains: vec![0.0; flowing],
    };
    // From the poses, as ever after: the rounding of the centre must not be a motion of the first step.
    for (rigid, at) in model.rigid.iter().zip(&state.rigid) {
        rigid.write_points(at, &mut state.positions, &mut state.velocities);
    }
    state
}

/// Whether no point of a body is ever free.
fn is_passive(prescribed: &[Option<usize>], motions: &[RigidMotion]) -> bool {
    prescribed
        .iter()
        .all(|motion| motion.is_some_and(|motion| motions[motion].until.is_none()))
}

/// Whether forces move a point, now or once its motion has let go of it.
fn ever_moves(motion: PointMotion, motions: &[RigidMotion]) -> bool {
    match motion {
        PointMotion::Free(_) => true,
        PointMotion::Rigid(_) => false,
        PointMotion::Prescribed(by) => motions[by as usize].until.is_some(),
    }
}

/// Gives every free point its block, and every free rigid body two after them: the points of the blocks, and the blocks
/// of the points.
fn number_blocks(
    motions: &mut [PointMotion],
    rigid: &mut [RigidBody],
) -> (Vec<u32>, Vec<Option<u32>>) {
    let mut point_of_block = Vec::new();
    let mut block_of_point = Vec::with_capacity(motions.len());
    for (point, motion) in motions.iter_mut().enumerate() {
        if let PointMotion::Free(block) = motion {
            *block = point_of_block.len() as u32;
            point_of_block.push(point as u32);
            block_of_point.push(Some(*block));
        } else {
            block_of_point.push(None);
        }
    }
    for (index, rigid) in rigid.iter_mut().enumerate() {
        rigid.first_block = (point_of_block.len() + 2 * index) as u32;
    }
    (point_of_block, block_of_point)
}

/// Where the momentum matrix may have entries.
fn block_pattern(
    blocks: usize,
    elastic: &ElasticModel,
    thin: &ThinBodies,
    constraints: &[&[Constraint]; 2],
    block_of_point: &[Option<u32>],
    rigid: &[RigidBody],
) -> Arc<BlockPattern> {
    let joint_pairs = (constraints.iter())
        .flat_map(|constraints| coupled_blocks(constraints, block_of_point, rigid));
    let pairs = (elastic.block_pairs(block_of_point))
        .chain(thin.block_pairs(block_of_point))
        .chain(joint_pairs);
    Arc::new(BlockPattern::from_pairs(blocks, pairs))
}

/// What of the geometric stiffness of joints the scene wants.
fn joint_stiffness(scene: &Scene) -> GeometricStiffness {
    match scene.solver.joint_stiffness {
        crate::scene::JointStiffness::None => GeometricStiffness::None,
        crate::scene::JointStiffness::Symmetric => GeometricStiffness::Symmetric,
        crate::scene::JointStiffness::Projected => GeometricStiffness::Projected,
    }
}

/// Which rows flow: of those that strains of bodies are, at their places among rows or stiffnesses.
fn yields(joined: &Joined, flowing: &[(&StrainBody, Range<usize>, f64)]) -> Vec<Yield> {
    let mut first_row = 0;
    let first_rows: Vec<usize> = (joined.constraints.iter().chain(&joined.soft))
        .map(|constraint| {
            first_row += constraint.rows();
            first_row - constraint.rows()
        })
        .collect();
    let of_body = |(body, places, stress): &(&StrainBody, Range<usize>, f64)| {
        let start = if body.in_rows {
            0
        } else {
            joined.constraints.len()
        };
        let law = VonMises {
            shear_modulus: body.shear_modulus(),
            yield_stress: *stress,
        };
        let first_rows = &first_rows;
        places.clone().map(move |place| Yield {
            first_row: first_rows[start + place],
            law,
        })
    };
    flowing.iter().flat_map(of_body).collect()
}

/// Joints, and strains in compliance form, are rows that only one method knows; a compliance at rest is known of tetrahedra
/// only.
fn check_method(
    scene: &Scene,
    solver: &Method,
    joints: &[Constraint],
    thin: &ThinBodies,
    strains: &[StrainBody],
) -> Result<(), SimError> {
    // The other steppers have methods of their own.
    if scene.stepper != StepperChoice::Synchronous {
        return Ok(());
    }
    let refuse = |what: &str, mend: &str| {
        let problem = format!("the method `{}` knows no {what}", solver.name());
        Err(scene.error_at("solver.method", problem, mend).into())
    };
    if !joints.is_empty() && !matches!(solver, Method::CompliantKkt(_) | Method::Cr(_)) {
        return if scene.joints.is_empty() {
            refuse(
                "bodies in compliance form",
                "leave it out, or write formulation = \"stiffness\" into each `shell` and `material`",
            )
        } else {
            refuse("joints", "leave it out, or write \"compliant-kkt\"")
        };
    }
    if !strains.is_empty() && solver.needs_bodies() {
        let mend = "leave it out, or write \"exact-compliance\"";
        return refuse(
            "compliance at rest of bodies that flow, in compliance form, of hexahedra or without elements",
            mend,
        );
    }
    if !thin.masses.is_empty() && solver.needs_bodies() {
        let mend = "leave it out, or write \"exact-compliance\"";
        return refuse("compliance at rest of thin bodies", mend);
    }
    Ok(())
}

/// Lengths and masses that tolerances are relative to.
fn scales(scene: &Scene, model: &Model) -> ToleranceScales {
    let (rest, surface) = (&model.rest, &model.surface);
    // Of all that moves by itself; a body of elements counts even where all of its nodes are prescribed.
    let counts = |point: u32| {
        let moves = matches!(model.motion_of_point[point as usize], PointMotion::Rigid(_));
        let solid = model.solid(model.solid_of_point(point));
        moves || !solid.tets.is_empty() || solid.thin
    };
    let lengths: Vec<f64> = surface
        .edges()
        .iter()
        .filter(|[first, _]| counts(*first))
        .map(|&[first, second]| (rest[first as usize] - rest[second as usize]).norm())
        .collect();
    let lightest = (0..model.bodies.len())
        .map(|body| model.body_mass(body))
        .filter(|&mass| mass > 0.0)
        .fold(f64::INFINITY, f64::min);
    ToleranceScales {
        rigid: !model.rigid.is_empty(),
        mode: match scene.solver.tolerances {
            crate::scene::Tolerances::Physical => ToleranceMode::Physical,
            crate::scene::Tolerances::Paper => ToleranceMode::Paper,
        },
        edge_length: lengths.iter().sum::<f64>() / lengths.len() as f64,
        lightest_body: lightest,
        gravity: Vector3::from(scene.world.gravity).norm(),
        momentum: scene.solver.momentum_tolerance,
        clearance: scene.solver.gap_tolerance,
        slip: scene.solver.slip_tolerance,
    }
}

/// Iterations of one solve after which a shorter step is the better bet.
const MAX_ITERATIONS: u64 = 5000;

/// The method of the scene. Keys that steer the conjugate-residual iteration mean nothing to the methods beside it.
fn solver_settings(scene: &Scene, has_rows: bool) -> Method {
    let mut method = match scene.solver.method {
        crate::scene::SolverMethod::Cr if !has_rows => {
            return Method::Cr(cr_settings(scene));
        }
        crate::scene::SolverMethod::CrMultipliers => return Method::Cr(cr_settings(scene)),
        crate::scene::SolverMethod::Cr | crate::scene::SolverMethod::CompliantKkt => {
            Method::CompliantKkt(CompliantKktSettings::default())
        }
        crate::scene::SolverMethod::ActiveSet => {
            return Method::ActiveSet(ActiveSetCrSettings {
                schedule: EvaluationSchedule::AtConvergence,
                anticipation: 0,
                regions: 0,
                ..cr_settings(scene)
            });
        }
        crate::scene::SolverMethod::SpActiveSet => {
            Method::SpActiveSet(StaggeredProjectionsSettings::default())
        }
        crate::scene::SolverMethod::Sp2Cr => Method::Sp2Cr(StaggeredProjectionsSettings {
            schedule: Schedule::Interval,
            ..StaggeredProjectionsSettings::default()
        }),
        crate::scene::SolverMethod::Ica => Method::Ica(ConstraintAnticipationSettings::default()),
        crate::scene::SolverMethod::ExactCompliance => {
            Method::ExactCompliance(compliance_settings(scene))
        }
        crate::scene::SolverMethod::WarpedCompliance => {
            Method::WarpedCompliance(compliance_settings(scene))
        }
    };
    if let Some(count) = scene.solver.max_iterations {
        *method.max_iterations_mut() = u64::from(count);
    }
    method
}

fn compliance_settings(scene: &Scene) -> CorrectiveMotionSettings {
    CorrectiveMotionSettings {
        delassus: match scene.solver.delassus {
            crate::scene::Delassus::Built => DelassusForm::Built,
            crate::scene::Delassus::Unbuilt => DelassusForm::Unbuilt,
        },
        momentum_repair: scene.solver.momentum_repair,
        corrections: scene.solver.corrections,
        ..CorrectiveMotionSettings::default()
    }
}

fn cr_settings(scene: &Scene) -> ActiveSetCrSettings {
    let defaults = ActiveSetCrSettings::default();
    ActiveSetCrSettings {
        preconditioner: match scene.solver.preconditioner {
            crate::scene::Preconditioner::Full => PreconditionerKind::Full,
            crate::scene::Preconditioner::Diagonal => PreconditionerKind::Diagonal,
        },
        anticipation: if scene.solver.anticipation {
            defaults.anticipation
        } else {
            0
        },
        regions: if scene.solver.anticipation {
            defaults.regions
        } else {
            0
        },
        schedule: match scene.solver.evaluation {
            crate::scene::Evaluation::Interval => EvaluationSchedule::Interval,
            crate::scene::Evaluation::Every => EvaluationSchedule::Every,
            crate::scene::Evaluation::AtConvergence => EvaluationSchedule::AtConvergence,
        },
        max_iterations: scene
            .solver
            .max_iterations
            .map_or(MAX_ITERATIONS, u64::from),
        ..defaults
    }
}
