//! Errors of the asynchronous stepper.

use thiserror::Error;

/// A system that cannot be integrated.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SystemError {
    /// A mass is zero, negative or not a number.
    #[error(
        "point {point} has the mass {mass} kg; every point of a body that moves needs a positive one"
    )]
    Mass {
        /// The point.
        point: usize,
        /// Its mass (kg).
        mass: f64,
    },
    /// A position or velocity is not finite.
    #[error("the position or velocity of point {point} is not finite")]
    NotFinite {
        /// The point.
        point: usize,
    },
    /// The coefficient of restitution is out of range.
    #[error("the coefficient of restitution is {value}; it must be in [0, 1]")]
    Restitution {
        /// The given value.
        value: f64,
    },
    /// Two features start so close that no layer between them can be resolved.
    #[error(
        "the points {points:?} start {distance:e} m apart, near {place:?} m, closer than the deepest penalty layer \
         ({floor:e} m); move them apart, or use a smaller thickness"
    )]
    TooClose {
        /// Points of the pair.
        points: [u32; 4],
        /// Their distance (m).
        distance: f64,
        /// A point of the pair (m).
        place: [f64; 3],
        /// Thickness of the deepest layer (m).
        floor: f64,
    },
    /// A clock would tick so often that time makes no progress.
    #[error(
        "the period of {what} is {period:e} s, shorter than the minimum of {shortest:e} s; {mend}"
    )]
    TooFast {
        /// The force with this clock.
        what: &'static str,
        /// Its period (s).
        period: f64,
        /// The shortest period that counts as progress (s).
        shortest: f64,
        /// The remedy.
        mend: &'static str,
    },
    /// Too many joints without compliance hold one vertex or body.
    #[error(
        "joints without compliance have {rows} rows on one body, more than the {most} that are solved together; give \
         them a `compliance`"
    )]
    ManyRows {
        /// The rows on the body.
        rows: usize,
        /// The largest number.
        most: usize,
    },
    /// A point leaves every k-DOP at once.
    #[error("point {point}, at {place:?} m, {}", RESTLESS)]
    Restless {
        /// The point.
        point: usize,
        /// Its position (m).
        place: [f64; 3],
        /// Its speed (m/s).
        speed: f64,
    },
}

/// The reason why no k-DOP holds a point for long enough.
const RESTLESS: &str = "is too fast, or too far from the origin: its bounding volume would have to be renewed \
                        endlessly; use a smaller velocity, a position nearer to the origin, or a shorter `time.step`";

/// The reason why a run ended early; the state is that of the last event, which is safe.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Stop {
    /// Layers became so deep that time makes no progress.
    #[error(
        "no progress at t = {time:.9} s: the points {points:?} near {place:?} m, {distance:e} m apart and approaching \
         at {speed:e} m/s, need penalty layer {depth} with a period of {period:e} s. Change prescribed motions that \
         squeeze without limit; for a fast impact set `asynchronous.stiffness` = {stiffness:e} (N/m); for a small gap \
         set `asynchronous.thickness` = {thickness:e} (m). All earlier states are valid"
    )]
    NoProgress {
        /// Simulated time (s).
        time: f64,
        /// Points of the pair; for a vertex at a half-space, all are that vertex.
        points: [u32; 4],
        /// A point of the pair (m).
        place: [f64; 3],
        /// `L`: the layer that would have to be activated.
        depth: u32,
        /// Distance (m).
        distance: f64,
        /// Speed at which it shrinks (m/s).
        speed: f64,
        /// Period of that layer (s).
        period: f64,
        /// Suggested `r₁` (N/m), for a fast impact.
        stiffness: f64,
        /// Suggested `η₁` (m), not larger than the present one.
        thickness: f64,
    },
    /// A point leaves every k-DOP at once.
    #[error(
        "no progress at t = {time:.9} s, all earlier states are valid: point {point}, at {place:?} m and with \
         {speed:e} m/s, {}",
        RESTLESS
    )]
    Restless {
        /// Simulated time (s).
        time: f64,
        /// The point.
        point: usize,
        /// Its position (m).
        place: [f64; 3],
        /// Its speed (m/s).
        speed: f64,
    },
    /// A joint without compliance cannot be closed.
    #[error(
        "at t = {time:.9} s {name} cannot be closed, all earlier states are valid: it would stay {misfit:e} (m or rad) \
         open after the shortest period, {period:e} s. If other joints or motions forbid it to close, remove one or \
         give it a `compliance`; if the motion is too fast, reduce `asynchronous.longest_period`"
    )]
    OpenJoint {
        /// Simulated time (s).
        time: f64,
        /// The joint.
        name: String,
        /// Its largest misfit at the next tick (m, rad).
        misfit: f64,
        /// The shortest period that was tried (s).
        period: f64,
    },
    /// The caller interrupted the run.
    #[error("it was interrupted")]
    Interrupted,
    /// A velocity became non-finite.
    #[error(
        "at t = {time:.9} s the velocity of point {point} is not finite: the period of an elastic force is too long; \
         reduce `asynchronous.force_step`"
    )]
    NotFinite {
        /// Simulated time (s).
        time: f64,
        /// The point.
        point: usize,
    },
}

impl SystemError {
    /// The points concerned.
    pub fn points(&self) -> Vec<u32> {
        match self {
            Self::TooClose { points, .. } => points.to_vec(),
            Self::Mass { point, .. } | Self::NotFinite { point } | Self::Restless { point, .. } => {
                vec![*point as u32]
            }
            Self::Restitution { .. } | Self::TooFast { .. } | Self::ManyRows { .. } => Vec::new(),
        }
    }
}

impl Stop {
    /// The points concerned.
    pub fn points(&self) -> Vec<u32> {
        match self {
            Self::NoProgress { points, .. } => points.to_vec(),
            Self::Restless { point, .. } | Self::NotFinite { point, .. } => vec![*point as u32],
            Self::OpenJoint { .. } | Self::Interrupted => Vec::new(),
        }
    }
}
