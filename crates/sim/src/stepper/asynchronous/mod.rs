//! The asynchronous integrator: every force has a clock of its own, and nothing ever passes through anything.
//!
//! Vertices move on straight lines between events. An event is the tick of a force ([`force`]), the tick of a penalty layer
//! (`layers`), the end of a certificate of separation (`slabs`), the end of a volume of the broad phase (`volumes`), or a
//! change of a prescribed motion; or there are no certificates, and what happened is looked at window by window
//! (`speculative`). [`Engine`] runs them in the order of their times; [`System`] is what it starts from.
//!
//! # Why nothing passes through
//! A layer that is not called is not pressed: its certificate says so, whatever the velocities do, as long as points keep
//! their promises (`promises`), and a broken promise re-dates it. So the motion is that of *all* infinitely many layers,
//! each an ordinary spring with a step of its own; between two features that approach at any speed, ever stiffer layers
//! tick ever more often until the speed is reversed. No parameter enters. If that would take more ticks than can be run,
//! the integrator stops and says so ([`Stop::NoProgress`]).
//!
//! # Source
//! Harmon, Vouga, Smith, Tamstorf, Grinspun, "Asynchronous contact mechanics", Communications of the ACM 55(4), 2012,
//! <https://doi.org/10.1145/2133806.2133828>; differs from it in: what `crate::stepper::asynchronous::promises` and the
//! kinetic certificates of the geometry say they differ in; forces of equal clocks run as one batch; one clock per layer,
//! shared by all pairs.

mod audit;
mod clock;
mod engine;
pub mod force;
mod layers;
mod obstacles;
mod pairs;
mod pieces;
mod promises;
mod queue;
mod recording;
mod slabs;
mod speculative;
mod statistics;
mod stepper;
mod sync;
mod system;
mod trajectory;
mod volumes;

pub use audit::Violation;
pub use clock::{Clock, nested_period};
pub use engine::Engine;
pub use pieces::Pieces;
pub use queue::{Event, EventKind};
pub use statistics::{Statistics, StepHistogram, Times};
pub use stepper::Asynchronous;
pub use system::{Path, Plane, Script, Settings, Stop, System, SystemError};
pub use trajectory::Vertex;
