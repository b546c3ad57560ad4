//! The findings of the doctor.

use std::fmt;

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
    /// It can be run, but is probably not what the user meant, or will take long.
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

/// Between problem and remedy in a message.
const REMEDY: &str = "\n  mend: ";

impl From<Symptom> for Finding {
    fn from(symptom: Symptom) -> Self {
        let message = symptom.to_string();
        let (problem, mend) = match message.rsplit_once(REMEDY) {
            // The message of an unusable scene has its own remedy, or several.
            Some((problem, mend)) if !problem.contains(REMEDY) => {
                (problem.to_owned(), mend.to_owned())
            }
            _ => (message, symptom.mend()),
        };
        Self {
            severity: symptom.severity(),
            problem,
            mend,
            symptom,
        }
    }
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

    fn mend(&self) -> String {
        match self {
            Self::Unusable { .. } => "correct the scene as described".to_owned(),
            Self::Overlap { .. } | Self::Inside { .. } | Self::Penetration { .. } => {
                "move them apart; `impinge doctor SCENE --separate OUT` writes a scene in which they are \
                 apart".to_owned()
            }
            Self::SelfIntersection { .. } => {
                "repair the mesh: separate the intersecting parts, or remesh the outer surface with `impinge mesh \
                 tetrahedralize`".to_owned()
            }
            Self::Slivers { .. } | Self::NodeMasses { .. } => {
                "remesh: `impinge mesh convert MESH s.obj`, then `impinge mesh tetrahedralize s.obj OUT --size \
                 ..`".to_owned()
            }
            Self::MassRatio { .. } => {
                "check `density` and `scale`; if they are correct, contacts of the two bodies need many \
                 iterations".to_owned()
            }
            Self::WaveSpeed { step, .. } => format!(
                "none if vibrations do not matter; otherwise use a `time.step` of {} s",
                short(*step)
            ),
            Self::FastStart { .. } => {
                "check `velocity`, or shorten `time.step`: bodies cannot pass through each other, but the \
                 linearisation of a long step is inaccurate".to_owned()
            }
            Self::OwnWeight { .. } => {
                "check the units of `young` (Pa), `density` (kg/m³) and the mesh (m)".to_owned()
            }
            Self::Touching { .. } => {
                "none; to keep all coordinates unchanged, leave a gap of half the contact clearance \
                 (`solver.gap_tolerance`)".to_owned()
            }
            Self::Squeezed { time, .. } => format!(
                "end the motion by `then` before {} s, shorten `time.duration`, or move the body out of the way",
                short(*time)
            ),
            Self::PathsMeet { time, .. } => format!(
                "end one of the motions before {} s with `then`, or change its path",
                short(*time)
            ),
            Self::JointOff { .. } => "correct the joint if this is not intended".to_owned(),
            Self::BoundApart { .. } => "bring the bodies together, or join them by a `link`".to_owned(),
            Self::Units { .. } | Self::SizeAmongOthers { .. } => {
                "all numbers are SI units: m, kg, s, Pa; a mesh in millimetres needs `scale = 0.001`".to_owned()
            }
            Self::JointApart { .. } => {
                "move the bodies or the anchor so that the joint is satisfied, change `length` or `limits`, or set a \
                 `compliance`".to_owned()
            }
            Self::LongDamping { .. } => {
                "write formulation = \"stiffness\", in which damping always dissipates energy, or use a smaller \
                 `damping`".to_owned()
            }
            Self::Tolerance { key, .. } => format!(
                "remove `solver.{key}` and `tolerances = \"paper\"`: the default is computed from the scene"
            ),
            Self::Locking { .. } => "use 0.45 or less unless the volume must be preserved exactly".to_owned(),
        }
    }
}

