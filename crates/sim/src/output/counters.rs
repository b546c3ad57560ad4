//! Counters of everything that did not go as planned in a run.

use serde::{Deserialize, Serialize};

/// Events over all steps that a user should know of; all zero in an untroubled run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Steps that were subdivided.
    pub subdivided_steps: u64,
    /// Attempts that were rolled back.
    pub rejected_attempts: u64,
    /// Solves accepted at a least-squares solution of over-constrained contacts.
    pub least_squares_solves: u64,
    /// Parts of steps accepted although their solve did not meet its tolerance.
    pub inexact_solves: u64,
    /// Parts of steps accepted with friction settled to the gap tolerance only.
    pub relaxed_solves: u64,
    /// Parts of steps accepted with a momentum residual beyond twice the tolerance.
    pub unmet_momentum: u64,
    /// Steps with a gain of energy that nothing outside explains.
    pub energy_gains: u64,
    /// Steps in which surfaces met that no contact keeps apart.
    pub crossings: u64,
    /// Elements whose volume is not positive, summed over the ends of steps.
    pub inverted_elements: u64,
    /// Solves that Newton's method on the contact forces finished.
    pub rescued_solves: u64,
    /// Restarts from the plain diagonal preconditioner.
    pub preconditioner_fallbacks: u64,
    /// Contacts kept with clamped weights.
    pub loose_contacts: u64,
    /// Motions that left the box that the broad phase covered, found and covered again.
    pub box_overruns: u64,
    /// Continuous collision queries that stopped at their work limit and were counted as impacts.
    pub ccd_work_limits: u64,
}

impl Counters {
    /// The largest of all.
    pub(super) fn largest(&self) -> u64 {
        let Self {
            subdivided_steps,
            rejected_attempts,
            least_squares_solves,
            inexact_solves,
            relaxed_solves,
            unmet_momentum,
            energy_gains,
            crossings,
            inverted_elements,
            rescued_solves,
            preconditioner_fallbacks,
            loose_contacts,
            box_overruns,
            ccd_work_limits,
        } = *self;
        let all = [
            subdivided_steps,
            rejected_attempts,
            least_squares_solves,
            inexact_solves,
            relaxed_solves,
            unmet_momentum,
            energy_gains,
            crossings,
            inverted_elements,
            rescued_solves,
            preconditioner_fallbacks,
            loose_contacts,
            box_overruns,
            ccd_work_limits,
        ];
        all.into_iter().max().unwrap_or(0)
    }
}
