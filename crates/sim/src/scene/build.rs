//! From a scene to the parts of a model: placed meshes, materials, velocities and prescribed motions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use impinge_fem::RigidInertia;
use impinge_geometry::io::SolidMesh;
use impinge_geometry::mesh::{StuffingOptions, TetMesh, TriangleMesh, tetrahedralize};
use nalgebra::{Unit, UnitQuaternion, Vector3};

use super::arrange::{SplitMix64, grid_offset};
use super::format::{
    Body, BodyKind, BodyMesh, Copies, Material, MeshFile, Motion, Obstacle, ObstacleShape, Region,
    Rotation, Shell, StepperChoice,
};
use super::motion::RigidMotion;
use super::{Scene, SceneError, shapes, validate};

/// Everything a model is made of, in world coordinates at time 0.
#[derive(Debug, Clone)]
pub struct SceneParts {
    /// Elastic bodies in the order of the scene, copies one after the other.
    pub bodies: Vec<BodyPart>,
    /// Thin bodies in the order of the scene, copies one after the other.
    pub shells: Vec<ShellPart>,
    /// Rigid bodies in the order of the scene, copies one after the other.
    pub rigid_bodies: Vec<RigidPart>,
    /// Half-spaces in the order of the scene.
    pub half_spaces: Vec<HalfSpacePart>,
    /// Mesh obstacles in the order of the scene.
    pub obstacles: Vec<MeshObstaclePart>,
    /// The distinct prescribed motions that bodies and obstacles refer to by index.
    pub motions: Vec<RigidMotion>,
}

/// One elastic body.
#[derive(Debug, Clone)]
pub struct BodyPart {
    /// Name for messages.
    pub name: String,
    /// Rest shape, scaled and placed as at time 0.
    pub mesh: TetMesh,
    /// Its hexahedra as nodes, four around the bottom of each, then those above; empty where tetrahedra are its elements.
    pub cells: Vec<[u32; 8]>,
    /// Where the origin of the body's own frame was placed (m).
    pub position: Vector3<f64>,
    /// How the body was turned about that origin.
    pub rotation: UnitQuaternion<f64>,
    /// What it is made of.
    pub material: Material,
    /// Coulomb friction coefficient (1); see [`pair_friction`].
    pub friction: f64,
    /// Initial velocity of each node (m/s); of the motion itself where it is prescribed.
    pub velocity: Vec<Vector3<f64>>,
    /// For each node the index into [`SceneParts::motions`] of its prescribed motion, or `None` where it is free.
    pub prescribed: Vec<Option<usize>>,
    /// Constant force on each node (N).
    pub pull: Vec<Vector3<f64>>,
}

/// One thin body.
#[derive(Debug, Clone)]
pub struct ShellPart {
    /// Name for messages.
    pub name: String,
    /// Surface at rest, placed as at time 0.
    pub mesh: TriangleMesh,
    /// Its quadrilaterals as vertices in order around each; empty where triangles are its elements.
    pub quadrilaterals: Vec<[u32; 4]>,
    /// Direction of its fibres, if it has any, turned with it.
    pub fibre: Option<Vector3<f64>>,
    /// What it is made of.
    pub shell: Shell,
    /// Coulomb friction coefficient (1).
    pub friction: f64,
    /// Initial velocity of each point (m/s); of the motion itself where it is prescribed.
    pub velocity: Vec<Vector3<f64>>,
    /// For each point the index into [`SceneParts::motions`] of its prescribed motion, or `None` where it is free.
    pub prescribed: Vec<Option<usize>>,
    /// Constant force on each point (N).
    pub pull: Vec<Vector3<f64>>,
}

