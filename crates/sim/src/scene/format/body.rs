//! Bodies and obstacles: where they are, how they are moved or held, and their copies.

use super::{BodyMesh, Material, ObstacleShape, Shell};
use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A turn about an axis through the origin, before `position` is added.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// Direction of the axis (any length but 0).
    pub axis: [f64; 3],
    /// Angle by the right-hand rule (degrees).
    pub degrees: f64,
}

/// A prescribed rigid motion: a constant velocity together with a constant turning about a centre that moves along, and
/// others from given times on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Motion {
    /// Velocity of the centre (m/s).
    pub velocity: [f64; 3],
    /// Angular velocity about the centre (rad/s).
    pub angular_velocity: [f64; 3],
    /// Where the centre is at time 0, in world coordinates (m). Default: the `position` of the body or obstacle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub center: Option<[f64; 3]>,
    /// Other velocities from given times on, in the order of these times. Default: none, for ever the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Leg>,
}

/// The velocities of a motion from a time on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Leg {
    /// When it begins (s), after time 0 and after the leg before.
    pub at: f64,
    /// Velocity of the centre from then on (m/s). Default: none.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity about the centre from then on (rad/s). Default: none.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
}

/// A box with sides along the world axes, its boundary included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Corner of smallest coordinates (m).
    pub lower: [f64; 3],
    /// Corner of largest coordinates (m).
    pub upper: [f64; 3],
}

impl Region {
    /// Whether `point` is inside, or on the boundary.
    pub(crate) fn holds(&self, point: &Vector3<f64>) -> bool {
        (0..3).all(|axis| (self.lower[axis]..=self.upper[axis]).contains(&point[axis]))
    }
}

/// A force on nodes of an elastic or thin body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pull {
    /// The nodes inside this box at time 0, in world coordinates. Default: all nodes of the body.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// The whole force (N), shared equally by those of the nodes whose motion is not given.
    pub force: [f64; 3],
}

/// Nodes of a body whose motion is given. Where several entries hold a node, the first one moves it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fixed {
    /// The nodes inside this box at time 0, in world coordinates. Default: all nodes of the body.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// How they move. Default: they stand still.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Time at which they are let go, with the velocity that they have then (s), greater than 0. Default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

/// What brings a copy to the place of the next.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Direction of the axis (any length but 0).
    pub axis: [f64; 3],
    /// Angle by the right-hand rule (degrees).
    pub degrees: f64,
    /// A point of the axis (m). Default: the `position` of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub center: Option<[f64; 3]>,
}

/// Several equal bodies on a grid, its columns along x and y, its layers upwards along z.
///
/// The columns are centred about the body's `position`, which is the height of the lowest layer; it is filled first.
/// Copies never overlap at the start: a `spacing` too small for that is refused.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// Number of bodies, at least 1.
    pub count: u32,
    /// Columns along x and y, at least 1 each. Default: one column.
    #[serde(default = "one_column")]
    pub columns: [u32; 2],
    /// Distance between neighbours along x, y and z (m). Default: 2 % more than they need in order not to touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spacing: Option<[f64; 3]>,
    /// Whether each copy is turned at random, uniformly over all rotations, instead of by `rotation`.
    #[serde(default)]
    pub random_rotation: bool,
    /// Instead of a grid: each copy is the one before, turned about an axis. For arches and wheels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// Start of the random sequence; the same seed gives the same scene on every machine.
    #[serde(default)]
    pub seed: u64,
}

fn one_column() -> [u32; 2] {
    [1, 1]
}

/// What a body can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BodyKind {
    /// It deforms; needs a `material`.
    #[default]
    Elastic,
    /// It deforms and has no thickness to speak of: the surface of its mesh stretches and bends; needs a `shell`.
    Shell,
    /// It keeps its shape; needs a `density` or a `mass`, or a `motion` that moves it.
    Rigid,
}

/// An elastic or rigid body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Name in messages; copies get `name 1`, `name 2`, … Default: `body` and its number.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Whether it deforms.
    #[serde(default)]
    pub kind: BodyKind,
    /// Mesh, in the body's own frame.
    pub mesh: BodyMesh,
    /// What an elastic body is made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<Material>,
    /// What a thin body is made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<Shell>,
    /// Mass per volume of a rigid body (kg/m³), greater than 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Mass of a rigid body (kg), greater than 0, evenly spread over its volume; in place of `density`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Motion that a rigid body is made to follow, whatever touches it. Default: forces move it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Where the origin of the body's own frame is placed (m).
    #[serde(default)]
    pub position: [f64; 3],
    /// Turn about the origin of the body's own frame.
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
    /// Nodes of an elastic body whose motion is given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<Fixed>,
    /// Constant forces on nodes of an elastic or thin body. Their work is not among the energies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pulls: Vec<Pull>,
    /// Several of this body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<Copies>,
}

/// A rigid thing that bodies touch and that nothing moves but its own prescribed motion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Obstacle {
    /// Name in messages. Default: `obstacle` and its number.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Shape, in the obstacle's own frame.
    pub shape: ObstacleShape,
    /// Where the origin of the obstacle's own frame is placed (m).
    #[serde(default)]
    pub position: [f64; 3],
    /// Turn about the origin of the obstacle's own frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Coulomb friction coefficient (1), 0 or more. Default: `world.friction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Prescribed motion; not for a half-space. Default: it stands still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
}
