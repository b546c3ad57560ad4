//! A look at the contacts: which change state, and which of the changes are committed.

use super::{
    EvaluationSchedule,
    evaluate::{ContactView, Part, transition},
    preconditioner::Preconditioner,
    rows::add_impulse,
    solver::ActiveSetCr,
};
use crate::{
    ContactProblem, ContactSolution, Multipliers,
    method::{ContactReport, pivoting::Pivoting},
};
use nalgebra::Vector3;

/// Least weight of the present normal force in its moving average, where contacts keep chasing each other.
const LEAST_WEIGHT: f64 = 0.2;

/// Evaluate whatever the schedule says, or only when it is due.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    Forced { contradicting: bool },
    Scheduled { iteration: u64, since_restart: u64 },
}

impl Occasion {
    /// That of an iteration of so many, so many of them with the same equalities.
    pub(super) fn after(iteration: u64, since_restart: u64) -> Self {
        Self::Scheduled {
            iteration,
            since_restart,
        }
    }
}

impl ActiveSetCr {
    /// Looks at every stored contact and commits the changes that are worth it; true if there was one.
    ///
    /// Afterwards `r` belongs to the new states: only sparse rows were touched.
    pub(super) fn evaluate(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        occasion: Occasion,
        report: &mut ContactReport,
    ) -> bool {
        if let Occasion::Scheduled {
            iteration,
            since_restart,
        } = occasion
        {
            let due = match self.settings.schedule {
                EvaluationSchedule::Every => true,
                EvaluationSchedule::AtConvergence => false,
                EvaluationSchedule::Interval => iteration.is_multiple_of(self.interval(problem)),
            };
            // Where that leads nowhere let the equalities be solved further between two looks, ever further, until what is seen are
            // solutions and not passing states.
            let rest = self.halving.rest(self.settings.rest, iteration);
            if !due || since_restart < rest.saturating_add(self.settings.cool_down) {
                return false;
            }
        }
        report.evaluations += 1;
        // Where contacts chase each other, friction waits for the normal forces that it follows.
        let chasing = report.iterations > self.settings.patience;
        let overdue = report.iterations as f64 / self.settings.patience as f64;
        let weight = (0.5 / overdue.max(1.0)).max(LEAST_WEIGHT);
        let mut changes = 0;
        if chasing {
            changes = self.pass(problem, solution, occasion, Part::Normal, weight);
        }
        let changing_friction = changes == 0;
        if changing_friction {
            let part = if chasing { Part::Friction } else { Part::Whole };
            changes = self.pass(problem, solution, occasion, part, weight);
        }
        if changes == 0 {
            return false;
        }
        if changing_friction {
            // Other forces of friction make another problem of the normal rows.
            self.pivoting = Pivoting::default();
        }
        report.state_changes += changes;
        self.fit_rows(problem, solution);
        self.recompute_rows(solution);
        true
    }

    /// One look at every contact; returns the number of committed changes.
    ///
    /// A look at the normal rows alone commits all changes while their number falls from look to look, else only the one
    /// that is worth most. Between two changes of friction they are a linear complementarity problem, so the numbers are
    /// counted from one such change to the next: [`Pivoting`] says why that keeps them from chasing each other.
    pub(super) fn pass(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        occasion: Occasion,
        part: Part,
        weight: f64,
    ) -> u64 {
        let mut changes = 0;
        let mut wishes = std::mem::take(&mut self.wishes);
        wishes.clear();
        for (contact, multipliers) in solution.contacts.iter_mut().enumerate() {
            let displacement = Preconditioner::gap_and_slip(problem, contact, &solution.velocity);
            self.work.displacement[3 * contact..][..3].copy_from_slice(displacement.as_slice());
            let tolerances = self.tolerances_of(problem, contact);
            let view = ContactView {
                tolerances,
                displacement,
                friction: problem.friction(contact),
                normal_compliance: self.preconditioner.normal_compliance(contact),
                tangential_compliance: self
                    .preconditioner
                    .tangential_compliance(contact)
                    .max(self.least_compliance_of(problem, contact)),
                weight,
                settled: matches!(occasion, Occasion::Forced { .. }),
                contradicting: occasion
                    == Occasion::Forced {
                        contradicting: true,
                    },
            };
            let Some(next) = transition(multipliers, &view, part, &self.settings) else {
                continue;
            };
            if part == Part::Normal {
                let worth = displacement[0]
                    .abs()
                    .max(view.normal_compliance * multipliers.lambda.abs());
                wishes.push((worth, contact, next));
            } else {
                commit(problem, contact, multipliers, next, &mut self.work.r.v);
                changes += 1;
            }
        }
        if !wishes.is_empty() && self.pivoting.alone(wishes.len()) {
            for other in 1..wishes.len() {
                if wishes[other].0 > wishes[0].0 {
                    wishes.swap(0, other);
                }
            }
            wishes.truncate(1);
        }
        for &(_, contact, next) in &wishes {
            let multipliers = &mut solution.contacts[contact];
            commit(problem, contact, multipliers, next, &mut self.work.r.v);
            changes += 1;
        }
        self.wishes = wishes;
        changes
    }

    /// `max(1, ⌊log₂(‖r‖/ε₁)/3⌋)`.
    #[expect(
        clippy::cast_sign_loss,
        reason = "the logarithm of more than 64 is positive"
    )]
    pub(super) fn interval(&self, problem: &ContactProblem) -> u64 {
        let ratio = self.residual_norm(problem) / self.settings.tolerances.momentum;
        if ratio > 64.0 {
            (ratio.log2() / 3.0) as u64
        } else {
            1
        }
    }
}

/// Replaces a contact's multipliers; only its sparse rows of the residual change.
fn commit(
    problem: &ContactProblem,
    contact: usize,
    multipliers: &mut Multipliers,
    next: Multipliers,
    residual: &mut [f64],
) {
    let (old, new) = (multipliers.friction_force(), next.friction_force());
    let change = Vector3::new(
        next.lambda - multipliers.lambda,
        new[0] - old[0],
        new[1] - old[1],
    );
    add_impulse(problem, contact, &change, residual);
    *multipliers = next;
}
