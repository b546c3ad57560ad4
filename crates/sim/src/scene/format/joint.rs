//! Joints.

use super::{Formulation, Region};
use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// What a joint holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JointKind {
    /// The two anchors coincide; bodies turn freely about them.
    Ball,
    /// A ball that turns about `axis` only. `limits` are angles (rad) from the start. Its sides, like those of a slider and a weld, are rigid bodies that
    /// move freely, or the world.
    Hinge,
    /// The first body slides along `axis` of the second and does not turn. `limits` are lengths (m) from the start.
    Slider,
    /// Nothing moves against each other.
    Weld,
    /// A link between `anchor` and `end`: a rod where `compliance` is 0, else a spring.
    Link,
    /// A link that only pulls. Through `via` it runs over points of bodies.
    Rope,
    /// Nodes of the elastic or thin body `first` that start on the surface of `second`, or inside it, are held to where
    /// they start: on a rigid body as parts of it, on others by the weights of the element at the closest point, or of
    /// the one around them where they are deeper inside. On the surface are nodes no farther from it than `distance`. A
    /// closed surface has an inside, but for that of a thin body. `group`, `box`, and `reach` about `anchor` select among
    /// the nodes, the latter two to within the contact clearance; without them all are meant.
    Bind,
}

/// A point that a rope runs through.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Via {
    /// Where it is at the start (m), in the world.
    pub at: [f64; 3],
    /// Name of the body that carries it; left out, it stands still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// A physical group of a Gmsh mesh.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum MeshGroup {
    /// Its number.
    Number(u32),
    /// Its name.
    Name(String),
}

impl fmt::Display for MeshGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => write!(f, "\"{name}\""),
        }
    }
}

impl<'de> Deserialize<'de> for MeshGroup {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrNumber;

        impl Visitor<'_> for NameOrNumber {
            type Value = MeshGroup;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name or number of a physical group")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<MeshGroup, E> {
                Ok(MeshGroup::Name(name.to_owned()))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<MeshGroup, E> {
                u32::try_from(number)
                    .map(MeshGroup::Number)
                    .map_err(|_| E::invalid_value(serde::de::Unexpected::Unsigned(number), &self))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<MeshGroup, E> {
                u32::try_from(number)
                    .map(MeshGroup::Number)
                    .map_err(|_| E::invalid_value(serde::de::Unexpected::Signed(number), &self))
            }
        }

        deserializer.deserialize_any(NameOrNumber)
    }
}

/// A joint or link between two bodies, or between a body and the world.
///
/// Rigid bodies are held at the very point; elastic and thin ones by `ball`, `link` and `rope` at that point of the
/// element that holds it or misses it by no more than the contact clearance, or at their nearest node where there is
/// none, and by `bind` at many nodes at once. Joined bodies do not touch each other, unless all joints between them say
/// `contact`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// What it holds.
    pub kind: JointKind,
    /// Name of a body. One with copies, joined to itself, is a chain: each copy is joined to the next, the anchor being
    /// that between the first two.
    pub first: String,
    /// Name of the other body; left out, the joint holds the first to the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
    /// Where it is at the start (m), in the world; of a link its end on the first body; of a `bind` the centre of its
    /// `reach`, without which it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<[f64; 3]>,
    /// The other end of a `link` or `rope` at the start (m), on the second body or in the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<[f64; 3]>,
    /// Direction of a `hinge` or `slider` at the start (1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Lower and upper limit of a `hinge` (rad) or `slider` (m), 0 being the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    /// Rest length of a `link`, greatest length of a `rope` (m), greater than 0. Default: the distance at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// How far one newton moves a `ball`, `link`, `rope` or node of a `bind` (m/N), 0 or more.
    #[serde(default)]
    pub compliance: f64,
    /// How far from `anchor` a `bind` takes nodes of `first` (m), greater than 0. Default: any distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<f64>,
    /// The nodes of `first` inside this box at time 0 that a `bind` takes, in world coordinates. Default: all of them.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// The physical group of the Gmsh mesh of `first`, by name or number, whose nodes a `bind` takes. Default: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<MeshGroup>,
    /// How far from the surface of `second` a node of a `bind` counts as on it (m), greater than 0. Default: a tenth of
    /// the mean edge of the surface, of the finer one of both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// Points that a `rope` runs through without friction on its way from `anchor` to `end`: what makes ligaments and tendons
    /// curved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<Via>,
    /// How a `ball`, `link`, `rope` or `bind` with a `compliance` enters the equations of a step: "stiffness" for a soft one beside any
    /// contact method. Default: "compliance", a row of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formulation: Option<Formulation>,
    /// Whether the two bodies touch each other all the same: they must start apart, and the joint must leave room between them.
    #[serde(default)]
    pub contact: bool,
}

impl Joint {
    /// `anchor`, which every joint has but a `bind` that needs none.
    pub(crate) fn anchor(&self) -> Vector3<f64> {
        Vector3::from(self.anchor.unwrap_or_default())
    }

    /// Whether a `bind` says which nodes it means.
    pub(crate) fn selects_nodes(&self) -> bool {
        self.reach.is_some() || self.region.is_some() || self.group.is_some()
    }
}
