//! Joints.

use super::{Formulation, Region, Signal};
use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::{collections::BTreeMap, fmt};

/// Kind of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JointKind {
    /// The two anchors coincide; the bodies rotate freely about them.
    Ball,
    /// Rotation about `axis` only. `limits` are angles (rad) relative to the start. Hinges, sliders and welds connect
    /// freely moving rigid bodies with each other or with the world.
    Hinge,
    /// The first body translates along `axis` of the second, without rotation. `limits` are lengths (m) relative to the
    /// start.
    Slider,
    /// No relative motion.
    Weld,
    /// Link between `anchor` and `end`: a rod if `compliance` is 0, else a spring.
    Link,
    /// Link that only pulls. With `via` it runs through points of bodies.
    Rope,
    /// Holds nodes of the elastic or thin body `first` that start on the surface of `second`, or inside it, at their
    /// place. On a rigid body they are fixed to the body. On other bodies they are held by the weights of the element
    /// at the closest point, or of the enclosing element if they are deeper inside. Nodes within `distance` of the
    /// surface count as on it. A closed surface has an inside, except that of a thin body. `group`, `box`, and `reach`
    /// about `anchor` select nodes, the last two to within the contact clearance; without them all nodes are taken.
    Bind,
}

/// A point that a rope runs through.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Via {
    /// Position at the start, in world coordinates (m).
    pub at: [f64; 3],
    /// Name of the body that carries the point. Default: the point is fixed in the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Instead of `body`, several bodies that carry the point together, each with its weight, by linear blend skinning:
    /// the point is the weighted mean of the points of the bodies. Weights are greater than 0 and sum to 1.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub skin: BTreeMap<String, f64>,
}

impl Via {
    /// The bodies that carry the point, with weights; none if it is fixed in the world.
    pub(crate) fn carriers(&self) -> impl Iterator<Item = (&str, f64)> {
        let skin = self
            .skin
            .iter()
            .map(|(name, weight)| (name.as_str(), *weight));
        let alone = self.body.iter().map(|name| (name.as_str(), 1.0));
        alone.chain(skin)
    }
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
/// A rigid body is held exactly at the given point. On an elastic or thin body, `ball`, `link` and `rope` hold the
/// point of the element that contains the given point or is within the contact clearance of it, else the nearest node;
/// `bind` holds many nodes at once. There is no contact between joined bodies, unless all joints between them set
/// `contact`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// Name in messages and tables. Default: `joint`, its number from 0, and the bodies.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Kind of the joint.
    pub kind: JointKind,
    /// Name of a body. If a body with copies is joined to itself, each copy is joined to the next; the anchor is that
    /// between the first two copies.
    pub first: String,
    /// Name of the other body. Default: the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
    /// Position at the start, in world coordinates (m): of a `link` or `rope` its end on the first body, of a `bind`
    /// the centre of `reach` (only with `reach`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<[f64; 3]>,
    /// Other end of a `link` or `rope` at the start, in world coordinates (m), on the second body or fixed in the
    /// world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<[f64; 3]>,
    /// Direction of a `hinge` or `slider` at the start (1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Lower and upper limit of a `hinge` (rad) or `slider` (m), relative to the start; constant, or a table over time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Signal<[f64; 2]>>,
    /// Rest length of a `link`, maximum length of a `rope` (m), greater than 0; constant, or a table over time, as for
    /// a muscle that contracts. Default: the distance at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Signal<f64>>,
    /// Compliance of a `ball`, `link`, `rope` or node of a `bind`: displacement per force (m/N), 0 or more.
    #[serde(default)]
    pub compliance: f64,
    /// Distance from `anchor` within which a `bind` takes nodes of `first` (m), greater than 0. Default: any distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<f64>,
    /// Box in which a `bind` takes nodes of `first` at time 0, in world coordinates. Default: all nodes.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// Physical group in the Gmsh mesh of `first`, by name or number, whose nodes a `bind` takes. Default: all nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<MeshGroup>,
    /// Distance within which a node of a `bind` counts as on the surface of `second` (m), greater than 0. Default: a
    /// tenth of the mean surface edge of the finer one of both bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// Points that a `rope` passes without friction between `anchor` and `end`, for example for curved ligaments and
    /// tendons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<Via>,
    /// Form in which a `ball`, `link`, `rope` or `bind` with a `compliance` enters the equations of a step:
    /// "stiffness", for soft joints with any contact method, or "compliance", a constraint row. Default: "compliance".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formulation: Option<Formulation>,
    /// Whether the two bodies can still touch each other. They must start apart, and the joint must leave space between
    /// them.
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

impl Joint {
    /// A joint of that kind between a body and the world, everything else as by default.
    #[must_use]
    pub fn new(kind: JointKind, first: impl Into<String>) -> Self {
        Self {
            name: String::new(),
            kind,
            first: first.into(),
            second: None,
            anchor: None,
            end: None,
            axis: None,
            limits: None,
            length: None,
            compliance: 0.0,
            reach: None,
            region: None,
            group: None,
            distance: None,
            via: Vec::new(),
            formulation: None,
            contact: false,
        }
    }

