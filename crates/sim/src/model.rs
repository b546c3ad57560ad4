//! Everything that stays constant during a run.

use crate::{
    error::SimError,
    scene::{
        BodyPart, MaterialModel, MeshObstaclePart, RigidMotion, Scene, SceneParts, pair_friction,
    },
    step::features::Neighbours,
    tolerances::{ToleranceMode, ToleranceScales},
};
use impinge_contact::method::active_set_cr::{
    ActiveSetCrSettings, EvaluationSchedule, PreconditionerKind,
};
use impinge_fem::{ElasticModel, Material, RayleighDamping};
use impinge_geometry::surface::CollisionSurface;
use impinge_krylov::block::BlockPattern;
use nalgebra::Vector3;
use std::{ops::Range, sync::Arc};

/// A deformable body or a mesh obstacle.
#[derive(Debug, Clone)]
pub struct Body {
    /// Name from the scene.
    pub name: String,
    /// Its points.
    pub points: Range<usize>,
    /// Its tetrahedra; empty for an obstacle.
    pub tets: Range<usize>,
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
    /// The prescribed motion that carries it.
    Prescribed(u32),
}

/// The constant part of a simulation: meshes, masses, materials, topology, parameters.
///
/// Points are numbered through: deformable bodies first, each along a space-filling curve, then mesh obstacles.
#[derive(Debug)]
pub struct Model {
    /// Positions at rest, which are those at time 0 (m).
    pub rest: Vec<Vector3<f64>>,
    /// Lumped mass per point (kg); 0 for obstacles.
    pub mass: Vec<f64>,
    /// Mass-proportional damping per point (kg/s).
    pub mass_damping: Vec<f64>,
    /// What moves each point.
    pub motion_of_point: Vec<PointMotion>,
    /// The same, as the block of free points.
    pub block_of_point: Vec<Option<u32>>,
    /// Point of each block.
    pub point_of_block: Vec<u32>,
    /// Prescribed motions.
    pub motions: Vec<RigidMotion>,
    /// Deformable bodies.
    pub bodies: Vec<Body>,
    /// Mesh obstacles; body `bodies.len() + i` of the collision surface.
    pub obstacles: Vec<Body>,
    /// Half-spaces.
    pub half_spaces: Vec<HalfSpace>,
    /// Tetrahedra of all bodies.
    pub tets: Vec<[u32; 4]>,
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
    /// Settings of the contact solver, tolerances excepted.
    pub solver: ActiveSetCrSettings,
}

