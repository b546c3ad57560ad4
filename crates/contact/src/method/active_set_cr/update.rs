//! Active-set update: proposes changes of contact states and makes those that are large enough.

use super::{
    EvaluationSchedule,
    solver::ActiveSetCr,
    transition::{ContactView, transition},
};
use crate::{
    ContactProblem, ContactSolution,
    method::{
        ContactReport,
        restart_delay::update_interval,
        rows::{add_impulse, gap_and_slip},
    },
};

/// Reason of an update: forced, or scheduled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UpdateOccasion {
    Forced,
    Scheduled { iteration: u64, since_restart: u64 },
}

impl UpdateOccasion {
    /// The reason of an update at `iteration`, `since_restart` iterations after the last change of the active set.
    pub(super) fn after(iteration: u64, since_restart: u64) -> Self {
        Self::Scheduled {
            iteration,
            since_restart,
        }
    }
}

impl ActiveSetCr {
    /// Proposes a state for every contact and makes the changes that are large enough; returns whether there was one.
    ///
    /// Afterwards `r` belongs to the new states: only sparse rows have changed.
    pub(super) fn update_active_set(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        occasion: UpdateOccasion,
        report: &mut ContactReport,
    ) -> bool {
        if let UpdateOccasion::Scheduled {
            iteration,
            since_restart,
        } = occasion
        {
            let due = match self.settings.schedule {
                EvaluationSchedule::AtConvergence => false,
                EvaluationSchedule::Interval => {
                    let excess = self.residual_norm(problem) / self.settings.tolerances.momentum;
                    iteration.is_multiple_of(update_interval(excess))
                }
            };
            // Without progress the delay grows, so that updates see solutions rather than transients.
            let delay = self.restart_delay.iterations(self.settings.rest, iteration);
            if !due || since_restart < delay {
                return false;
            }
        }
        report.evaluations += 1;
        let changes = self.update_contacts(problem, solution, occasion);
        if changes == 0 {
            return false;
        }
        report.state_changes += changes;
        self.fit_rows(problem, solution);
        self.recompute_rows(solution);
        true
    }

    /// One update of every contact; returns the number of changes.
    fn update_contacts(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        occasion: UpdateOccasion,
    ) -> u64 {
        let mut changes = 0;
        for (contact, multipliers) in solution.contacts.iter_mut().enumerate() {
            let displacement = gap_and_slip(problem, contact, &solution.velocity);
            self.work.displacement[3 * contact..][..3].copy_from_slice(displacement.as_slice());
            let view = ContactView {
                tolerances: self.tolerances_of(problem, contact),
                displacement,
                friction: problem.friction(contact),
                normal_compliance: self.preconditioner.normal_compliance(contact),
                tangential_compliance: self
                    .preconditioner
                    .tangential_compliance(contact)
                    .max(self.least_compliance_of(problem, contact)),
                solved: occasion == UpdateOccasion::Forced,
            };
            if let Some(next) = transition(multipliers, &view, &self.settings) {
                let change = next.force() - multipliers.force();
                // Only the contact's sparse rows of the residual change.
                add_impulse(problem, contact, &change, &mut self.work.cr.residual.v);
                *multipliers = next;
                changes += 1;
            }
        }
        changes
    }
}
