//! The balance sheet: sources and losses of the energy and momentum of every body in every step.
//!
//! ```text
//! Δ(kinetic + gravity + elastic) = pulls + forces + prescribed + joints + contact + friction + impact
//!                                  + damping + plastic + residual + numerical + closing
//! ```
//!
//! Works are impulses times mean velocities: `P · w`. An integrator does not turn the work of all forces into kinetic
//! energy: it loses `Σ m ½ (v₊ − v₀)·(v₊ + v₀) − Σ P · w`, for implicit Euler `½ ‖v₊ − v₀‖²_M`. The share of contact
//! impulses in it is the loss of an impact; the rest, and the difference between the work of the elastic forces of the
//! step and the change of the elastic energy, is numerical dissipation. `docs/balance.md` derives the formulas.
//!
//! - `sheet`: the columns; `accounts`: the owners of the rows; `energies`: the energies of a state;
//! - `substep`: the solved equations of a substep; `works`, `damping`, `held`: the works in it;
//! - `ledger`: the sum over substeps.

mod accounts;
mod damping;
mod energies;
mod held;
mod ledger;
mod sheet;
mod substep;
mod works;

pub(crate) use energies::Energies;
pub(crate) use ledger::Ledger;
pub use sheet::{BodyBalance, StepBalance};
pub(crate) use substep::{AddedForces, Substep, UnknownsStart};
