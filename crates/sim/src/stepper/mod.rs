//! Steppers: what takes a state from one time to the next.

pub mod asynchronous;
pub(crate) mod constrained;
mod crossings;
mod observer;
mod synchronous;

pub use asynchronous::Asynchronous;
pub use constrained::Constrained;
pub use observer::{Solve, SolveObserver, SolveStamp};
pub use synchronous::Synchronous;

use crate::{error::StepError, model::Model, report::StepReport, state::State};

/// Advances a state by one whole step of the model.
pub trait Stepper {
    /// Takes one step; afterwards the state is collision-free at `state.time`, but for [`Constrained`], which knows no contact.
    ///
    /// # Errors
    /// [`StepError`] when the step cannot be made collision-free even in the shortest parts; the state is then the last
    /// safe one, which may lie within the step.
    fn advance(&mut self, model: &Model, state: &mut State) -> Result<StepReport, StepError>;
}
