//! Bodies and obstacles: placement, prescribed motions, forces and copies.

use super::{BodyMesh, Material, ObstacleShape, Shell, Signal};
use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rotation about an axis through the origin, applied before `position` is added.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// Direction of the axis (any non-zero length).
    pub axis: [f64; 3],
    /// Angle by the right-hand rule (degrees).
    pub degrees: f64,
}

/// Prescribed rigid motion: constant velocity of a centre and constant rotation about it, with other velocities from
/// given times on.
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
    /// Velocities from later times on, in order of time. Default: none, the velocities stay constant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Leg>,
    /// Displacement of the centre (m) since time 0, as a table over time, `[[0, [0, 0, 0]], [0.5, [0, 0, 0.1]]]`;
    /// linear in between, constant before and after. Instead of `velocity` and `then`. Default: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shift: Vec<(f64, [f64; 3])>,
    /// Rotation about the centre as a table over time, instead of `angular_velocity` and `then`. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turning>,
}

/// Rotation about a fixed axis as a table over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turning {
    /// Direction of the axis (any non-zero length).
    pub axis: [f64; 3],
    /// Times (s) and angles by the right-hand rule (degrees), `[[0, 0], [0.5, 90]]`; linear in between, constant before
    /// and after.
    pub degrees: Vec<(f64, f64)>,
}

/// Friction of a pair of bodies or obstacles, in the place of the geometric mean of their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PairFriction {
    /// Name of a body or obstacle; of a body with copies, all of them or one, as in `name 2`.
    pub first: String,
    /// Name of the other one; the same name for contacts of a body with itself or its copies.
    pub second: String,
    /// Coulomb friction coefficient (1), 0 or more.
    pub coefficient: f64,
}

/// Velocities of a motion from a given time on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Leg {
    /// Start time (s), greater than 0 and than that of the previous entry.
    pub at: f64,
    /// Velocity of the centre from then on (m/s). Default: zero.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity about the centre from then on (rad/s). Default: zero.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
}

/// Box with sides parallel to the world axes, including its boundary.
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

/// Force on nodes of an elastic or thin body.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pull {
    /// The nodes inside this box at time 0, in world coordinates. Default: all nodes of the body.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// Total force (N), divided equally among the selected nodes without prescribed motion; constant, or a table over
    /// time.
    pub force: Signal,
}

/// Nodes of a body with a prescribed motion. If several entries select a node, the first one applies.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fixed {
    /// Name of these nodes, to find them by `BODY/NAME` in a program and in tables. Default: `held` and its number.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The nodes inside this box at time 0, in world coordinates. Default: all nodes of the body.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// Motion of the nodes. Default: they stand still.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Time at which the nodes are released with their current velocity (s), greater than 0. Default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

/// Rotation from each copy to the next.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Direction of the axis (any non-zero length).
    pub axis: [f64; 3],
    /// Angle by the right-hand rule (degrees).
    pub degrees: f64,
    /// A point on the axis (m). Default: the `position` of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub center: Option<[f64; 3]>,
}

/// Equal bodies on a grid with columns along x and y and layers upwards along z.
///
/// The columns are centred at the body's `position`, which is also the height of the lowest layer. The lowest layer is
/// filled first. A `spacing` at which copies could overlap at the start is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// Number of bodies, at least 1.
    pub count: u32,
    /// Columns along x and y, at least 1 each. Default: one column.
    #[serde(default = "one_column")]
    pub columns: [u32; 2],
    /// Distance between neighbours along x, y and z (m). Default: 2 % more than the least distance without contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spacing: Option<[f64; 3]>,
    /// Whether each copy gets a random rotation, uniform over all rotations, instead of `rotation`.
    #[serde(default)]
    pub random_rotation: bool,
    /// Rotation of each copy relative to the previous one, instead of a grid. For arches and wheels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// Seed of the random rotations; the same seed gives the same scene on every machine.
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
    /// Thin body: its surface mesh stretches and bends, without thickness in contact; needs a `shell`.
    Shell,
    /// Rigid body; needs a `density`, a `mass` or a `motion`.
    Rigid,
}

/// An elastic, thin or rigid body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Name in messages; copies get `name 1`, `name 2`, … Default: `body` and its number.
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
    /// Density of a rigid body (kg/m³), greater than 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Mass of a rigid body (kg), greater than 0, uniform over its volume; instead of `density`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Prescribed motion of a rigid body, independent of forces on it. Default: forces move it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Position of the origin of the body's own frame (m).
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation about the origin of the body's own frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Initial velocity (m/s).
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Initial angular velocity about the centre of mass (rad/s).
    #[serde(default)]
    pub angular_velocity: [f64; 3],
    /// Coulomb friction coefficient (1), 0 or more. Default: `world.friction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Nodes of an elastic or thin body with a prescribed motion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<Fixed>,
    /// Forces on nodes of an elastic or thin body. The energies in `steps.csv` do not include their work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pulls: Vec<Pull>,
    /// Force on the body (N), constant or a table over time: at the centre of mass of a rigid body, spread over the
    /// free nodes of a deformable one by their mass. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<Signal>,
    /// Torque about the centre of mass in world axes (N·m), constant or a table over time. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torque: Option<Signal>,
    /// Copies of this body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<Copies>,
}

impl Body {
    /// An elastic body at rest at the origin, everything else as by default.
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

    /// A thin body at rest at the origin, everything else as by default.
    #[must_use]
    pub fn thin(mesh: BodyMesh, shell: Shell) -> Self {
        Self {
            shell: Some(shell),
            ..Self::of_kind(BodyKind::Shell, mesh)
        }
    }

    /// A rigid body of the given density (kg/m³) at rest at the origin, everything else as by default.
    #[must_use]
    pub fn rigid(mesh: BodyMesh, density: f64) -> Self {
        Self {
            density: Some(density),
            ..Self::of_kind(BodyKind::Rigid, mesh)
        }
    }

    /// A body of that kind without material and mass, everything else as by default.
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

/// Rigid obstacle that bodies can touch; only its prescribed motion moves it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Obstacle {
    /// Name in messages. Default: `obstacle` and its number.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Shape, in the obstacle's own frame.
    pub shape: ObstacleShape,
    /// Position of the origin of the obstacle's own frame (m).
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation about the origin of the obstacle's own frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Coulomb friction coefficient (1), 0 or more. Default: `world.friction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Prescribed motion; not for a half-space. Default: it stands still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
}

impl Obstacle {
    /// An obstacle that stands still at the origin, everything else as by default.
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