/// One rigid body.
#[derive(Debug, Clone)]
pub struct RigidPart {
    /// Name for messages.
    pub name: String,
    /// Closed surface as at time 0, wound outwards.
    pub mesh: TriangleMesh,
    /// Generalised mass, in world axes at time 0; of density 1 for a body with a prescribed motion.
    pub inertia: RigidInertia,
    /// Coulomb friction coefficient (1).
    pub friction: f64,
    /// Initial velocity of the centre of mass (m/s).
    pub velocity: Vector3<f64>,
    /// Initial angular velocity (rad/s).
    pub angular_velocity: Vector3<f64>,
    /// Index into [`SceneParts::motions`] of its prescribed motion, or `None` where it is free.
    pub motion: Option<usize>,
}

/// A half-space that stands still.
#[derive(Debug, Clone, PartialEq)]
pub struct HalfSpacePart {
    /// Name for messages.
    pub name: String,
    /// A point of the plane (m).
    pub point: Vector3<f64>,
    /// Unit normal, out of the solid side.
    pub normal: Vector3<f64>,
    /// Coulomb friction coefficient (1).
    pub friction: f64,
}

/// A closed surface with a prescribed motion.
#[derive(Debug, Clone)]
pub struct MeshObstaclePart {
    /// Name for messages.
    pub name: String,
    /// Closed surface as at time 0, wound outwards.
    pub mesh: TriangleMesh,
    /// Coulomb friction coefficient (1).
    pub friction: f64,
    /// Index into [`SceneParts::motions`].
    pub motion: usize,
}

/// Friction coefficient of a touching pair: the geometric mean of the two.
///
/// It is symmetric, returns `mu` for two surfaces of the same `mu`, and 0 as soon as one surface is frictionless.
pub fn pair_friction(a: f64, b: f64) -> f64 {
    // The product of equal numbers has an exact root only sometimes; equal coefficients must stay what they are.
    if a.to_bits() == b.to_bits() {
        a
    } else {
        (a * b).sqrt()
    }
}

/// More nodes than this in one scene are taken for a mistake (they would need about a terabyte).
const NODE_LIMIT: usize = 200_000_000;

/// Room between copies beyond what they need (1): far more than rounding, too little to see.
const SPACING_SLACK: f64 = 1.02;

pub(super) fn instantiate(scene: &Scene) -> Result<SceneParts, SceneError> {
    validate::validate(scene)?;
    let mut builder = Builder {
        scene,
        solids: BTreeMap::new(),
        parts: SceneParts {
            bodies: Vec::new(),
            shells: Vec::new(),
            rigid_bodies: Vec::new(),
            half_spaces: Vec::new(),
            obstacles: Vec::new(),
            motions: Vec::new(),
        },
        nodes: 0,
    };
    for (index, body) in scene.bodies.iter().enumerate() {
        match body.kind {
            BodyKind::Elastic => builder.body(index, body)?,
            BodyKind::Shell => builder.shell(index, body)?,
            BodyKind::Rigid => builder.rigid_body(index, body)?,
        }
    }
    for (index, obstacle) in scene.obstacles.iter().enumerate() {
        builder.obstacle(index, obstacle)?;
    }
    Ok(builder.parts)
}

struct Builder<'a> {
    scene: &'a Scene,
    /// Files read so far, in their own units.
    solids: BTreeMap<PathBuf, SolidMesh>,
    parts: SceneParts,
    nodes: usize,
}

/// Whether a box holds a point, its boundary included; everything is held where there is no box.
fn is_inside(region: Option<&Region>, point: &Vector3<f64>) -> bool {
    region.is_none_or(|region| {
        (0..3).all(|axis| (region.lower[axis]..=region.upper[axis]).contains(&point[axis]))
    })
}

