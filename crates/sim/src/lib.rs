//! Scenes, models, states and steppers: the order of a time step.

pub mod compare;
pub mod compliance;
pub mod constrained;
pub mod contacts;
pub(crate) mod disk;
pub mod doctor;
pub mod error;
pub mod geometry;
pub(crate) mod joints;
pub mod measure;
pub mod model;
pub mod output;
pub(crate) mod overlap;
pub mod report;
pub mod rigid;
pub mod scene;
pub mod simulation;
pub(crate) mod solid;
pub mod state;
pub mod step;
pub mod stepper;
pub mod thin;
pub mod tolerances;

pub use impinge_contact::Interrupt;

pub use error::{SimError, StepError, StepFailure};
pub use model::Model;
pub use report::StepReport;
pub use scene::Scene;
pub use simulation::Simulation;
pub use state::State;
pub use stepper::Stepper;
