//! Builds the parts of a model from a scene: placed meshes, materials, velocities and prescribed motions.

mod builder;
mod load;
mod parts;
mod place;

pub use parts::{
    BodyPart, GivenLoad, GivenPull, HalfSpacePart, HeldPart, MeshObstaclePart, NodesPart, Placed,
    RigidPart, SceneParts, ShellPart, pair_friction,
};

use builder::Builder;
use load::center_of_mass;
pub(super) use load::mesh_files;
use place::{CopyOf, Placement, name_of, normalized, rotation};

use super::format::{Body, BodyKind, Obstacle, ObstacleShape};
use super::{Scene, SceneError, shapes, validate};
use impinge_geometry::MeshError;
use nalgebra::Vector3;
use std::collections::{BTreeMap, BTreeSet};

/// Node limit of a scene: more are a mistake. A node takes about a kilobyte.
const NODE_LIMIT: usize = 20_000_000;

/// Body limit of a scene. The smallest body takes some ten kilobytes.
const BODY_LIMIT: usize = 100_000;

pub(super) fn instantiate(scene: &Scene) -> Result<SceneParts, SceneError> {
    validate::validate(scene)?;
    refuse_huge(scene)?;
    let mut builder = Builder {
        scene,
        solids: BTreeMap::new(),
        fillings: BTreeMap::new(),
        names: BTreeSet::new(),
        parts: SceneParts {
            bodies: Vec::new(),
            shells: Vec::new(),
            rigid_bodies: Vec::new(),
            half_spaces: Vec::new(),
            obstacles: Vec::new(),
            motions: Vec::new(),
        },
        nodes: 0,
        bodies: 0,
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

/// Nodes of all generated meshes of a scene, copies included.
pub(super) fn generated_nodes(scene: &Scene) -> u64 {
    nodes_of_entries(scene).fold(0, |sum, (_, nodes)| sum.saturating_add(nodes))
}

/// The dotted key of each body and obstacle, and the number of its generated nodes over all copies.
fn nodes_of_entries(scene: &Scene) -> impl Iterator<Item = (String, u64)> {
    let bodies = scene.bodies.iter().enumerate().map(|(index, body)| {
        let copies = body.copies.map_or(1, |copies| copies.count);
        let nodes = shapes::body_nodes(&body.mesh).saturating_mul(copies.into());
        (format!("body.{index}.mesh"), nodes)
    });
    let obstacles = scene.obstacles.iter().enumerate();
    bodies.chain(obstacles.map(|(index, obstacle)| {
        let nodes = obstacle.shape.nodes();
        (format!("obstacle.{index}.shape"), nodes)
    }))
}

/// Force and torque of a body.
fn given_load(body: &Body) -> GivenLoad {
    GivenLoad {
        force: body.force.clone(),
        torque: body.torque.clone(),
    }
}

/// Rejects meshes that would exhaust the memory while they are generated.
fn refuse_huge(scene: &Scene) -> Result<(), SceneError> {
    let mut sum = 0_u64;
    for (path, nodes) in nodes_of_entries(scene) {
        sum = sum.saturating_add(nodes);
        if sum > NODE_LIMIT as u64 {
            let problem = format!("the scene has more than {NODE_LIMIT} nodes");
            let mend = "use fewer copies or a coarser mesh";
            return Err(scene.error_at(&path, problem, mend));
        }
    }
    Ok(())
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
        let groups = self.groups(&format!("{path}.mesh"), &body.mesh)?;
        if !cells.is_empty() {
            self.check_hexahedra(&path, &material)?;
        }

        let mut prescribed_somewhere = vec![false; body.fixed.len()];
        let placements = self.placements(&path, body, mesh.nodes())?;
        for (copy, placement) in placements.iter().enumerate() {
            let name = name_of(index, body, copy);
            self.add_name(&path, &name)?;
            let placed = mesh
                .map_nodes(|node| placement.position + placement.rotation * node)
                .map_err(|error| self.mesh_error(&path, &error))?;
            let points = placed.nodes();
            let center = center_of_mass(&placed);
            let copy_of = CopyOf {
                index,
                body,
                position: placement.position,
            };
            let nodes = self.nodes(copy_of, center, points, &mut prescribed_somewhere)?;
            self.parts.bodies.push(BodyPart {
                name,
                mesh: placed,
                cells: cells.clone(),
                groups: groups.clone(),
                origin: placement.origin(index, copy),
                material,
                friction: body.friction.unwrap_or(self.scene.world.friction),
                nodes,
                load: given_load(body),
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
            let name = name_of(index, body, copy);
            self.add_name(&path, &name)?;
            let placed = mesh
                .map_vertices(|vertex| placement.position + placement.rotation * vertex)
                .map_err(|error| self.mesh_error(&path, &error))?;
            let points = placed.vertices();
            let center = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
            let copy_of = CopyOf {
                index,
                body,
                position: placement.position,
            };
            let nodes = self.nodes(copy_of, center, points, &mut prescribed_somewhere)?;
            self.parts.shells.push(ShellPart {
                name,
                mesh: placed,
                origin: placement.origin(index, copy),
                quadrilaterals: shapes::quadrilaterals(&body.mesh),
                fibre: (shell.orthotropic).map(|of| placement.rotation * normalized(&of.fibre)),
                shell,
                friction: body.friction.unwrap_or(self.scene.world.friction),
                nodes,
                load: given_load(body),
            });
        }
        self.check_fixed(index, body, &prescribed_somewhere)
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
            let name = name_of(index, body, copy);
            self.add_name(&path, &name)?;
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
                name,
                mesh,
                origin: placement.origin(index, copy),
                inertia,
                friction: body.friction.unwrap_or(self.scene.world.friction),
                velocity: body.velocity.into(),
                angular_velocity: body.angular_velocity.into(),
                motion,
                load: given_load(body),
            });
        }
        Ok(())
    }

    /// Counts the nodes of a body and its copies.
    fn count_nodes(&mut self, path: &str, body: &Body, nodes: usize) -> Result<(), SceneError> {
        let count = body.copies.map_or(1, |copies| copies.count);
        self.bodies = self.bodies.saturating_add(count as usize);
        if self.bodies > BODY_LIMIT {
            return Err(self.scene.error_at(
                &format!("{path}.copies"),
                format!("the scene has more than {BODY_LIMIT} bodies"),
                "use fewer copies",
            ));
        }
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
        self.add_name(&path, &name)?;
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
            shape => shape
                .surface()
                .map_err(|error| self.mesh_error(&mesh_path, &error))?,
        };
        let mesh = mesh
            .map_vertices(|vertex| position + rotation * vertex)
            .map_err(|error| self.mesh_error(&mesh_path, &error))?;
        // An open surface has two sides; a closed one encloses a solid.
        match mesh.check_closed_outwards() {
            Err(MeshError::OpenEdge { .. }) => mesh.check_sheet(),
            checked => checked,
        }
        .map_err(|error| self.mesh_error(&mesh_path, &error))?;
        let motion = self.motion(obstacle.motion.as_ref(), &position, None);
        self.parts.obstacles.push(MeshObstaclePart {
            name,
            mesh,
            origin: Placement { position, rotation }.origin(index, 0),
            friction,
            motion,
        });
        Ok(())
    }
}
