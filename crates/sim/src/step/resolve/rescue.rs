//! Problems that conjugate residuals leave unsettled, given to Newton's method on the contact forces, or on all
//! unknowns.

use crate::{report::StepReport, step::resolve::acceptable};
use impinge_contact::{
    ContactProblem, ContactSolution, Interrupt, Method, Termination,
    method::{compliant_kkt::CompliantKktSettings, corrective_motion::CorrectiveMotionSettings},
};

/// Most contacts of a problem that is tried: a step of Newton's method costs their number cubed.
const MOST_CONTACTS: usize = 100;

/// Most sweeps, and most steps of Newton's method: what can be settled is settled by then.
const MOST_ITERATIONS: u64 = 500;

/// Tries the exact compliance, with accelerated sweeps and Newton's method, and then one factorisation of momentum and
/// contacts together, on what `method` did not finish; true if `solution` now meets the tolerances. It stays what it
/// was if not.
///
/// States of statically indeterminate joints between stiff bodies can chase each other without end where they switch
/// one by one: the first helps. Where a heavy body lies on one that is a million times lighter no iteration gets the
/// forces: the second does. Only conjugate residuals are helped: the other methods are here to be compared.
pub(crate) fn rescue(
    method: &Method,
    problem: &ContactProblem,
    solution: &mut ContactSolution,
    interrupt: &Interrupt,
    report: &mut StepReport,
) -> bool {
    let Method::Cr(settings) = method else {
        return false;
    };
    if problem.contacts() > MOST_CONTACTS || !solution.constraints.is_empty() {
        return false;
    }
    let tolerances = settings.tolerances;
    let helpers = [
        Method::ExactCompliance(CorrectiveMotionSettings {
            tolerances,
            max_iterations: MOST_ITERATIONS,
            ..CorrectiveMotionSettings::default()
        }),
        Method::CompliantKkt(CompliantKktSettings {
            tolerances,
            max_iterations: MOST_ITERATIONS,
            ..CompliantKktSettings::default()
        }),
    ];
    let met = helpers.iter().any(|helper| {
        let mut tried = solution.clone();
        // A problem that it refuses is no failure of its own: the step is divided, as without it.
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
    fn what_conjugate_residuals_left_is_solved_and_counted() {
        let (problem, mut solution) = landing();
        let mut report = StepReport::default();
        let method = Method::Cr(ActiveSetCrSettings::default());
        let never = Interrupt::default();
        assert!(rescue(
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
        assert!(!rescue(&ica, &problem, &mut tried, &never, &mut report));

        let (mut broken, _) = landing();
        *broken.momentum.diagonal_block_mut(0) = -Matrix3::identity();
        let method = Method::Cr(ActiveSetCrSettings::default());
        assert!(!rescue(&method, &broken, &mut tried, &never, &mut report));
        assert_eq!(tried, solution);
        assert_eq!(report.rescued_solves, 0);
    }
}
