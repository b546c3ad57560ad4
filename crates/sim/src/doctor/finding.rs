//! The findings of the doctor.

use serde::Serialize;

/// Quality below which an element is called a sliver. Good mesh generators stay above 0.05; thinner elements make
/// solves slower.
pub(super) const SLIVER_QUALITY: f64 = 0.01;

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The scene cannot be run, or its start is impossible.
    Error,
    /// The scene can be run, but has a probable mistake, or will take long.
    Warning,
    /// Useful information.
    Note,
}

/// One finding. Serialises flat, with its severity and its message.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// Severity.
    pub severity: Severity,
    /// Kind and measures.
    #[serde(flatten)]
    pub symptom: Symptom,
    /// The problem, in a sentence.
    pub problem: String,
    /// The remedy.
    pub mend: String,
}

/// The kind of a finding, with its measures in SI units. `Display` gives the sentence.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Symptom {
    /// The scene, a mesh or a material cannot be used at all.
    Unusable {
        /// The whole message.
        message: String,
    },
    /// The surfaces of two bodies or obstacles intersect.
    Overlap {
        /// A body or obstacle.
        first: String,
        /// Another one.
        second: String,
        /// Pairs of triangles that intersect.
        triangle_pairs: usize,
        /// Shortest translation of the first body found that separates it from the second (m).
        depth: f64,
        /// Direction of that translation.
        direction: [f64; 3],
        /// A point of the intersection (m).
        place: [f64; 3],
    },
    /// A body lies inside another without touching its surface.
    Inside {
        /// The inner body.
        first: String,
        /// The outer body or obstacle.
        second: String,
        /// Shortest translation of the inner body found that takes it out (m).
        depth: f64,
        /// Direction of that translation.
        direction: [f64; 3],
        /// A point of the inner body (m).
        place: [f64; 3],
    },
    /// A body reaches into a half-space, or touches it.
    Penetration {
        /// The body.
        first: String,
        /// The half-space.
        second: String,
        /// Depth (m); 0 if it touches.
        depth: f64,
        /// Normal of the half-space.
        direction: [f64; 3],
        /// The deepest point (m).
        place: [f64; 3],
    },
    /// The surface of a body intersects itself.
    SelfIntersection {
        /// The body.
        body: String,
        /// Pairs of triangles that intersect.
        triangle_pairs: usize,
        /// A point of the first such pair (m).
        place: [f64; 3],
    },
    /// Elements so thin that they slow the solver down.
    Slivers {
        /// The body.
        body: String,
        /// Number of elements of such quality.
        count: usize,
        /// Nodes of the worst element in the given mesh, from 0.
        nodes: [u32; 4],
        /// Its quality: 1 regular, 0 flat.
        quality: f64,
    },
    /// Node masses so different that iterations converge slowly.
    NodeMasses {
        /// The body.
        body: String,
        /// Largest over smallest mass of its nodes.
        ratio: f64,
    },
    /// Body masses so different that contacts of the light one converge slowly.
    MassRatio {
        /// The lightest body.
        light: String,
        /// The heaviest body.
        heavy: String,
        /// Heaviest over lightest.
        ratio: f64,
    },
    /// Elastic waves cross many elements in a step.
    WaveSpeed {
        /// The body.
        body: String,
        /// Speed of pressure waves (m/s).
        speed: f64,
        /// Edges that a wave crosses in a step.
        edges_per_step: f64,
        /// Step length in which it crosses ten (s).
        step: f64,
    },
    /// A body crosses much of its own size in the first step.
    FastStart {
        /// The body.
        body: String,
        /// Its fastest node (m/s).
        speed: f64,
        /// Distance per step over its smallest extent.
        sizes_per_step: f64,
    },
    /// A body that will be crushed by its own weight.
    OwnWeight {
        /// The body.
        body: String,
        /// `ρ g L / E`: approximate strain at its foot.
        strain: f64,
    },
    /// A size or number that suggests units other than SI.
    Units {
        /// Body, or key of the scene.
        subject: String,
        /// Name of the quantity.
        quantity: &'static str,
        /// Its value.
        value: f64,
        /// Its unit.
        unit: &'static str,
    },
    /// Surfaces that touch at the start, within the resting gap of contacts; a run offsets them to it.
    Touching {
        /// A body or obstacle.
        first: String,
        /// Another one, or a half-space.
        second: String,
        /// Number of other pairs that touch.
        others: usize,
        /// Largest offset of a surface point (m).
        distance: f64,
    },
    /// Two prescribed surfaces, or half-spaces, that close to less than the width of a body between them.
    Squeezed {
        /// The body.
        body: String,
        /// Number of other bodies with too little space between the two.
        others: usize,
        /// One of the surfaces.
        first: String,
        /// The other surface.
        second: String,
        /// Time at which the space is too small for the body (s): less than its width for a rigid body, less than a
        /// fifth of it for others.
        time: f64,
        /// Width of the body at the start (m).
        width: f64,
        /// Least distance of the two surfaces (m); 0 if they meet.
        room: f64,
        /// Time of the least distance (s).
        room_time: f64,
    },
    /// Two prescribed paths that meet.
    PathsMeet {
        /// Name of the solid on one path.
        first: String,
        /// Name of the solid on the other path, or of a half-space.
        second: String,
        /// Time at which they meet (s).
        time: f64,
        /// Approximate place (m).
        place: [f64; 3],
    },
    /// A size that is far larger than all others in the scene.
    SizeAmongOthers {
        /// The body.
        body: String,
        /// Its size (m).
        size: f64,
        /// The next one in size: a body or obstacle.
        other: String,
        /// Its size (m).
        other_size: f64,
    },
    /// A joint whose anchor is far from its bodies.
    JointOff {
        /// The whole message, with the remedy.
        message: String,
    },
    /// Bodies that are bound to each other although they are apart.
    BoundApart {
        /// The joint.
        joint: String,
        /// The body whose nodes are bound.
        first: String,
        /// The body to which they are bound.
        second: String,
        /// Distance of their surfaces (m).
        distance: f64,
    },
    /// A rigid joint that is violated at the start: the first step closes it, at any speed.
    JointApart {
        /// The joint.
        joint: String,
        /// Violation (m, or rad).
        misfit: f64,
        /// The same over the length of a step (m/s, or rad/s).
        rate: f64,
    },
    /// Damping in compliance form over many steps, by which rotating bodies gain energy.
    LongDamping {
        /// Name of the rows: an edge or a strain of a body.
        rows: String,
        /// Its damping time (s).
        damping: f64,
        /// The same in steps.
        steps: f64,
    },
    /// A tolerance that is too large for the scene.
    Tolerance {
        /// Key of `solver`.
        key: &'static str,
        /// Its value.
        value: f64,
        /// Its unit.
        unit: &'static str,
        /// The quantity that it should be far below, in the same unit.
        scale: f64,
        /// Meaning of that quantity.
        meaning: &'static str,
    },
    /// A material for which linear tetrahedra are far too stiff.
    Locking {
        /// The body.
        body: String,
        /// Poisson's ratio.
        poisson: f64,
    },
}

impl Symptom {
    /// Severity.
    pub fn severity(&self) -> Severity {
        match self {
            Self::Unusable { .. }
            | Self::Overlap { .. }
            | Self::Inside { .. }
            | Self::Penetration { .. }
            | Self::SelfIntersection { .. } => Severity::Error,
            Self::Slivers { .. }
            | Self::NodeMasses { .. }
            | Self::MassRatio { .. }
            | Self::FastStart { .. }
            | Self::OwnWeight { .. }
            | Self::JointApart { .. }
            | Self::JointOff { .. }
            | Self::BoundApart { .. }
            | Self::Squeezed { .. }
            | Self::PathsMeet { .. }
            | Self::SizeAmongOthers { .. }
            | Self::LongDamping { .. }
            | Self::Tolerance { .. }
            | Self::Units { .. } => Severity::Warning,
            Self::Touching { .. } | Self::WaveSpeed { .. } | Self::Locking { .. } => Severity::Note,
        }
    }
}
