//! The input of the integrator: plain data, independent of scenes.

use super::force::ClockedForce;
use crate::rigid::{RigidBody, RigidState};
use crate::scene::{Detection, Signal};
use impinge_contact::constraint::Constraint;
use impinge_contact::penalty::LayerLaw;
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;

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

/// Free rigid bodies, under a constant acceleration.
#[derive(Clone, Debug, Default)]
pub struct FreeBodies {
    /// The bodies, and their states at time 0.
    pub bodies: Vec<(RigidBody, RigidState)>,
    /// Gravity (m/s²).
    pub acceleration: Vector3<f64>,
    /// Longest straight piece of their points (s), positive; all pieces end at its multiples.
    pub longest_piece: f64,
}

/// A joint between vertices and free rigid bodies.
#[derive(Clone, Debug)]
pub struct ClockedJoint {
    /// Its particles are the vertices, its bodies the free rigid ones. Without damping.
    pub constraint: Constraint,
    /// Change of its `φ` since time 0 (m, rad).
    pub change: Option<Signal<f64>>,
    /// Its place in a list of all joints.
    pub index: usize,
}

/// Joints that tick together: all without compliance, which hold at the ticks, or all springs. Groups without
/// compliance have no free vertex and no body in common.
#[derive(Clone, Debug)]
pub struct JointGroup {
    /// Period of their clock (s), positive.
    pub period: f64,
    /// The joints.
    pub joints: Vec<ClockedJoint>,
}

/// Bodies, forces and contact of a simulation.
#[derive(Debug)]
pub struct System {
    /// Positions at time 0 (m).
    pub positions: Vec<Vector3<f64>>,
    /// Velocities at time 0 (m/s).
    pub velocities: Vec<Vector3<f64>>,
    /// Masses (kg); infinite for prescribed vertices and for those of rigid bodies.
    pub masses: Vec<f64>,
    /// All forces, batched by clocks.
    pub forces: Vec<Box<dyn ClockedForce>>,
    /// Motions of the prescribed vertices; those without a script are fixed.
    pub scripts: Vec<Script>,
    /// Rigid bodies that move freely.
    pub rigid: FreeBodies,
    /// Joints, by clocks.
    pub joints: Vec<JointGroup>,
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
    pub velocity_bound: f64,
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
            velocity_bound: 0.25,
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