impl Model {
    /// Builds the model of a scene; also returns the velocity of every point at time 0 (m/s).
    ///
    /// # Errors
    /// [`SimError`] for scenes, meshes and materials that cannot be simulated.
    pub fn new(scene: &Scene) -> Result<(Self, Vec<Vector3<f64>>), SimError> {
        let parts = scene.instantiate()?;
        let mut builder = Builder::default();
        for (index, part) in parts.bodies.iter().enumerate() {
            builder.add_body(index, part)?;
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

    /// Number of free blocks.
    pub fn blocks(&self) -> usize {
        self.point_of_block.len()
    }
}

#[derive(Default)]
struct Builder {
    rest: Vec<Vector3<f64>>,
    velocities: Vec<Vector3<f64>>,
    motions_of_points: Vec<Option<u32>>,
    bodies: Vec<Body>,
    obstacles: Vec<Body>,
    tets: Vec<[u32; 4]>,
    materials: Vec<Material>,
    material_of_tet: Vec<u32>,
    density_of_tet: Vec<f64>,
    damping_of_tet: Vec<RayleighDamping>,
    triangles: Vec<[u32; 3]>,
    group: Vec<u32>,
    passive: Vec<bool>,
}

impl Builder {
    fn add_body(&mut self, index: usize, part: &BodyPart) -> Result<(), SimError> {
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
        self.motions_of_points.extend(
            original_nodes
                .iter()
                .map(|&node| part.prescribed[node as usize].map(|motion| motion as u32)),
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
        self.passive
            .push(part.prescribed.iter().all(Option::is_some));
        self.bodies.push(Body {
            name: part.name.clone(),
            points: first_point..self.rest.len(),
            tets: first_tet..self.tets.len(),
            triangles: first_triangle..self.triangles.len(),
            friction: part.friction,
            original_nodes,
        });
        Ok(())
    }

    fn add_obstacle(&mut self, part: &MeshObstaclePart, motions: &[RigidMotion]) {
        let body = (self.bodies.len() + self.obstacles.len()) as u32;
        let first_point = self.rest.len();
        let offset = first_point as u32;
        let first_triangle = self.triangles.len();
        let vertices = part.mesh.vertices();
        self.rest.extend_from_slice(vertices);
        let motion = &motions[part.motion];
        self.velocities
            .extend(vertices.iter().map(|x| motion.velocity_at(x, 0.0)));
        self.motions_of_points.extend(std::iter::repeat_n(
            Some(part.motion as u32),
            vertices.len(),
        ));
        self.triangles.extend(
            part.mesh
                .triangles()
                .iter()
                .map(|t| t.map(|vertex| vertex + offset)),
        );
        self.group.extend(std::iter::repeat_n(body, vertices.len()));
        self.passive.push(true);
        self.obstacles.push(Body {
            name: part.name.clone(),
            points: first_point..self.rest.len(),
            tets: self.tets.len()..self.tets.len(),
            triangles: first_triangle..self.triangles.len(),
            friction: part.friction,
            original_nodes: (0..vertices.len() as u32).collect(),
        });
    }

    fn finish(
        self,
        scene: &Scene,
        parts: SceneParts,
    ) -> Result<(Model, Vec<Vector3<f64>>), SimError> {
        let elastic = ElasticModel::new(
            &self.rest,
            &self.tets,
            &self.materials,
            &self.material_of_tet,
            &self.density_of_tet,
        )?
        .with_damping(&self.damping_of_tet);
        let mut point_of_block = Vec::new();
        let mut block_of_point = Vec::with_capacity(self.rest.len());
        let mut motion_of_point = Vec::with_capacity(self.rest.len());
        for (point, motion) in self.motions_of_points.iter().enumerate() {
            if let Some(motion) = motion {
                block_of_point.push(None);
                motion_of_point.push(PointMotion::Prescribed(*motion));
            } else {
                let block = point_of_block.len() as u32;
                point_of_block.push(point as u32);
                block_of_point.push(Some(block));
                motion_of_point.push(PointMotion::Free(block));
            }
        }
        if point_of_block.is_empty() {
            return Err(SimError::NothingMoves);
        }
        let pattern =
            BlockPattern::from_pairs(point_of_block.len(), elastic.block_pairs(&block_of_point));
        let surface =
            CollisionSurface::new(self.triangles, self.rest.len(), self.group, self.passive);
        let mass = elastic.lumped_mass();
        let tolerances = scales(scene, &self.bodies, &self.rest, &surface, &mass);
        let solver = solver_settings(scene);
        let model = Model {
            mass_damping: elastic.lumped_mass_damping(),
            mass,
            rest: self.rest,
            motion_of_point,
            block_of_point,
            point_of_block,
            motions: parts.motions,
            bodies: self.bodies,
            obstacles: self.obstacles,
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
            elastic,
            pattern: Arc::new(pattern),
            neighbours: Neighbours::new(&surface),
            surface,
            gravity: scene.world.gravity.into(),
            time_step: scene.time.step,
            minimum_step: scene.time.minimum_step(),
            allow_inversion: scene.solver.allow_inversion,
            anchored_contacts: scene.solver.anchored_contacts,
            tolerances,
            solver,
        };
        Ok((model, self.velocities))
    }
}

/// Lengths and masses that tolerances are relative to.
fn scales(
    scene: &Scene,
    bodies: &[Body],
    rest: &[Vector3<f64>],
    surface: &CollisionSurface,
    mass: &[f64],
) -> ToleranceScales {
    let deformable = bodies.last().map_or(0, |body| body.points.end);
    let lengths: Vec<f64> = surface
        .edges()
        .iter()
        .filter(|[first, _]| (*first as usize) < deformable)
        .map(|&[first, second]| (rest[first as usize] - rest[second as usize]).norm())
        .collect();
    let lightest = bodies
        .iter()
        .map(|body| mass[body.points.clone()].iter().sum::<f64>())
        .fold(f64::INFINITY, f64::min);
    ToleranceScales {
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
const MAX_ITERATIONS: u64 = 1500;

fn solver_settings(scene: &Scene) -> ActiveSetCrSettings {
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
