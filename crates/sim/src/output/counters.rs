//! Counters of all irregular events of a run.

use serde::{Deserialize, Serialize};

/// Irregular events over all steps; all zero in a regular run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Steps that were divided into substeps.
    pub subdivided_steps: u64,
    /// Attempts that were rejected and repeated with shorter substeps.
    pub rejected_attempts: u64,
    /// Solves accepted at a least-squares solution of over-constrained contacts.
    pub least_squares_solves: u64,
    /// Substeps accepted although their solve did not meet its tolerance.
    pub inexact_solves: u64,
    /// Substeps accepted with relaxed friction, or at the iteration limit within twice all tolerances.
    pub relaxed_solves: u64,
    /// Substeps accepted with a momentum residual above twice the tolerance.
    pub unmet_momentum: u64,
    /// Steps with an unexplained energy gain.
    pub energy_gains: u64,
    /// Steps in which surfaces crossed without contact.
    pub crossings: u64,
    /// Elements whose volume is not positive, summed over the ends of steps.
    pub inverted_elements: u64,
    /// Solves completed by the fallback: Newton's method on the contact forces or on all unknowns.
    pub rescued_solves: u64,
    /// Restarts with the plain diagonal preconditioner, and solves without the coarse grid that they should have.
    pub preconditioner_fallbacks: u64,
    /// Active contacts that ended farther apart than the clearance.
    pub loose_contacts: u64,
    /// Motions that left the box covered by the broad phase; the box is enlarged and searched again.
    pub box_overruns: u64,
    /// Continuous collision queries at their work limit, which count as impacts.
    pub ccd_work_limits: u64,
}

impl Counters {
    /// The largest counter.
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
