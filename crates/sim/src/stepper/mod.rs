//! Steppers: advance a state by one step.

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
    /// Takes one step. Afterwards the state is collision-free at `state.time`, except with [`Constrained`], which has
    /// no contact.
    ///
    /// # Errors
    /// [`StepError`] if even the shortest substep is not collision-free. The state is then the last safe one, which may
    /// lie within the step.
    fn advance(&mut self, model: &Model, state: &mut State) -> Result<StepReport, StepError>;
}