impl Builder<'_> {
    fn body(&mut self, index: usize, body: &Body) -> Result<(), SceneError> {
        let path = format!("body.{index}");
        let material = body.material.ok_or_else(|| {
            let problem = "an elastic body needs a `material`";
            self.scene.error_at(&path, problem, "add one")
        })?;
        let mesh = self.tet_mesh(&format!("{path}.mesh"), &body.mesh)?;
        self.count_nodes(&path, body, mesh.nodes().len())?;
        let cells = self.hexahedra(&format!("{path}.mesh"), &body.mesh)?;
        if !cells.is_empty() {
            self.check_hexahedra(&path, &material)?;
        }

        let mut prescribed_somewhere = vec![false; body.fixed.len()];
        let placements = self.placements(&path, body, mesh.nodes())?;
        for (copy, placement) in placements.iter().enumerate() {
            let placed = mesh
                .map_nodes(|node| placement.position + placement.rotation * node)
                .map_err(|error| self.mesh_error(&path, &error))?;
            let prescribed = self.prescribed(
                body,
                &placement.position,
                placed.nodes(),
                &mut prescribed_somewhere,
            );
            let center = center_of_mass(&placed);
            let velocity = self.velocities(body, &center, placed.nodes(), &prescribed);
            let pull = self.pull(index, body, placed.nodes(), &prescribed)?;
            self.parts.bodies.push(BodyPart {
                name: name_of(index, body, copy),
                mesh: placed,
                cells: cells.clone(),
                position: placement.position,
                rotation: placement.rotation,
                material,
                friction: body.friction.unwrap_or(self.scene.world.friction),
                velocity,
                prescribed,
                pull,
            });
        }
        self.check_fixed(index, body, &prescribed_somewhere)
    }

    fn shell(&mut self, index: usize, body: &Body) -> Result<(), SceneError> {
        let path = format!("body.{index}");
        let shell = body.shell.ok_or_else(|| {
            let problem = "a thin body needs a `shell`";
            self.scene.error_at(&path, problem, "add one")
        })?;
        let mesh = self.thin_mesh(&format!("{path}.mesh"), &body.mesh)?;
        self.count_nodes(&path, body, mesh.vertices().len())?;
        let mut prescribed_somewhere = vec![false; body.fixed.len()];
        let placements = self.placements(&path, body, mesh.vertices())?;
        for (copy, placement) in placements.iter().enumerate() {
            let placed = mesh
                .map_vertices(|vertex| placement.position + placement.rotation * vertex)
                .map_err(|error| self.mesh_error(&path, &error))?;
            let points = placed.vertices();
            let prescribed =
                self.prescribed(body, &placement.position, points, &mut prescribed_somewhere);
            let center = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
            let velocity = self.velocities(body, &center, points, &prescribed);
            let pull = self.pull(index, body, points, &prescribed)?;
            self.parts.shells.push(ShellPart {
                name: name_of(index, body, copy),
                mesh: placed,
                quadrilaterals: shapes::quadrilaterals(&body.mesh),
                fibre: (shell.orthotropic).map(|of| placement.rotation * normalized(&of.fibre)),
                shell,
                friction: body.friction.unwrap_or(self.scene.world.friction),
                velocity,
                prescribed,
                pull,
            });
        }
        self.check_fixed(index, body, &prescribed_somewhere)
    }

    /// Surface of a thin body in its own frame: a grid, a surface file, or the outside of a solid.
    fn thin_mesh(&mut self, path: &str, source: &BodyMesh) -> Result<TriangleMesh, SceneError> {
        match source {
            BodyMesh::Grid { size, cells } | BodyMesh::Quadrilaterals { size, cells } => {
                shapes::grid(*size, *cells).map_err(|error| self.mesh_error(path, &error))
            }
            BodyMesh::Strip {
                points,
                across,
                width,
                spacing,
            } => shapes::strip(points, *across, *width, *spacing)
                .map_err(|error| self.mesh_error(path, &error)),
            BodyMesh::File(file) => self.surface_file(&format!("{path}.file"), file),
            solid => {
                let solid = self.tet_mesh(path, solid)?;
                solid
                    .surface()
                    .and_then(|surface| surface.to_triangle_mesh(&solid))
                    .map_err(|error| self.mesh_error(path, &error))
            }
        }
    }

    /// The motion of each point that a `fixed` box of `body` holds; notes which boxes hold any.
    fn prescribed(
        &mut self,
        body: &Body,
        position: &Vector3<f64>,
        points: &[Vector3<f64>],
        seen: &mut [bool],
    ) -> Vec<Option<usize>> {
        let mut prescribed = vec![None; points.len()];
        for (fixed, seen) in body.fixed.iter().zip(seen) {
            let motion = self.motion(fixed.motion.as_ref(), position, fixed.until);
            for (node, slot) in points.iter().zip(&mut prescribed) {
                if is_inside(fixed.region.as_ref(), node) {
                    *seen = true;
                    slot.get_or_insert(motion);
                }
            }
        }
        prescribed
    }

    /// Initial velocity of each point of `body`, which turns about `center`.
    fn velocities(
        &self,
        body: &Body,
        center: &Vector3<f64>,
        points: &[Vector3<f64>],
        prescribed: &[Option<usize>],
    ) -> Vec<Vector3<f64>> {
        let (velocity, turning) = (
            Vector3::from(body.velocity),
            Vector3::from(body.angular_velocity),
        );
        let of = |(node, motion): (&Vector3<f64>, &Option<usize>)| match *motion {
            Some(motion) => self.parts.motions[motion].velocity_at(node, 0.0),
            None => velocity + turning.cross(&(node - center)),
        };
        points.iter().zip(prescribed).map(of).collect()
    }

    /// The constant force on each point of a copy of `body`. A pull that finds no point that it can move is a mistake.
    fn pull(
        &self,
        index: usize,
        body: &Body,
        points: &[Vector3<f64>],
        prescribed: &[Option<usize>],
    ) -> Result<Vec<Vector3<f64>>, SceneError> {
        let mut forces = vec![Vector3::zeros(); points.len()];
        for (number, pull) in body.pulls.iter().enumerate() {
            let pulled: Vec<usize> = (0..points.len())
                .filter(|&point| prescribed[point].is_none())
                .filter(|&point| is_inside(pull.region.as_ref(), &points[point]))
                .collect();
            if pulled.is_empty() {
                return Err(self.scene.error_at(
                    &format!("body.{index}.pulls.{number}"),
                    format!(
                        "no node of {} that is free to move lies in this box, so there is nothing to pull",
                        base_name(index, body)
                    ),
                    "correct the box (world coordinates in m, the body as placed at time 0) or remove the entry",
                ));
            }
            let share = Vector3::from(pull.force) / pulled.len() as f64;
            for point in pulled {
                forces[point] += share;
            }
        }
        Ok(forces)
    }

    /// A `fixed` box that holds nothing is a mistake.
    fn check_fixed(&self, index: usize, body: &Body, seen: &[bool]) -> Result<(), SceneError> {
        match seen.iter().position(|&seen| !seen) {
            None => Ok(()),
            Some(fixed) => Err(self.scene.error_at(
                &format!("body.{index}.fixed.{fixed}"),
                format!(
                    "no node of {} lies in this box, so it would fix nothing",
                    base_name(index, body)
                ),
                "correct the box (world coordinates in m, the body as placed at time 0) or remove the entry",
            )),
        }
    }

    fn rigid_body(&mut self, index: usize, body: &Body) -> Result<(), SceneError> {
        let path = format!("body.{index}");
        let mesh_path = format!("{path}.mesh");
        let (surface, inertia) = self.rigid_shape(&mesh_path, &body.mesh)?;
        surface
            .check_closed_outwards()
            .map_err(|error| self.mesh_error(&mesh_path, &error))?;
        self.count_nodes(&path, body, surface.vertices().len())?;
        let placements = self.placements(&path, body, surface.vertices())?;
        for (copy, placement) in placements.iter().enumerate() {
            let mesh = surface
                .map_vertices(|vertex| placement.position + placement.rotation * vertex)
                .map_err(|error| self.mesh_error(&path, &error))?;
            let inertia = inertia(placement, body.density.unwrap_or(1.0))
                .and_then(|inertia| match body.mass {
                    Some(mass) => inertia.with_mass(mass),
                    None => Ok(inertia),
                })
                .map_err(|error| self.mesh_error(&mesh_path, &error))?;
            let motion = body.motion.as_ref();
            let motion = motion.map(|motion| self.motion(Some(motion), &placement.position, None));
            self.parts.rigid_bodies.push(RigidPart {
                name: name_of(index, body, copy),
                mesh,
                inertia,
                friction: body.friction.unwrap_or(self.scene.world.friction),
                velocity: body.velocity.into(),
                angular_velocity: body.angular_velocity.into(),
                motion,
            });
        }
        Ok(())
    }

    /// Surface of a rigid body, and what computes the inertia of a copy from its placement and density.
    fn rigid_shape(
        &mut self,
        path: &str,
        source: &BodyMesh,
    ) -> Result<(TriangleMesh, InertiaOf), SceneError> {
        let solid = match (self.tet_mesh(path, source), source) {
            // A file may hold a surface instead; if it holds neither, that is what the message is about.
            (Err(_), BodyMesh::File(file)) => {
                let surface = self.surface_file(&format!("{path}.file"), file)?;
                let (vertices, triangles) =
                    (surface.vertices().to_vec(), surface.triangles().to_vec());
                let inertia = move |placement: &Placement, density: f64| {
                    RigidInertia::of_surface(&placement.apply(&vertices), &triangles, density)
                };
                return Ok((surface, Box::new(inertia)));
            }
            (solid, _) => solid?,
        };
        let surface = solid
            .surface()
            .and_then(|surface| surface.to_triangle_mesh(&solid))
            .map_err(|error| self.mesh_error(path, &error))?;
        let inertia = move |placement: &Placement, density: f64| {
            RigidInertia::of_tets(&placement.apply(solid.nodes()), solid.tets(), density)
        };
        Ok((surface, Box::new(inertia)))
    }

    /// Counts the nodes of a body and its copies.
    fn count_nodes(&mut self, path: &str, body: &Body, nodes: usize) -> Result<(), SceneError> {
        let count = body.copies.map_or(1, |copies| copies.count);
        self.nodes = self
            .nodes
            .saturating_add(nodes.saturating_mul(count as usize));
        if self.nodes > NODE_LIMIT {
            return Err(self.scene.error_at(
                &format!("{path}.copies"),
                format!("the scene has more than {NODE_LIMIT} nodes"),
                "use fewer copies or a coarser mesh",
            ));
        }
        Ok(())
    }

    fn obstacle(&mut self, index: usize, obstacle: &Obstacle) -> Result<(), SceneError> {
        let path = format!("obstacle.{index}");
        let name = if obstacle.name.is_empty() {
            format!("obstacle {}", index + 1)
        } else {
            obstacle.name.clone()
        };
        let friction = obstacle.friction.unwrap_or(self.scene.world.friction);
        let position = Vector3::from(obstacle.position);
        let rotation = rotation(obstacle.rotation.as_ref());
        let mesh_path = format!("{path}.shape");
        let mesh = match &obstacle.shape {
            ObstacleShape::HalfSpace { point, normal } => {
                self.parts.half_spaces.push(HalfSpacePart {
                    name,
                    point: position + rotation * Vector3::from(*point),
                    normal: rotation * normalized(normal),
                    friction,
                });
                return Ok(());
            }
            ObstacleShape::File(file) => self.surface_file(&format!("{mesh_path}.file"), file)?,
            shape => shapes::surface(shape).map_err(|error| self.mesh_error(&mesh_path, &error))?,
        };
        let mesh = mesh
            .map_vertices(|vertex| position + rotation * vertex)
            .map_err(|error| self.mesh_error(&mesh_path, &error))?;
        mesh.check_closed_outwards()
            .map_err(|error| self.mesh_error(&mesh_path, &error))?;
        let motion = self.motion(obstacle.motion.as_ref(), &position, None);
        self.parts.obstacles.push(MeshObstaclePart {
            name,
            mesh,
            friction,
            motion,
        });
        Ok(())
    }

    /// Where each copy stands; a single placement for a body without copies.
    fn placements(
        &self,
        path: &str,
        body: &Body,
        points: &[Vector3<f64>],
    ) -> Result<Vec<Placement>, SceneError> {
        let single = Placement {
            position: Vector3::from(body.position),
            rotation: rotation(body.rotation.as_ref()),
        };
        let Some(copies) = &body.copies else {
            return Ok(vec![single]);
        };
        if let Some(turn) = &copies.turn {
            let center = turn.center.map_or(single.position, Vector3::from);
            return Ok((0..copies.count)
                .map(|index| {
                    let turned = rotation(Some(&Rotation {
                        axis: turn.axis,
                        degrees: turn.degrees * f64::from(index),
                    }));
                    Placement {
                        position: center + turned * (single.position - center),
                        rotation: turned * single.rotation,
                    }
                })
                .collect());
        }
        let spacing = self.spacing(path, copies, points, &single.rotation)?;
        let mut random = SplitMix64::new(copies.seed);
        Ok((0..copies.count)
            .map(|index| Placement {
                position: single.position + grid_offset(copies, &spacing, index),
                rotation: if copies.random_rotation {
                    random.rotation()
                } else {
                    single.rotation
                },
            })
            .collect())
    }

    /// Distance between neighbouring copies (m), checked to keep them apart.
    fn spacing(
        &self,
        path: &str,
        copies: &Copies,
        points: &[Vector3<f64>],
        rotation: &UnitQuaternion<f64>,
    ) -> Result<Vector3<f64>, SceneError> {
        // Turned copies stay inside balls about their origins, unturned ones inside equal boxes.
        let needed = if copies.random_rotation {
            let radius = points.iter().map(Vector3::norm).fold(0.0, f64::max);
            Vector3::repeat(2.0 * radius)
        } else {
            let turned = points.iter().map(|point| rotation * point);
            let (lower, upper) = bounds(turned);
            upper - lower
        };
        let Some(spacing) = copies.spacing.map(Vector3::from) else {
            return Ok(needed * SPACING_SLACK);
        };
        let [nx, ny] = copies.columns;
        let rows = [nx, ny, copies.count.div_ceil(nx * ny)];
        for axis in 0..3 {
            if rows[axis] > 1 && spacing[axis] <= needed[axis] {
                return Err(self.scene.error_at(
                    &format!("{path}.copies.spacing.{axis}"),
                    format!(
                        "copies {} m apart could overlap at the start: each may reach over {} m",
                        spacing[axis], needed[axis]
                    ),
                    format!(
                        "leave `spacing` out, or write more than {:.4}",
                        needed[axis] * 1.001
                    ),
                ));
            }
        }
        Ok(spacing)
    }

    /// Index of a motion in the list, which holds each only once.
    fn motion(
        &mut self,
        motion: Option<&Motion>,
        position: &Vector3<f64>,
        until: Option<f64>,
    ) -> usize {
        let motion = motion.map_or_else(RigidMotion::rest, |motion| RigidMotion {
            velocity: motion.velocity.into(),
            angular_velocity: motion.angular_velocity.into(),
            center: motion.center.map_or(*position, Vector3::from),
            until: None,
        });
        // The centre of what stands still has no meaning.
        let motion = if motion.is_rest() {
            RigidMotion::rest()
        } else {
            motion
        };
        let motion = RigidMotion { until, ..motion };
        let motions = &mut self.parts.motions;
        motions
            .iter()
            .position(|known| *known == motion)
            .unwrap_or_else(|| {
                motions.push(motion);
                motions.len() - 1
            })
    }

    fn tet_mesh(&mut self, path: &str, source: &BodyMesh) -> Result<TetMesh, SceneError> {
        if let BodyMesh::Filled(filled) = source {
            let key = format!("{path}.filled");
            let surface = self.surface_file(&key, &filled.file())?;
            return tetrahedralize(&surface, &StuffingOptions::new(filled.size))
                .map(|(mesh, _)| mesh)
                .map_err(|error| self.mesh_error(&key, &error));
        }
        let BodyMesh::File(file) = source else {
            return shapes::solid(source).map_err(|error| self.mesh_error(path, &error));
        };
        let key = format!("{path}.file.path");
        let found = self.find_file(&key, file)?;
        if !self.solids.contains_key(&found) {
            let solid = impinge_geometry::io::read_solid_mesh(&found)
                .map_err(|error| self.file_error(&key, &error))?;
            self.solids.insert(found.clone(), solid);
        }
        let mesh = &self.solids[&found].mesh;
        let shift = centering(file, mesh.nodes());
        mesh.map_nodes(|node| (node - shift) * file.scale)
            .map_err(|error| self.mesh_error(path, &error))
    }

    /// The hexahedra of a solid of them, as its nodes; empty for all others. What [`tet_mesh`](Self::tet_mesh) has read.
    fn hexahedra(&self, path: &str, source: &BodyMesh) -> Result<Vec<[u32; 8]>, SceneError> {
        let BodyMesh::File(file) = source else {
            return Ok(shapes::hexahedra(source));
        };
        let found = self.find_file(&format!("{path}.file.path"), file)?;
        let solid = self.solids.get(&found);
        Ok(solid.map_or_else(Vec::new, |solid| solid.hexahedra.clone()))
    }

    /// Refuses what is not made for hexahedra; those of a file are known only now.
    fn check_hexahedra(&self, path: &str, material: &Material) -> Result<(), SceneError> {
        if self.scene.stepper == StepperChoice::Asynchronous {
            return Err(self.scene.error_at(
                &format!("{path}.mesh"),
                "the asynchronous stepper knows no hexahedra",
                "use the synchronous stepper, or a mesh of tetrahedra",
            ));
        }
        if material.meshless.is_some() {
            return Err(self.scene.error_at(
                &format!("{path}.material.meshless"),
                "a body of hexahedra is not without elements",
                "leave `meshless` out, or use a mesh of tetrahedra",
            ));
        }
        Ok(())
    }

    fn surface_file(&self, path: &str, file: &MeshFile) -> Result<TriangleMesh, SceneError> {
        let key = format!("{path}.path");
        let found = self.find_file(&key, file)?;
        let mesh = impinge_geometry::io::read_triangle_mesh(&found)
            .map_err(|error| self.file_error(&key, &error))?;
        let shift = centering(file, mesh.vertices());
        mesh.map_vertices(|vertex| (vertex - shift) * file.scale)
            .map_err(|error| self.mesh_error(path, &error))
    }

    fn find_file(&self, key: &str, file: &MeshFile) -> Result<PathBuf, SceneError> {
        let expanded = expand_variables(&file.path)
            .map_err(|(problem, mend)| self.scene.error_at(key, problem, mend))?;
        let found = self.scene.folder().join(Path::new(&expanded));
        if found.is_file() {
            return Ok(found);
        }
        Err(self.scene.error_at(
            key,
            format!("there is no file {}", found.display()),
            "correct the path; it is taken relative to the scene file",
        ))
    }

    fn mesh_error(&self, path: &str, error: &dyn std::error::Error) -> SceneError {
        self.scene.error_at(
            path,
            format!("this mesh cannot be used: {error}"),
            "correct the mesh or its placement as said above",
        )
    }

    fn file_error(&self, path: &str, error: &dyn std::error::Error) -> SceneError {
        self.scene.error_at(
            path,
            format!("this mesh file cannot be used: {error}"),
            "correct the file as said above; `impinge mesh info FILE` examines it alone",
        )
    }
}

