//! A contact solver from another crate, with the checks of its contract.

use super::shared::Shared;
use impinge_contact::{
    ContactProblem, ContactResult, ContactSolution, ContactSolver, Interrupt, Termination,
    Tolerances, compliance::TurnedBodies, method::TraceRow, residual::residual,
};
use impinge_krylov::preconditioner::Preconditioner;
use std::sync::Arc;

/// Restores the warm start after a broken contract, and accepts convergence only if the independent residual confirms
/// it.
pub(super) struct CheckedSolver {
    solver: Shared<dyn ContactSolver + Send>,
    tolerances: Tolerances,
    trace: Vec<TraceRow>,
}

impl CheckedSolver {
    pub(super) fn new(solver: Shared<dyn ContactSolver + Send>) -> Self {
        Self {
            solver,
            tolerances: Tolerances::default(),
            trace: Vec::new(),
        }
    }
}

impl ContactSolver for CheckedSolver {
    fn solve(&mut self, problem: &ContactProblem, solution: &mut ContactSolution) -> ContactResult {
        let mut slot = self.solver.lock();
        let start = solution.clone();
        let mut report = slot.inner.solve(problem, solution)?;
        self.trace = slot.inner.trace().to_vec();
        if let Some(broken) = broken_rule(&start, solution) {
            *solution = start;
            slot.breaks(broken);
            report.termination = Termination::Breakdown;
        } else if report.termination == Termination::Converged
            && !residual(problem, solution).meets(&self.tolerances)
        {
            report.termination = Termination::MaxIterations;
        }
        Ok(report)
    }

    fn set_tolerances(&mut self, tolerances: Tolerances) {
        self.tolerances = tolerances;
        self.solver.lock().inner.set_tolerances(tolerances);
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.solver.lock().inner.heed(interrupt);
    }

    fn know_bodies(&mut self, bodies: &Arc<TurnedBodies>) {
        self.solver.lock().inner.know_bodies(bodies);
    }

    fn precondition(&mut self, preconditioner: Box<dyn Preconditioner + Send>) -> bool {
        self.solver.lock().inner.precondition(preconditioner)
    }

    fn record(&mut self) {
        self.solver.lock().inner.record();
    }

    fn trace(&self) -> &[TraceRow] {
        &self.trace
    }
}

/// The first rule that a solution breaks: it keeps the lengths of the warm start, and its numbers are finite.
fn broken_rule(start: &ContactSolution, solution: &ContactSolution) -> Option<String> {
    let lengths = [
        (
            "entries of velocity",
            solution.velocity.len(),
            start.velocity.len(),
        ),
        ("contacts", solution.contacts.len(), start.contacts.len()),
        (
            "forces of constraint rows",
            solution.constraints.len(),
            start.constraints.len(),
        ),
    ];
    for (what, found, expected) in lengths {
        if found != expected {
            return Some(format!(
                "returned {found} {what} where the problem has {expected}"
            ));
        }
    }
    let contacts = solution.contacts.iter().flat_map(|contact| {
        let [stick, other] = contact.gamma;
        let [along, across] = contact.sliding_force;
        let [slip, other_slip] = contact.slip_direction;
        let forces = [contact.lambda, contact.previous_lambda, stick, other];
        forces.into_iter().chain([along, across, slip, other_slip])
    });
    let numbers = solution.velocity.iter().chain(&solution.constraints);
    let finite = numbers.copied().chain(contacts).all(f64::is_finite);
    (!finite).then(|| "returned a number that is not finite".to_owned())
}
