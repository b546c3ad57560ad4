//! Scenes, models, states and steppers: the order of a time step.
//!
//! In the order in which data flows:
//! - [`scene`]: the input as TOML or built in code; [`doctor`]: checks it before a run
//! - [`model`]: constant data; [`state`]: changing data, sufficient for a restart
//! - [`stepper`]: advances a state by one [`step`]; [`extension`]: materials, forces, solvers of other crates in it
//! - [`simulation`]: model, state and stepper together, bodies by name
//! - [`measure`], [`balance`], [`report`]: results of a state and of a step
//! - [`output`]: files of a run, and their verification; [`compare`]: methods beside each other
//!
//! [`constrained`] needs no scene: particles, rigid bodies and constraints as plain data.
//!
//! ```
//! use impinge_sim::{Scene, Simulation};
//!
//! let text = r#"
//! [time]
//! step = 1e-3
//! duration = 1e-2
//! [[body]]
//! name = "cube"
//! mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
//! material = { young = 1e5, poisson = 0.3, density = 1000 }
//! position = [0, 0, 1]
//! "#;
//! let scene = Scene::parse("cube.toml", text, &[""; 0])?;
//! let mut simulation = Simulation::new(&scene)?;
//! for _ in 0..10 {
//!     simulation.advance()?;
//! }
//! let speed = simulation.state().velocities[0].z;
//! assert!((speed + 9.81 * 1e-2).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Features**, on by default: `parallel` (threads; the same bits).
//!
//! It has **no** mechanics of its own: detection is `impinge-geometry`'s, elements are `impinge-fem`'s, contact methods
//! are `impinge-contact`'s.
//!
//! **Limits:** shells have no thickness in contact; restitution needs the asynchronous stepper, joints need another.

pub mod balance;
pub mod compare;
pub mod compliance;
pub mod constrained;
pub mod contacts;
pub(crate) mod disk;
pub mod doctor;
pub mod error;
pub mod extension;
pub(crate) mod flight;
pub mod geometry;
pub mod history;
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

/// Vectors and matrices of the signatures of this crate, in the version that it uses.
pub use nalgebra;

pub use impinge_contact::Interrupt;

pub use error::control::ControlError;
pub use error::{SimError, StepError, StepFailure};
pub use extension::Extensions;
pub use measure::body::BodyView;
pub use measure::contacts::ContactRecord;
pub use measure::reactions::Reaction;
pub use model::Model;
pub use report::StepReport;
pub use scene::Scene;
pub use simulation::{Simulation, Snapshot};
pub use state::State;
pub use stepper::Stepper;