impl fmt::Display for Symptom {
    #[expect(clippy::too_many_lines, reason = "one sentence per symptom")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unusable { message } | Self::JointOff { message } => write!(f, "{message}"),
            Self::Overlap {
                first,
                second,
                triangle_pairs,
                depth,
                direction,
                place,
            } => write!(
                f,
                "`{first}` and `{second}` overlap at the start: {triangle_pairs} pairs of triangles intersect, for \
                 example near {} m; moving `{first}` by {} m along {} separates them",
                Point(place),
                short(*depth),
                Point(direction)
            ),
            Self::Inside {
                first,
                second,
                depth,
                direction,
                place,
            } => write!(
                f,
                "`{first}` lies inside `{second}` at the start, for example at {} m; moving it by {} m along {} \
                 separates them",
                Point(place),
                short(*depth),
                Point(direction)
            ),
            Self::Penetration {
                first,
                second,
                depth,
                place,
                ..
            } if *depth > 0.0 => write!(
                f,
                "`{first}` penetrates the half-space `{second}` by {} m at the start, at {} m",
                short(*depth),
                Point(place)
            ),
            Self::Penetration {
                first,
                second,
                place,
                ..
            } => write!(
                f,
                "`{first}` touches the half-space `{second}` at the start, at {} m",
                Point(place)
            ),
            Self::SelfIntersection {
                body,
                triangle_pairs,
                place,
            } => write!(
                f,
                "the surface of `{body}` intersects itself in {triangle_pairs} pairs of triangles, for example near \
                 {} m",
                Point(place)
            ),
            Self::Slivers {
                body,
                count,
                nodes,
                quality,
            } => write!(
                f,
                "`{body}` has {count} slivers (tetrahedra with quality below {}); the worst has nodes {nodes:?} and \
                 quality {} (1 is regular)",
                SLIVER_QUALITY,
                short(*quality)
            ),
            Self::NodeMasses { body, ratio } => write!(
                f,
                "the node masses of `{body}` differ by a factor of {}",
                short(*ratio)
            ),
            Self::MassRatio {
                light,
                heavy,
                ratio,
            } => write!(
                f,
                "`{heavy}` weighs {} times as much as `{light}`",
                short(*ratio)
            ),
            Self::WaveSpeed {
                body,
                speed,
                edges_per_step,
                ..
            } => write!(
                f,
                "elastic waves in `{body}` travel {} m/s, across {} edges in a step: implicit Euler damps them",
                short(*speed),
                short(*edges_per_step)
            ),
            Self::FastStart {
                body,
                speed,
                sizes_per_step,
            } => write!(
                f,
                "`{body}` starts with {} m/s and crosses {} times its smallest extent in a step",
                short(*speed),
                short(*sizes_per_step)
            ),
            Self::OwnWeight { body, strain } => write!(
                f,
                "`{body}` is strained by about {} % under its own weight",
                short(100.0 * strain)
            ),
            Self::Units {
                subject,
                quantity,
                value,
                unit,
            } => write!(
                f,
                "the {quantity} of {subject} is {} {unit}: check the units",
                short(*value)
            ),
            Self::Touching {
                first,
                second,
                others,
                distance,
            } => {
                write!(f, "`{first}` and `{second}`")?;
                match others {
                    0 => {}
                    1 => write!(f, " (and another pair)")?,
                    _ => write!(f, " (and {others} other pairs)")?,
                }
                write!(
                    f,
                    " touch at the start: a run moves their surfaces apart by up to {} m, to the gap of resting \
                     contacts",
                    short(*distance)
                )
            }
            Self::Squeezed {
                body,
                others,
                first,
                second,
                time,
                width,
                room,
                room_time,
            } => {
                write!(
                    f,
                    "`{first}` and `{second}` squeeze `{body}`, which is {} m wide there: from {} s on their distance \
                     is too small for it; at {} s it is {} m",
                    short(*width),
                    short(*time),
                    short(*room_time),
                    short(*room)
                )?;
                match others {
                    0 => Ok(()),
                    1 => write!(f, "; the same is true of another body"),
                    _ => write!(f, "; the same is true of {others} other bodies"),
                }
            }
            Self::PathsMeet {
                first,
                second,
                time,
                place,
            } => write!(
                f,
                "the prescribed motions of `{first}` and `{second}` meet at {} s, near {} m: the run stops there",
                short(*time),
                Point(place),
            ),
            Self::SizeAmongOthers {
                body,
                size,
                other,
                other_size,
            } => write!(
                f,
                "`{body}` has size {} m and the next smaller `{other}` {} m: check the units",
                short(*size),
                short(*other_size)
            ),
            Self::BoundApart {
                joint,
                first,
                second,
                distance,
            } => write!(
                f,
                "{joint} binds `{first}` to `{second}` over a distance of {} m",
                short(*distance)
            ),
            Self::JointApart {
                joint,
                misfit,
                rate,
            } => write!(
                f,
                "{joint} is violated by {} (m or rad) at the start; the first step closes this at {} per second",
                short(*misfit),
                short(*rate)
            ),
            Self::LongDamping {
                rows,
                damping,
                steps,
            } => write!(
                f,
                "the damping time of {rows} in compliance form, {} s, is {} steps: rotating bodies gain energy",
                short(*damping),
                short(*steps)
            ),
            Self::Tolerance {
                key,
                value,
                unit,
                scale,
                meaning,
            } => write!(
                f,
                "`{key}` is {} {unit}, {} times the {meaning} ({} {unit}): results may be meaningless",
                short(*value),
                short(*value / *scale),
                short(*scale)
            ),
            Self::Locking { body, poisson } => write!(
                f,
                "`{body}` has a Poisson ratio of {poisson}: linear tetrahedra lock near 0.5 and become too stiff"
            ),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)?;
        if self.problem.contains(REMEDY) {
            return Ok(());
        }
        write!(f, "{REMEDY}{}", self.mend)
    }
}

/// A point or direction to four digits.
struct Point<'a>(&'a [f64; 3]);

impl fmt::Display for Point<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0.map(short);
        write!(f, "({x}, {y}, {z})")
    }
}

/// A number to four significant digits, scientific only where that is shorter.
pub(super) fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    if rounded == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e6).contains(&rounded.abs()) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}
