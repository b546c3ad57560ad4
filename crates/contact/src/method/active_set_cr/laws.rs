//! Checks the laws of contact and friction between velocities and forces, independently of states.

use super::solver::ActiveSetCr;
use crate::{
    ContactProblem, ContactSolution, Tolerances,
    law::coulomb::onto_disk,
    method::{ContactReport, rows::gap_and_slip},
    problem::CONTACTS_PER_TASK,
};
use nalgebra::Vector3;
use rayon::prelude::*;

impl ActiveSetCr {
    /// Whether the laws hold to tolerance between `velocity` and `(λ, F)` of each contact, measured as in
    /// [`fn@crate::residual`].
    pub(super) fn laws_hold(
        &self,
        problem: &ContactProblem,
        velocity: &[f64],
        force_of: impl Fn(usize) -> Vector3<f64> + Sync,
    ) -> bool {
        (0..problem.contacts())
            .into_par_iter()
            .with_min_len(CONTACTS_PER_TASK)
            .all(|contact| self.law_holds(problem, contact, velocity, force_of(contact)))
    }

    /// Whether the laws hold between `velocity` and the force `(λ, F)` of one contact.
    pub(super) fn law_holds(
        &self,
        problem: &ContactProblem,
        contact: usize,
        velocity: &[f64],
        force: Vector3<f64>,
    ) -> bool {
        let [normal, friction] = self.misfits(problem, contact, velocity, force);
        normal < 1.0 && friction < 1.0
    }

    /// Smallest compliance for the friction of a contact (m/N).
    ///
    /// On a stiff body a large force is a small displacement: friction that is visible in the momentum balance must not
    /// count as noise. (Normal forces may: releasing each small pull would make stiff bodies chatter.)
    pub(super) fn least_compliance_of(&self, problem: &ContactProblem, contact: usize) -> f64 {
        let strict = (self.settings.tolerances).of(problem, contact, false);
        strict.slip * problem.time_step / (Tolerances::NOISE * strict.momentum)
    }

    /// Violation of the laws of contact and friction by `velocity` and the force `(λ, F)` of one contact, in
    /// tolerances.
    pub(super) fn misfits(
        &self,
        problem: &ContactProblem,
        contact: usize,
        velocity: &[f64],
        force: Vector3<f64>,
    ) -> [f64; 2] {
        let tolerances = self.tolerances_of(problem, contact);
        let [gap, s1, s2] = gap_and_slip(problem, contact, velocity).into();
        let [lambda, f1, f2] = force.into();
        let normal = self.preconditioner.normal_compliance(contact);
        let tangential = self
            .preconditioner
            .tangential_compliance(contact)
            .max(self.least_compliance_of(problem, contact));
        let radius = problem.friction(contact) * lambda.max(0.0);
        let (target, _) = onto_disk([f1 - s1 / tangential, f2 - s2 / tangential], radius);
        let misfit = tangential * (f1 - target[0]).hypot(f2 - target[1]);
        [
            (normal * lambda).min(gap).abs() / tolerances.gap,
            misfit / tolerances.slip,
        ]
    }

    /// Whether the iterate solves the problem, even if its equalities do not hold or some state is wrong: if contacts
    /// conflict by less than the tolerances, states never converge.
    pub(super) fn is_solution(
        &mut self,
        problem: &ContactProblem,
        solution: &ContactSolution,
        report: &mut ContactReport,
    ) -> bool {
        let bound = self.settings.tolerances.momentum;
        let within = |solver: &Self| problem.momentum_norm(&solver.work.cr.residual.v) < bound;
        let laws = |solver: &Self| {
            solver.laws_hold(problem, &solution.velocity, |contact| {
                solution.contacts[contact].force()
            })
        };
        if !within(self) || !laws(self) {
            return false;
        }
        // The recurrence has drifted: the exact residual decides.
        self.recompute_residual(problem, solution);
        report.extra_products += 1;
        within(self)
    }
}
