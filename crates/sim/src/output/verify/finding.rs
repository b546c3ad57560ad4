//! Findings about a run, and their messages.

use std::fmt;

/// One finding about a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Name of the frame or table with the problem.
    pub file: String,
    /// Its time (s), if known.
    pub time: Option<f64>,
    /// Kind of the problem, with its measures.
    pub problem: Problem,
}

impl Finding {
    /// A problem of a whole file.
    pub(super) fn of_file(file: &str, problem: Problem) -> Self {
        Self {
            file: file.to_owned(),
            time: None,
            problem,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(time) = self.time {
            write!(f, " at {time} s")?;
        }
        write!(f, ": {}", self.problem)
    }
}

/// Possible problems of a run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    /// The file is missing or damaged.
    Unreadable(
        /// The reason.
        String,
    ),
    /// The file was changed after it was written.
    Changed,
    /// Elements, bodies or prescribed points differ from the first frame.
    DifferentMesh,
    /// A key of the manifest does not follow from its scene.
    NotOfTheScene {
        /// The key.
        key: String,
    },
    /// Two files are inconsistent, or a file and the scene.
    Disagrees(
        /// The inconsistency.
        String,
    ),
    /// The run has not ended, or a file written at its end is missing.
    Unfinished,
    /// The first frame is not the state that the scene starts from.
    NotTheStart {
        /// The array that differs.
        array: &'static str,
    },
    /// A number is not finite.
    NotFinite {
        /// The array.
        array: &'static str,
        /// The point, or the element.
        index: u32,
    },
    /// Two surface triangles intersect.
    Intersection {
        /// Their bodies.
        bodies: [String; 2],
        /// The corners of each, as point ids.
        triangles: [[u32; 3]; 2],
    },
    /// An element has no volume or is inverted.
    Inverted {
        /// Its body.
        body: String,
        /// The element.
        tet: u32,
    },
    /// A point lies behind a half-space's plane.
    BelowPlane {
        /// The half-space.
        half_space: String,
        /// The body.
        body: String,
        /// The point.
        point: u32,
        /// Its depth (m).
        depth: f64,
    },
    /// A prescribed point is away from its path.
    OffPath {
        /// The body.
        body: String,
        /// The point.
        point: u32,
        /// Distance (m).
        distance: f64,
    },
    /// A free point has not moved by its velocity.
    OffVelocity {
        /// The body.
        body: String,
        /// The point.
        point: u32,
        /// Distance (m).
        distance: f64,
    },
    /// A rigid body differs from its shape in the first frame.
    Deformed {
        /// The body.
        body: String,
        /// The point with the largest deviation.
        point: u32,
        /// Deviation (m).
        distance: f64,
    },
    /// Two features collided since the previous frame.
    Crossing {
        /// Their bodies.
        bodies: [String; 2],
        /// Their points: point and triangle, or edge and edge.
        points: [u32; 4],
        /// Whether it is a point and a triangle.
        vertex_face: bool,
        /// Time of the collision (s).
        at: f64,
    },
    /// Further findings of one of these kinds.
    More(
        /// Their number.
        usize,
    ),
}

impl fmt::Display for Problem {
    #[expect(clippy::too_many_lines, reason = "one sentence per problem")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
            Self::Changed => write!(
                f,
                "the file was changed after it was written (its checksum differs)"
            ),
            Self::DifferentMesh => write!(
                f,
                "its elements, bodies or prescribed points differ from those of the first frame"
            ),
            Self::NotOfTheScene { key } => {
                write!(f, "`{key}` does not agree with the scene in the manifest")
            }
            Self::Disagrees(what) => f.write_str(what),
            Self::Unfinished => write!(
                f,
                "the file is missing: the run has not ended, was killed, or the file was deleted"
            ),
            Self::NotTheStart { array } => {
                write!(f, "`{array}` differs from the start of the scene")
            }
            Self::NotFinite { array, index } => {
                write!(f, "entry {index} of `{array}` is not a finite number")
            }
            Self::Intersection { bodies, triangles } => write!(
                f,
                "triangle {:?} of {} intersects triangle {:?} of {}",
                triangles[0], bodies[0], triangles[1], bodies[1]
            ),
            Self::Inverted { body, tet } => write!(f, "element {tet} of {body} is inverted"),
            Self::BelowPlane {
                half_space,
                body,
                point,
                depth,
            } => write!(
                f,
                "point {point} of {body} is {depth:e} m behind the plane of {half_space}"
            ),
            Self::OffPath {
                body,
                point,
                distance,
            } => write!(
                f,
                "prescribed point {point} of {body} deviates by {distance:e} m from its prescribed path"
            ),
            Self::OffVelocity {
                body,
                point,
                distance,
            } => write!(
                f,
                "point {point} of {body} deviates by {distance:e} m from its velocity times the step"
            ),
            Self::Deformed {
                body,
                point,
                distance,
            } => write!(
                f,
                "rigid body {body} is deformed relative to the first frame: point {point} deviates by {distance:e} m"
            ),
            Self::Crossing {
                bodies,
                points: [p, q, r, s],
                vertex_face,
                at,
            } => {
                if *vertex_face {
                    write!(
                        f,
                        "in the motion before this frame, point {p} of {} crosses triangle [{q}, {r}, {s}] of {} at \
                         {at} s",
                        bodies[0], bodies[1]
                    )
                } else {
                    write!(
                        f,
                        "in the motion before this frame, edge [{p}, {q}] of {} crosses edge [{r}, {s}] of {} at {at} \
                         s",
                        bodies[0], bodies[1]
                    )
                }
            }
            Self::More(count) => write!(f, "… and {count} more of this kind"),
        }
    }
}
