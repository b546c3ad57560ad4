//! The parts of a scene: placed meshes, materials, velocities and prescribed motions.

use crate::scene::RigidMotion;
use crate::scene::format::{Material, Shell, Signal};
use impinge_fem::RigidInertia;
use impinge_geometry::io::NodeGroup;
use impinge_geometry::mesh::{TetMesh, TriangleMesh};
use nalgebra::{UnitQuaternion, Vector3};
use std::sync::Arc;

/// All data of a model, in world coordinates at time 0.
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

/// The body or obstacle of the scene that a part comes from, and its placement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// Its index in the scene's list of bodies, or of obstacles.
    pub entry: usize,
    /// Number of the copy, from 0.
    pub copy: usize,
    /// Position of the origin of the body's own frame (m).
    pub position: Vector3<f64>,
    /// Rotation of the body about that origin.
    pub rotation: UnitQuaternion<f64>,
}

/// Nodes of a body that one prescribed motion holds.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldPart {
    /// Name within the body.
    pub name: String,
    /// The nodes, ascending; none if earlier entries hold them all.
    pub nodes: Vec<u32>,
}

/// A force on nodes of a body that changes with time.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenPull {
    /// The nodes.
    pub nodes: Vec<u32>,
    /// Share of each of them, relative to `force`.
    pub share: f64,
    /// Total force (N).
    pub force: Signal,
}

/// Force and torque on a body as a whole.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GivenLoad {
    /// Force (N).
    pub force: Option<Signal>,
    /// Torque about the centre of mass (N·m).
    pub torque: Option<Signal>,
}

/// Start, prescribed motions and forces of the nodes of a deformable body.
#[derive(Debug, Clone)]
pub struct NodesPart {
    /// Initial velocity of each node (m/s); that of the motion if it is prescribed.
    pub velocity: Vec<Vector3<f64>>,
    /// For each node, the index of its prescribed motion in [`SceneParts::motions`]; `None` if it is free.
    pub prescribed: Vec<Option<usize>>,
    /// The prescribed nodes, by the entry of `fixed` that holds them.
    pub held: Vec<HeldPart>,
    /// Constant force on each node (N).
    pub pull: Vec<Vector3<f64>>,
    /// Forces on nodes that change with time.
    pub varying: Vec<GivenPull>,
}

/// One elastic body.
#[derive(Debug, Clone)]
pub struct BodyPart {
    /// Name for messages.
    pub name: String,
    /// Rest shape, scaled and placed as at time 0.
    pub mesh: TetMesh,
    /// Its hexahedra as nodes, four around the bottom of each, then those above; empty for tetrahedral elements.
    pub cells: Vec<[u32; 8]>,
    /// The physical groups of its mesh file, as its nodes; shared by copies.
    pub groups: Arc<[NodeGroup]>,
    /// The entry of the scene that it copies.
    pub origin: Placed,
    /// Material.
    pub material: Material,
    /// Coulomb friction coefficient (1); see [`pair_friction`].
    pub friction: f64,
    /// Motion and forces of its nodes.
    pub nodes: NodesPart,
    /// Force and torque on the body.
    pub load: GivenLoad,
}

/// One thin body.
#[derive(Debug, Clone)]
pub struct ShellPart {
    /// Name for messages.
    pub name: String,
    /// Surface at rest, placed as at time 0.
    pub mesh: TriangleMesh,
    /// The entry of the scene that it copies.
    pub origin: Placed,
    /// Its quadrilaterals as vertices in order around each; empty for triangular elements.
    pub quadrilaterals: Vec<[u32; 4]>,
    /// Direction of its fibres, if any, rotated with the body.
    pub fibre: Option<Vector3<f64>>,
    /// Material.
    pub shell: Shell,
    /// Coulomb friction coefficient (1).
    pub friction: f64,
    /// Motion and forces of its vertices.
    pub nodes: NodesPart,
    /// Force and torque on the body.
    pub load: GivenLoad,
}

/// One rigid body.
#[derive(Debug, Clone)]
pub struct RigidPart {
    /// Name for messages.
    pub name: String,
    /// Surface at time 0; oriented outwards if it is closed.
    pub mesh: TriangleMesh,
    /// The entry of the scene that it copies.
    pub origin: Placed,
    /// Generalised mass, in world axes at time 0; for density 1 if the body has a prescribed motion.
    pub inertia: RigidInertia,
    /// Coulomb friction coefficient (1).
    pub friction: f64,
    /// Initial velocity of the centre of mass (m/s).
    pub velocity: Vector3<f64>,
    /// Initial angular velocity (rad/s).
    pub angular_velocity: Vector3<f64>,
    /// Index of its prescribed motion in [`SceneParts::motions`]; `None` if it is free.
    pub motion: Option<usize>,
    /// Force and torque on the body.
    pub load: GivenLoad,
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

/// A surface with a prescribed motion: closed, or open with two sides.
#[derive(Debug, Clone)]
pub struct MeshObstaclePart {
    /// Name for messages.
    pub name: String,
    /// Surface at time 0; oriented outwards if it is closed.
    pub mesh: TriangleMesh,
    /// The entry of the scene that it comes from.
    pub origin: Placed,
    /// Coulomb friction coefficient (1).
    pub friction: f64,
    /// Index into [`SceneParts::motions`].
    pub motion: usize,
}

/// Friction coefficient of a pair: the geometric mean of the two.
///
/// It is symmetric, returns `mu` for two surfaces of the same `mu`, and 0 if one surface is frictionless.
pub fn pair_friction(a: f64, b: f64) -> f64 {
    // The square root of `a²` is not always exact; equal coefficients must be preserved.
    if a.to_bits() == b.to_bits() {
        a
    } else {
        (a * b).sqrt()
    }
}
