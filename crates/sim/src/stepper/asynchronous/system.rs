//! What the integrator starts from: plain data, no scene.

use super::force::ClockedForce;
use crate::scene::Detection;
use impinge_contact::penalty::LayerLaw;
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;
use thiserror::Error;

/// A half-space that stands still: everything with `n · x ≤ c` is solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// `n`: unit normal, out of the solid.
    pub normal: Vector3<f64>,
    /// `c` (m).
    pub offset: f64,
    /// Its own friction coefficient.
    pub friction: f64,
}

/// Where prescribed vertices are at any time.
pub trait Path: Send + Sync + std::fmt::Debug {
    /// Position at `time` (s) of the point that is at `start` (m) at time 0.
    fn position_at(&self, start: &Vector3<f64>, time: f64) -> Vector3<f64>;
}

impl Path for crate::scene::RigidMotion {
    fn position_at(&self, start: &Vector3<f64>, time: f64) -> Vector3<f64> {
        Self::position_at(self, start, time)
    }
}

/// Vertices that follow a path, by straight pieces of one period each.
#[derive(Debug)]
pub struct Script {
    /// Which vertices; their mass is infinite.
    pub vertices: Vec<u32>,
    /// How they move.
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
    /// Everything that pulls, batched by clocks.
    pub forces: Vec<Box<dyn ClockedForce>>,
    /// What moves the prescribed vertices; those without a script stand still.
    pub scripts: Vec<Script>,
    /// Triangles, edges and vertices that may touch.
    pub surface: CollisionSurface,
    /// Half-spaces.
    pub planes: Vec<Plane>,
    /// The law of the layers.
    pub law: LayerLaw,
    /// `e`: ratio of normal speeds after and before an impact.
    pub restitution: f64,
    /// Friction coefficient of each body of the surface; a pair rubs with the geometric mean.
    pub friction: Vec<f64>,
}

/// How the integrator goes about it. None of these numbers touches safety.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// `θ_c = ω_l h(l)`: step of a layer in proportion to the time scale of its spring.
    ///
    /// Stable below 2, but not accurate: above 0.2 energy grows bounce by bounce.
    pub layer_step: f64,
    /// How pairs that come near are found; the motion is the same.
    pub detection: Detection,
    /// Of kinetic certificates: the speed by which a vertex may stray before its certificates are dated anew, in lengths of
    /// its reach per life of a volume. 0 dates them for one velocity, as the paper does: every kick dates them anew.
    pub promise: f64,
    /// Of kinetic certificates: whether layers tick only for pairs that are near. `false` keeps [`Settings::unculled_depth`] layers ticking for
    /// every pair from the start: the same motion at any cost, to compare with.
    pub culling: bool,
    /// Layers of every pair without culling.
    pub unculled_depth: u32,
    /// Shortest period of a layer (s) that counts as progress.
    pub shortest_period: f64,
    /// Shortest time (s) that a vertex may stay in a volume of the broad phase, or take for the way that one is made for.
    pub shortest_stay: f64,
    /// Most ticks of the layers of one pair per simulated second that count as progress (1/s).
    pub most_ticks: f64,
    /// Longest time for which a volume of the broad phase is meant to hold (s).
    pub volume_life: f64,
    /// Every how many events to measure the time that one takes, and to count it as often, but for large batches; 0 for never. See
    /// `Engine::measure_times`.
    pub profile: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            // Energy of one elastic bounce: spread 5e-4.
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
    /// The coefficient of restitution has no meaning.
    #[error("the coefficient of restitution is {value}; it must be in [0, 1]")]
    Restitution {
        /// The number given.
        value: f64,
    },
    /// Two features start so close together that no layer between them can be resolved.
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
    /// A clock would tick so often that time hardly passes.
    #[error(
        "a clock of {what} would tick every {period:e} s, and below {shortest:e} s time hardly passes; {mend}"
    )]
    TooFast {
        /// What ticks.
        what: &'static str,
        /// Its period (s).
        period: f64,
        /// The shortest one that counts as progress (s).
        shortest: f64,
        /// What to change.
        mend: &'static str,
    },
    /// A point leaves every room that is searched around it at once.
    #[error("point {point}, at {place:?} m, {}", RESTLESS)]
    Restless {
        /// The point.
        point: usize,
        /// Where it is (m).
        place: [f64; 3],
        /// Its speed (m/s).
        speed: f64,
    },
}

/// Why a point cannot be kept in view.
const RESTLESS: &str = "is too fast, or too far from the origin for its size: the room that is searched around it would have to be made anew \
                        without end; start it slower, or nearer to the origin, or use a shorter `time.step`";

/// What ended a run early; the state is that of the last event, and it is safe.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Stop {
    /// Layers became so deep that time hardly passes.
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
        /// Points of the pair; of a vertex at a half-space all are that vertex.
        points: [u32; 4],
        /// A point of the pair (m).
        place: [f64; 3],
        /// `L`: the layer that would have to be called.
        depth: u32,
        /// Distance (m).
        distance: f64,
        /// How fast it shrinks (m/s).
        speed: f64,
        /// Period of that layer (s).
        period: f64,
        /// Suggested `r₁` (N/m), of a fast impact.
        stiffness: f64,
        /// Suggested `η₁` (m), not more than it is.
        thickness: f64,
    },
    /// A point leaves every room that is searched around it at once.
    #[error(
        "safe, but no progress: at t = {time:.9} s point {point}, at {place:?} m and with {speed:e} m/s, {}",
        RESTLESS
    )]
    Restless {
        /// Simulated time (s).
        time: f64,
        /// The point.
        point: usize,
        /// Where it is (m).
        place: [f64; 3],
        /// Its speed (m/s).
        speed: f64,
    },
    /// Whoever runs the integrator asked for an end.
    #[error("it was interrupted")]
    Interrupted,
    /// A velocity stopped being finite.
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
    /// The points that it is about.
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
    /// The points that it is about.
    pub fn points(&self) -> Vec<u32> {
        match self {
            Self::NoProgress { points, .. } => points.to_vec(),
            Self::Restless { point, .. } | Self::NotFinite { point, .. } => vec![*point as u32],
            Self::Interrupted => Vec::new(),
        }
    }
}
