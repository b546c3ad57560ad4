//! The asynchronous integrator: every force has its own clock, and no surface ever passes through another.
//!
//! Vertices move on straight lines between events. An event is the tick of a force ([`force`]), the tick of a penalty
//! layer (`layers`), the expiry of a separation certificate (`slabs`), the end of a k-DOP of the broad phase
//! (`volumes`), a change of a prescribed motion, the end of a straight piece of a rigid body (`rigid_bodies`), or the
//! tick of joints (`joints`). With speculation there are no certificates; collision detection
//! runs window by window (`speculative`). [`Engine`] runs events in the order of their times; [`System`] is its input.
//!
//! # Why no surface passes through another
//! The certificate of a pair guarantees that its inactive layers are not in compression. It is valid for all velocities
//! within the velocity bounds of the points (`velocity_bounds`), and it is rescheduled when a point leaves its bound.
//! So the motion is that of *all* infinitely many layers, each an ordinary spring with its own step length. Between two
//! features that approach at any speed, ever stiffer layers tick ever more often until the velocity is reversed,
//! without any parameter. If that needs more ticks than can be run, the integrator stops with a message
//! ([`Stop::NoProgress`]).
//!
//! # Source
//! Harmon, Vouga, Smith, Tamstorf, Grinspun, "Asynchronous contact mechanics", Communications of the ACM 55(4), 2012,
//! <https://doi.org/10.1145/2133806.2133828>; differs from it in: the deviations listed in
//! `crate::stepper::asynchronous::velocity_bounds` and in the kinetic certificates of the geometry; forces of equal
//! clocks run as one batch; one clock per layer, shared by all pairs.

mod audit;
mod clock;
mod engine;
pub mod force;
mod joints;
mod layer;
mod layer_rules;
mod layers;
mod pairs;
mod pieces;
mod pushes;
mod queue;
mod recording;
mod rigid_bodies;
mod rigid_events;
mod scripted;
mod slabs;
mod speculative;
mod statistics;
mod stepper;
mod sync;
mod system;
mod trajectory;
mod velocity_bound;
mod velocity_bounds;
mod volume_events;
mod volumes;

pub use crate::error::asynchronous::{Stop, SystemError};
pub use audit::Violation;
pub use clock::{Clock, nested_period};
pub use engine::Engine;
pub use pieces::Pieces;
pub use queue::{Event, EventKind};
pub use statistics::{Statistics, StepHistogram, Times};
pub use stepper::Asynchronous;
pub use system::{ClockedJoint, FreeBodies, JointGroup, Path, Plane, Script, Settings, System};
pub use trajectory::Vertex;
