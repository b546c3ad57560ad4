//! Bodies and obstacles: placement, prescribed motions, forces and copies.

use super::{BodyMesh, Material, ObstacleShape, Shell, Signal};
use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rotation about an axis through the origin, applied before `position` is added.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// Direction of the axis.
    pub axis: [f64; 3],
    /// Angle by the right-hand rule (degrees).
    pub degrees: f64,
}

/// Prescribed rigid motion: velocity of a centre and rotation about it, constant from given times on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Motion {
    /// Velocity of the centre (m/s).
    pub velocity: [f64; 3],
    /// Angular velocity about the centre (rad/s).
    pub angular_velocity: [f64; 3],
    /// Position of the centre at time 0, in world coordinates (m). Default: the `position` of the body or obstacle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub center: Option<[f64; 3]>,
    /// Velocities from later times on, in order of time. Default: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Leg>,
    /// Displacement of the centre (m) since time 0, over time; linear in between, constant before and after. Instead of
    /// `velocity` and `then`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shift: Vec<(f64, [f64; 3])>,
    /// Rotation about the centre over time, instead of `angular_velocity` and `then`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turning>,
}

/// Rotation about a fixed axis as a table over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turning {
    /// Direction of the axis.
    pub axis: [f64; 3],
    /// Times (s) and angles by the right-hand rule (degrees); linear in between, constant before and after.
    pub degrees: Vec<(f64, f64)>,
}

/// Friction of a pair, instead of the geometric mean of both coefficients.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PairFriction {
    /// Name of a body or obstacle; `name 2` is one of its copies.
    pub first: String,
    /// Name of the other one, or the same for contacts with itself or its copies.
    pub second: String,
    /// Coulomb friction coefficient (1), ≥ 0.
    pub coefficient: f64,
}

/// Velocities of a motion from a given time on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Leg {
    /// Start time (s), > 0 and after the previous entry.
    pub at: f64,
    /// Velocity of the centre from then on (m/s). Default: zero.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity about the centre from then on (rad/s). Default: zero.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
}

/// Box along the world axes, including its boundary.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Corner with the smallest coordinates (m).
    pub lower: [f64; 3],
    /// Corner with the largest coordinates (m).
    pub upper: [f64; 3],
}

impl Region {
    /// Whether `point` is inside, or on the boundary.
    pub(crate) fn holds(&self, point: &Vector3<f64>) -> bool {
        (0..3).all(|axis| (self.lower[axis]..=self.upper[axis]).contains(&point[axis]))
    }
}

/// Force on nodes of a deformable body.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pull {
    /// The nodes in this box at time 0, in world coordinates. Default: all nodes.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// Total force (N), divided equally among the selected free nodes.
    pub force: Signal,
}

/// Nodes with a prescribed motion. The first entry that selects a node applies.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fixed {
    /// Name of these nodes: `BODY/NAME` in programs and tables. Default: `held` and its number.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The nodes in this box at time 0, in world coordinates. Default: all nodes.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// Motion of the nodes. Default: they stand still.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Time at which the nodes are released, with their velocity (s), > 0. Default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

/// Rotation from each copy to the next.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Direction of the axis.
    pub axis: [f64; 3],
    /// Angle by the right-hand rule (degrees).
    pub degrees: f64,
    /// A point on the axis (m). Default: the `position` of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub center: Option<[f64; 3]>,
}

/// Equal bodies on a grid with columns along x and y and layers along z.
///
/// The lowest layer, centred at the body's `position`, is filled first. A `spacing` at which copies could overlap is
/// rejected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// Number of bodies, ≥ 1.
    pub count: u32,
    /// Columns along x and y, ≥ 1. Default: one.
    #[serde(default = "one_column")]
    pub columns: [u32; 2],
    /// Distance between neighbours (m). Default: 2 % above the least distance without contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spacing: Option<[f64; 3]>,
    /// Whether each copy gets a random rotation, all equally likely, instead of `rotation`.
    #[serde(default)]
    pub random_rotation: bool,
    /// Rotation from each copy to the next, instead of a grid: for arches and wheels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// Seed of the random rotations, which are the same on every machine.
    #[serde(default)]
    pub seed: u64,
}

fn one_column() -> [u32; 2] {
    [1, 1]
}

