//! The input of the integrator: plain data, independent of scenes.

use super::force::ClockedForce;
use crate::scene::Detection;
use impinge_contact::penalty::LayerLaw;
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;
use thiserror::Error;

/// A fixed half-space: the solid is `n · x ≤ c`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// `n`: unit normal, out of the solid.
    pub normal: Vector3<f64>,
    /// `c` (m).
    pub offset: f64,
    /// Its own friction coefficient.
    pub friction: f64,
}

/// Positions of prescribed vertices at any time.
pub trait Path: Send + Sync + std::fmt::Debug {
    /// Position at `time` (s) of the point that is at `start` (m) at time 0.
    fn position_at(&self, start: &Vector3<f64>, time: f64) -> Vector3<f64>;
}

impl Path for crate::scene::RigidMotion {
    fn position_at(&self, start: &Vector3<f64>, time: f64) -> Vector3<f64> {
        Self::position_at(self, start, time)
    }
}

/// Vertices that follow a path in straight pieces of equal duration.
#[derive(Debug)]
pub struct Script {
    /// The vertices, of infinite mass.
    pub vertices: Vec<u32>,
    /// Their path.
    pub path: Box<dyn Path>,
    /// Length of a piece (s).
    pub period: f64,
}

/// Bodies, forces and contact of a simulation.
#[derive(Debug)]
pub struct System {
    /// Positions at time 0 (m).
    pub positions: Vec<Vector3<f64>>,
    /// Velocities at time 0 (m/s).
    pub velocities: Vec<Vector3<f64>>,
    /// Masses (kg); infinite for prescribed vertices.
    pub masses: Vec<f64>,
    /// All forces, batched by clocks.
    pub forces: Vec<Box<dyn ClockedForce>>,
    /// Motions of the prescribed vertices; those without a script are fixed.
    pub scripts: Vec<Script>,
    /// Triangles, edges and vertices that may touch.
    pub surface: CollisionSurface,
    /// Half-spaces.
    pub planes: Vec<Plane>,
    /// The law of the layers.
    pub law: LayerLaw,
    /// `e`: ratio of normal speeds after and before an impact.
    pub restitution: f64,
    /// Friction coefficient of each body of the surface; a pair has the geometric mean.
    pub friction: Vec<f64>,
}

/// Settings of the integrator. None of them affects safety.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// `θ_c = ω_l h(l)`: step length of a layer relative to the time scale of its spring.
    ///
    /// Stable below 2, but inaccurate: above 0.2 energy grows from bounce to bounce.
    pub layer_step: f64,
    /// How close pairs are detected; the motion is the same.
    pub detection: Detection,
    /// For kinetic certificates: initial velocity bound of a vertex, in lengths of its reach per lifetime of a k-DOP. 0
    /// schedules certificates for one velocity, as in Harmon et al. 2012: every impulse reschedules them.
    pub promise: f64,
    /// For kinetic certificates: whether layers tick only for close pairs. `false` keeps [`Settings::unculled_depth`]
    /// layers active for every pair from the start: the same motion at any cost, for comparisons.
    pub culling: bool,
    /// Layers of every pair if culling is off.
    pub unculled_depth: u32,
    /// Shortest period of a layer (s) that counts as progress.
    pub shortest_period: f64,
    /// Shortest time (s) that counts as progress: for which a vertex stays in a k-DOP, or in which it travels the reach
    /// of one.
    pub shortest_stay: f64,
    /// Largest number of ticks per simulated second of the layers of one pair that counts as progress (1/s).
    pub most_ticks: f64,
    /// Longest intended lifetime of a k-DOP of the broad phase (s).
    pub volume_life: f64,
    /// One in this many events is timed and represents the others, except for large batches; 0 for none. See
    /// `Engine::measure_times`.
    pub profile: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            // The energy of one elastic bounce then has a spread of 5e-4.
            layer_step: 0.05,
            detection: Detection::Kinetic,
            promise: 0.25,
            culling: true,
            unculled_depth: 0,
            shortest_period: 1e-9,
            shortest_stay: 1e-9,
            // A million events in a millisecond.
            most_ticks: 1e9,
            volume_life: 0.02,
            profile: 0,
        }
    }
}

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
        "the points {points:?} start {distance:e} m apart, near {place:?} m; the layers end at {floor:e} m: \
         move them apart, or use a smaller thickness"
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
        "a clock of {what} would tick every {period:e} s, and below {shortest:e} s time hardly passes; {mend}"
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
const RESTLESS: &str = "is too fast, or too far from the origin for its size: the room that is searched around it would have to be made anew \
                        without end; start it slower, or nearer to the origin, or use a shorter `time.step`";

/// The reason why a run ended early; the state is that of the last event, which is safe.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Stop {
    /// Layers became so deep that time makes no progress.
    #[error(
        "safe, but no progress: at t = {time:.9} s the points {points:?} near {place:?} m, {distance:e} m apart and closing at \
         {speed:e} m/s, need layer {depth}, whose clock ticks every {period:e} s. Prescribed motions that press without limit \
         are to be changed; what comes too fast for its layers is stopped in a few of them by `asynchronous.stiffness` = \
         {stiffness:e} (N/m); and `asynchronous.thickness` = {thickness:e} (m) with the stiffness that it has now reaches \
         this gap in a few"
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
        "safe, but no progress: at t = {time:.9} s point {point}, at {place:?} m and with {speed:e} m/s, {}",
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
    /// The caller interrupted the run.
    #[error("it was interrupted")]
    Interrupted,
    /// A velocity became non-finite.
    #[error(
        "at t = {time:.9} s the velocity of point {point} is not finite: an elastic force is beyond what its clock can carry"
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
            Self::Restitution { .. } | Self::TooFast { .. } => Vec::new(),
        }
    }
}

impl Stop {
    /// The points concerned.
    pub fn points(&self) -> Vec<u32> {
        match self {
            Self::NoProgress { points, .. } => points.to_vec(),
            Self::Restless { point, .. } | Self::NotFinite { point, .. } => vec![*point as u32],
            Self::Interrupted => Vec::new(),
        }
    }
}
