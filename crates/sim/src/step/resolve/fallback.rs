//! Fallback solve: unconverged problems of conjugate residuals, solved by Newton's method on the contact forces, or on
//! all unknowns.

use crate::{report::StepReport, step::resolve::acceptable};
use impinge_contact::{
    ContactProblem, ContactSolution, Interrupt, Method, Termination,
    method::{compliant_kkt::CompliantKktSettings, corrective_motion::CorrectiveMotionSettings},
};

/// Largest number of contacts for a fallback solve: a Newton step costs its cube.
const MAX_CONTACTS: usize = 100;

/// Solves a problem that `method` did not converge on by the exact compliance, with accelerated sweeps and Newton's
/// method, and then by one factorisation of momentum and contacts together. Returns whether `solution` now meets the
/// tolerances; otherwise it is unchanged.
///
/// States of statically indeterminate contacts between stiff bodies can cycle if they switch one by one: the exact
/// compliance converges there. Under a body that is a million times heavier iterations do not find the forces: the
/// factorisation does. Only conjugate residuals get a fallback: the other methods are for comparison.
pub(crate) fn solve_fallback(
    method: &Method,
    problem: &ContactProblem,
    solution: &mut ContactSolution,
    interrupt: &Interrupt,
    report: &mut StepReport,
) -> bool {
    let Method::Cr(settings) = method else {
        return false;
    };
    if problem.contacts() > MAX_CONTACTS || !solution.constraints.is_empty() {
        return false;
    }
    let tolerances = settings.tolerances;
    let helpers = [
        Method::ExactCompliance(CorrectiveMotionSettings {
            tolerances,
            ..CorrectiveMotionSettings::default()
        }),
        Method::CompliantKkt(CompliantKktSettings {
            tolerances,
            ..CompliantKktSettings::default()
        }),
    ];
    let met = helpers.iter().any(|helper| {
        let mut tried = solution.clone();
        // If the helper refuses the problem, the step is subdivided as without it.
        let mut solver = helper.solver();
        solver.heed(interrupt);
        let Ok(solved) = solver.solve(problem, &mut tried) else {
            return false;
        };
        report.iterations += solved.iterations;
        let met = solved.termination == Termination::Converged
            && acceptable(problem, &tried, &tolerances);
        if met {
            *solution = tried;
        }
        met
    });
    report.rescued_solves += u32::from(met);
    met
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_contact::{
        ContactRow, ContactState,
        method::{
            active_set_cr::ActiveSetCrSettings,
            constraint_anticipation::ConstraintAnticipationSettings,
        },
    };
    use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
    use nalgebra::{Matrix3, Vector3};

    /// A particle of 2 kg that would fall by 1 cm in a step, and a contact row that it has reached.
    fn landing() -> (ContactProblem, ContactSolution) {
        let time_step = 0.01;
        let mut momentum = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(1, []));
        *momentum.diagonal_block_mut(0) = Matrix3::identity() * 2.0;
        let mut problem = ContactProblem::new(time_step, momentum, vec![0.0, 0.0, -2.0]);
        let rows = Matrix3::from_rows(&[
            Vector3::z().transpose(),
            Vector3::x().transpose(),
            Vector3::y().transpose(),
        ]);
        problem.push(&ContactRow {
            entries: &[(0, rows * time_step)],
            offset: Vector3::zeros(),
            friction: 0.5,
        });
        let solution = ContactSolution::at_rest(&problem);
        (problem, solution)
    }

    #[test]
    fn unconverged_problems_are_solved_and_counted() {
        let (problem, mut solution) = landing();
        let mut report = StepReport::default();
        let method = Method::Cr(ActiveSetCrSettings::default());
        let never = Interrupt::default();
        assert!(solve_fallback(
            &method,
            &problem,
            &mut solution,
            &never,
            &mut report
        ));
        assert_eq!(report.rescued_solves, 1);
        assert_ne!(solution.contacts[0].state, ContactState::Inactive);
        // The contact takes all of the weight's impulse, by rows in units of the step.
        assert!((solution.contacts[0].lambda * problem.time_step - 2.0).abs() < 1e-6);
    }

    #[test]
    fn other_methods_and_impossible_problems_stay_as_they_were() {
        let (problem, solution) = landing();
        let mut report = StepReport::default();
        let mut tried = solution.clone();
        let ica = Method::Ica(ConstraintAnticipationSettings::default());
        let never = Interrupt::default();
        assert!(!solve_fallback(
            &ica,
            &problem,
            &mut tried,
            &never,
            &mut report
        ));

        let (mut broken, _) = landing();
        *broken.momentum.diagonal_block_mut(0) = -Matrix3::identity();
        let method = Method::Cr(ActiveSetCrSettings::default());
        assert!(!solve_fallback(
            &method,
            &broken,
            &mut tried,
            &never,
            &mut report
        ));
        assert_eq!(tried, solution);
        assert_eq!(report.rescued_solves, 0);
    }
}