struct Placement {
    position: Vector3<f64>,
    rotation: UnitQuaternion<f64>,
}

impl Placement {
    fn apply(&self, points: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let place = |point| self.position + self.rotation * point;
        points.iter().map(place).collect()
    }
}

/// The generalised mass of a placed copy of some density.
type InertiaOf = Box<dyn Fn(&Placement, f64) -> Result<RigidInertia, impinge_fem::FemError>>;

fn base_name(index: usize, body: &Body) -> String {
    if body.name.is_empty() {
        format!("body {}", index + 1)
    } else {
        body.name.clone()
    }
}

/// Name of a copy of a body.
fn name_of(index: usize, body: &Body, copy: usize) -> String {
    let name = base_name(index, body);
    if body.copies.is_some() {
        format!("{name} {}", copy + 1)
    } else {
        name
    }
}

fn rotation(rotation: Option<&Rotation>) -> UnitQuaternion<f64> {
    rotation.map_or_else(UnitQuaternion::identity, |rotation| {
        UnitQuaternion::from_axis_angle(
            &Unit::new_unchecked(normalized(&rotation.axis)),
            rotation.degrees.to_radians(),
        )
    })
}

/// Unit vector along `direction`, which is not zero but may be so short or long that its square is.
fn normalized(direction: &[f64; 3]) -> Vector3<f64> {
    let direction = Vector3::from(*direction);
    (direction / direction.amax()).normalize()
}

