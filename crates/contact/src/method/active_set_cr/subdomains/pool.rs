//! Workspace of the subdomain solves.

use super::decomposition::Decomposition;
use std::sync::{Mutex, PoisonError};

/// Workspace of the steps.
#[derive(Debug, Default)]
pub(in super::super) struct SubdomainWorkspace<S> {
    pub(super) decomposition: Decomposition,
    pub(super) pool: Pool<S>,
}

/// Idle solvers for subdomains. Their number is the largest number of simultaneous solves: a thread that waits within
/// one may start another.
#[derive(Debug, Default)]
pub(super) struct Pool<S>(Mutex<Vec<S>>);

impl<S: Default> Pool<S> {
    /// A solver for one subdomain.
    pub(super) fn take(&self) -> S {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.pop().unwrap_or_default()
    }

    /// Returns a solver for later subdomains.
    pub(super) fn give_back(&self, solver: S) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(solver);
    }
}