/// Kind of a body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BodyKind {
    /// Deformable solid; needs a `material`.
    #[default]
    Elastic,
    /// Thin body: a surface that stretches and bends, without thickness in contact; needs a `shell`.
    Shell,
    /// Rigid body; needs a `density`, a `mass` or a `motion`.
    Rigid,
}

/// An elastic, thin or rigid body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Name in messages, unlike that of other bodies and obstacles; copies get `name 1`, `name 2`, … Default: `body`
    /// and its number.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Kind of the body: elastic, shell or rigid.
    #[serde(default)]
    pub kind: BodyKind,
    /// Mesh, in the body's own frame.
    pub mesh: BodyMesh,
    /// Material of an elastic body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<Material>,
    /// Material of a thin body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<Shell>,
    /// Density of a rigid body (kg/m³), > 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Mass of a rigid body (kg), > 0, instead of `density`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Prescribed motion of a rigid body. Default: forces move it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Position of the origin of its own frame (m).
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation about the origin of its own frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Initial velocity (m/s).
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Initial angular velocity about the centre of mass (rad/s).
    #[serde(default)]
    pub angular_velocity: [f64; 3],
    /// Coulomb friction coefficient (1), ≥ 0. Default: `world.friction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Nodes of a deformable body with a prescribed motion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<Fixed>,
    /// Forces on nodes of a deformable body. The energies in `steps.csv` do not include their work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pulls: Vec<Pull>,
    /// Force (N) at the centre of mass of a rigid body, over the free nodes of a deformable one by their mass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<Signal>,
    /// Torque about the centre of mass in world axes (N·m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torque: Option<Signal>,
    /// Copies of this body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<Copies>,
}

impl Body {
    /// An elastic body at rest at the origin, all else by default.
    ///
    /// ```
    /// use impinge_sim::scene::{Body, BodyMesh, Material};
    ///
    /// let mesh = BodyMesh::Cuboid { size: [0.1; 3], cells: [2; 3] };
    /// let cube = Body { position: [0.0, 0.0, 0.2], ..Body::elastic(mesh, Material::new(1e5, 0.3, 1000.0)) };
    /// assert!(cube.friction.is_none());
    /// ```
    #[must_use]
    pub fn elastic(mesh: BodyMesh, material: Material) -> Self {
        Self {
            material: Some(material),
            ..Self::of_kind(BodyKind::Elastic, mesh)
        }
    }

    /// A thin body at rest at the origin, all else by default.
    #[must_use]
    pub fn thin(mesh: BodyMesh, shell: Shell) -> Self {
        Self {
            shell: Some(shell),
            ..Self::of_kind(BodyKind::Shell, mesh)
        }
    }

    /// A rigid body of the given density (kg/m³) at rest at the origin, all else by default.
    #[must_use]
    pub fn rigid(mesh: BodyMesh, density: f64) -> Self {
        Self {
            density: Some(density),
            ..Self::of_kind(BodyKind::Rigid, mesh)
        }
    }

    /// A body of that kind without material and mass, all else by default.
    pub(in crate::scene) fn of_kind(kind: BodyKind, mesh: BodyMesh) -> Self {
        Self {
            name: String::new(),
            kind,
            mesh,
            material: None,
            shell: None,
            density: None,
            mass: None,
            motion: None,
            position: [0.0; 3],
            rotation: None,
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            friction: None,
            fixed: Vec::new(),
            pulls: Vec::new(),
            force: None,
            torque: None,
            copies: None,
        }
    }
}

/// Rigid obstacle; only its prescribed motion moves it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Obstacle {
    /// Name in messages, unlike that of other bodies and obstacles. Default: `obstacle` and its number.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Shape, in the obstacle's own frame.
    pub shape: ObstacleShape,
    /// Position of the origin of its own frame (m).
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation about the origin of its own frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Coulomb friction coefficient (1), ≥ 0. Default: `world.friction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Prescribed motion; not for a half-space. Default: it stands still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
}

impl Obstacle {
    /// An obstacle that stands still at the origin, all else by default.
    #[must_use]
    pub fn new(shape: ObstacleShape) -> Self {
        Self {
            name: String::new(),
            shape,
            position: [0.0; 3],
            rotation: None,
            friction: None,
            motion: None,
        }
    }
}