    /// A ball joint at `anchor` (m).
    #[must_use]
    pub fn ball(first: impl Into<String>, anchor: [f64; 3]) -> Self {
        Self::new(JointKind::Ball, first).anchored(anchor)
    }

    /// A hinge about an axis through `anchor` (m).
    #[must_use]
    pub fn hinge(first: impl Into<String>, anchor: [f64; 3], axis: [f64; 3]) -> Self {
        Self {
            axis: Some(axis),
            ..Self::new(JointKind::Hinge, first).anchored(anchor)
        }
    }

    /// A slider along an axis through `anchor` (m).
    #[must_use]
    pub fn slider(first: impl Into<String>, anchor: [f64; 3], axis: [f64; 3]) -> Self {
        Self {
            axis: Some(axis),
            ..Self::new(JointKind::Slider, first).anchored(anchor)
        }
    }

    /// A weld at `anchor` (m).
    #[must_use]
    pub fn weld(first: impl Into<String>, anchor: [f64; 3]) -> Self {
        Self::new(JointKind::Weld, first).anchored(anchor)
    }

    /// A rod from `anchor` on the first body to `end` (m); with a compliance, a spring.
    #[must_use]
    pub fn link(first: impl Into<String>, anchor: [f64; 3], end: [f64; 3]) -> Self {
        Self {
            end: Some(end),
            ..Self::new(JointKind::Link, first).anchored(anchor)
        }
    }

    /// A rope from `anchor` on the first body to `end` (m).
    #[must_use]
    pub fn rope(first: impl Into<String>, anchor: [f64; 3], end: [f64; 3]) -> Self {
        Self {
            end: Some(end),
            ..Self::new(JointKind::Rope, first).anchored(anchor)
        }
    }

    /// Holds nodes of the deformable body `first` to the surface of `second`.
    #[must_use]
    pub fn bind(first: impl Into<String>, second: impl Into<String>) -> Self {
        Self::new(JointKind::Bind, first).to(second)
    }

    /// Joins to another body instead of the world.
    #[must_use]
    pub fn to(mut self, second: impl Into<String>) -> Self {
        self.second = Some(second.into());
        self
    }

    /// Gives it a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the limits of a hinge (rad) or slider (m).
    #[must_use]
    pub fn limited(mut self, lower: f64, upper: f64) -> Self {
        self.limits = Some(Signal::Constant([lower, upper]));
        self
    }

    /// Sets the length of a link or rope (m), constant or a table over time.
    #[must_use]
    pub fn of_length(mut self, length: impl Into<Signal<f64>>) -> Self {
        self.length = Some(length.into());
        self
    }

    /// Sets its compliance (m/N).
    #[must_use]
    pub fn compliant(mut self, compliance: f64) -> Self {
        self.compliance = compliance;
        self
    }

    fn anchored(mut self, anchor: [f64; 3]) -> Self {
        self.anchor = Some(anchor);
        self
    }
}
