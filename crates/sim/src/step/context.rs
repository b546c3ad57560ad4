//! The data that every stage of a step reads.

use crate::{model::Model, state::State};

/// A step, or a substep of one that was divided: the constant model, the state at its start, and its length.
#[derive(Clone, Copy)]
pub(crate) struct StepContext<'a> {
    pub(crate) model: &'a Model,
    /// The state at the start.
    pub(crate) state: &'a State,
    /// Length (s).
    pub(crate) time_step: f64,
}

impl StepContext<'_> {
    /// Time at its end (s).
    pub(crate) fn end(&self) -> f64 {
        self.state.time + self.time_step
    }
}
