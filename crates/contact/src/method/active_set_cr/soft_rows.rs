//! Active rows with their softness and reference forces.

use super::{DirectionRule, solver::ActiveSetCr};
use crate::method::{
    masked_rows::{FOLLOW, MaskedRows, RowMask, SOFTEST},
    rows::at,
};
use crate::{ContactProblem, ContactSolution, ContactState};

impl ActiveSetCr {
    /// `r_m = (g, s) + E((λ, γ) − (λ, γ)_ref)` for active rows, from the present displacements.
    pub(super) fn recompute_rows(&mut self, solution: &ContactSolution) {
        let work = &mut self.work;
        let rows = MaskedRows {
            masks: &work.masks,
            active: &work.active,
            softness: self.preconditioner.softness(),
        };
        let (displacement, reference) = (&work.displacement, &work.reference);
        let r_m = &mut work.cr.residual.m;
        rows.residual_into(&solution.contacts, displacement, reference, r_m);
    }

    /// Sets the active rows, their softness and their reference forces for the present states.
    ///
    /// Sticking and normal rows are soft about a reference force. It follows the present force only if the gap or slip
    /// is outside half the tolerance: otherwise opposing forces of rows within tolerance would drift. The row across a
    /// slip is `s_⊥ + E F_⊥ = 0` with `E = ‖s‖/μλ`.
    pub(super) fn fit_rows(&mut self, problem: &ContactProblem, solution: &ContactSolution) {
        self.work.active.clear();
        for (contact, multipliers) in solution.contacts.iter().enumerate() {
            if multipliers.state != ContactState::Inactive {
                self.work.active.push(contact as u32);
            }
            let [x, y] = multipliers.sliding_force;
            let size = x.hypot(y);
            let implicit = self.settings.direction_rule == DirectionRule::Implicit;
            let slides = multipliers.state == ContactState::Sliding && implicit && size > 0.0;
            let direction = slides.then(|| [x / size, y / size]);
            let compliance = self.preconditioner.tangential_compliance(contact);
            let softness = direction.map_or(0.0, |[x, y]| {
                let displacement = &self.work.displacement[3 * contact..][..3];
                let slipped = -(displacement[1] * x + displacement[2] * y);
                (slipped.max(0.0) / size).min(SOFTEST * compliance)
            });
            self.preconditioner.soften(contact, softness);
            self.work.masks[contact] = RowMask::of(multipliers.state, direction);
            let elastic = self.preconditioner.elastic_softness(contact);
            let share = if softness > 0.0 {
                elastic / (elastic + softness)
            } else {
                1.0
            };
            let displacement = at(&self.work.displacement, contact as u32);
            let tolerances = self.tolerances_of(problem, contact);
            let reference = &mut self.work.reference[3 * contact..][..3];
            let inactive = multipliers.state == ContactState::Inactive;
            if inactive || displacement[0].abs() > FOLLOW * tolerances.gap {
                reference[0] = multipliers.lambda;
            }
            let sticking = multipliers.state == ContactState::Sticking;
            let held =
                sticking && displacement[1].hypot(displacement[2]) <= FOLLOW * tolerances.slip;
            if !held {
                reference[1] = multipliers.gamma[0] * share;
                reference[2] = multipliers.gamma[1] * share;
            }
        }
    }

    /// Whether gaps and slips of soft rows, without softness, are within tolerance.
    pub(super) fn hard_enough(&self, problem: &ContactProblem, solution: &ContactSolution) -> bool {
        self.work.active.iter().all(|&contact| {
            let tolerances = self.tolerances_of(problem, contact as usize);
            let displacement = at(&self.work.displacement, contact);
            let sticking = solution.contacts[contact as usize].state == ContactState::Sticking;
            displacement[0].abs() < tolerances.gap
                && (!sticking || displacement[1].hypot(displacement[2]) < tolerances.slip)
        })
    }
}
