//! Workspace of the subdomain solves.

use super::choose::Choice;
use std::sync::{Mutex, PoisonError};

/// Workspace of the steps.
#[derive(Debug, Default)]
pub(in super::super) struct Regions<S> {
    pub(super) choice: Choice,
    pub(super) pool: Pool<S>,
}

/// Solvers that wait for a region: as many as were ever begun at the same time, for a thread that waits within one may begin another.
#[derive(Debug, Default)]
pub(super) struct Pool<S>(Mutex<Vec<S>>);

impl<S: Default> Pool<S> {
    /// A solver for one subdomain.
    pub(super) fn take(&self) -> S {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.pop().unwrap_or_default()
    }

    /// Takes a solver back for later subdomains.
    pub(super) fn give_back(&self, solver: S) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(solver);
    }
}