/// What to subtract from the points of a file.
fn centering(file: &MeshFile, points: &[Vector3<f64>]) -> Vector3<f64> {
    if !file.center {
        return Vector3::zeros();
    }
    let (lower, upper) = bounds(points.iter().copied());
    0.5 * (lower + upper)
}

fn bounds(points: impl Iterator<Item = Vector3<f64>>) -> (Vector3<f64>, Vector3<f64>) {
    points.fold(
        (
            Vector3::repeat(f64::INFINITY),
            Vector3::repeat(f64::NEG_INFINITY),
        ),
        |(lower, upper), point| (lower.inf(&point), upper.sup(&point)),
    )
}

/// Centre of mass (m) of a body of uniform density.
fn center_of_mass(mesh: &TetMesh) -> Vector3<f64> {
    // Relative to one node, so that a body far from the origin loses no digits.
    let base = mesh.nodes()[0];
    let (moment, volume) =
        mesh.tets()
            .iter()
            .fold((Vector3::zeros(), 0.0), |(moment, volume), tet| {
                let [a, b, c, d] = tet.map(|node| mesh.nodes()[node as usize] - base);
                // Six times the volume; the factor drops out of the quotient.
                let share = (b - a).dot(&(c - a).cross(&(d - a)));
                (moment + share * 0.25 * (a + b + c + d), volume + share)
            });
    base + moment / volume
}

/// Replaces each `${NAME}` by the environment variable.
fn expand_variables(text: &str) -> Result<String, (String, String)> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else {
            return Err((
                "`${` has no closing `}`".to_owned(),
                "write ${NAME}".to_owned(),
            ));
        };
        let name = &rest[start + 2..start + length];
        match std::env::var(name) {
            Ok(value) if !value.is_empty() => {
                expanded.push_str(&rest[..start]);
                expanded.push_str(&value);
            }
            _ => {
                return Err((
                    format!("the environment variable {name} is not set"),
                    format!(
                        "set it to the folder that holds the files, for example `export {name}=/path/to/data`"
                    ),
                ));
            }
        }
        rest = &rest[start + length + 1..];
    }
    expanded.push_str(rest);
    Ok(expanded)
}
