//! The messages of findings: the problem in a sentence, and the remedy.

use super::finding::{Finding, SLIVER_QUALITY, Symptom};
use std::fmt;

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

impl Symptom {
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
