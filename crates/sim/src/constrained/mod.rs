//! Particles, rigid bodies and constraints as plain data, advanced by one linear solve a step: no scene file, no
//! contact.
//!
//! ```text
//! [ M − h² K̃(λ)   −h Jᵀ ] [ v₊ ]   [ M v + h f ]
//! [ −h J            −C  ] [ λ₊ ] = [    φ      ]           x₊ = x + h v₊
//! ```
//!
//! The geometric stiffness `K̃` takes the forces `λ` of the previous step. One-sided rows are solved after elimination
//! of momentum and bilateral rows. `docs/methods/stable_constraints.md` explains the method, and the consequences of
//! omitting `K̃`.
//!
//! ```
//! use impinge_contact::constraint::{Point, link};
//! use impinge_sim::constrained::{ConstrainedStepper, ConstrainedSystem, StepSettings};
//! use nalgebra::Vector3;
//!
//! // A tonne on 10 m of cable in ten links of 1 kg.
//! let mut system = ConstrainedSystem::new(Vector3::new(0.0, 0.0, -9.81));
//! let mut last = system.add_fixed_particle(Vector3::zeros());
//! for k in 1..=10 {
//!     let mass = if k == 10 { 1000.0 } else { 1.0 };
//!     let next = system.add_particle(Vector3::new(0.0, 0.0, -f64::from(k)), mass);
//!     system.constraints.push(link::spring(&Point::particle(last), Point::particle(next), 1.0, 0.0)?);
//!     last = next;
//! }
//! let mut stepper = ConstrainedStepper::new(&mut system, StepSettings::default())?;
//! for _ in 0..100 {
//!     stepper.advance(&mut system, 0.01)?;
//! }
//! assert!((system.positions[last].z + 10.0).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod energy;
mod error;
mod rows;
mod shape;
mod stepper;
mod stored_energy;
mod system;

pub use build::{Cable, RigidChain, Sheet, SheetMaterial};
pub use energy::Energy;
pub use error::ConstrainedError;
pub(crate) use rows::RowScratch;
pub use shape::box_inertia;
pub use stepper::{ConstrainedReport, ConstrainedStepper, StepSettings};
pub(crate) use stored_energy::{held_by, stored};
pub use system::{BodyState, ConstrainedSystem, Formulation};
