//! Stage 4: velocities and contact forces by a contact method.

pub(crate) mod balance;
pub(crate) mod coarse;
pub(crate) mod fallback;
pub(crate) mod initial_velocity;

use crate::{error::StepFailure, report::StepReport};
use impinge_contact::{
    ContactProblem, ContactSolution, ContactSolver, Method, Termination, Tolerances,
    residual::residual,
};

/// Outcome of a solve.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Resolved {
    /// Reason why the tolerances are not met, if they are not.
    pub(crate) shortfall: Option<StepFailure>,
    /// Whether friction converged to the gap tolerance only.
    pub(crate) relaxed: bool,
}

/// A solver, and what is said of it.
pub(crate) struct NamedSolver<'a> {
    /// Its name in messages.
    pub(crate) name: &'a str,
    /// The method that it implements, with its tolerances.
    pub(crate) method: &'a Method,
    pub(crate) solver: &'a mut dyn ContactSolver,
}

/// Solves the problem from its warm start, to the tolerances of the method, and counts the work.
///
/// # Errors
/// [`StepFailure`] if the problem is unusable or the solver broke down.
pub(crate) fn resolve(
    by: NamedSolver<'_>,
    problem: &ContactProblem,
    solution: &mut ContactSolution,
    report: &mut StepReport,
) -> Result<Resolved, StepFailure> {
    let NamedSolver {
        name,
        method,
        solver,
    } = by;
    let solved = solver.solve(problem, solution)?;
    report.iterations += solved.iterations;
    report.prediction_iterations += solved.prediction_iterations;
    report.extra_products += solved.extra_products;
    report.evaluations += solved.evaluations;
    report.state_changes += solved.state_changes;
    report.preconditioner_fallbacks += solved.preconditioner_fallbacks;
    let resolved = |shortfall, relaxed| Ok(Resolved { shortfall, relaxed });
    match solved.termination {
        Termination::Converged => resolved(None, solved.relaxed),
        Termination::MaxIterations if acceptable(problem, solution, &method.tolerances()) => {
            resolved(None, true)
        }
        Termination::LeastSquares => {
            report.least_squares_solves += 1;
            resolved(None, solved.relaxed)
        }
        Termination::MaxIterations => {
            let shortfall = StepFailure::NotConverged {
                method: name.to_owned(),
                iterations: solved.iterations,
                excess: residual(problem, solution).over(&method.tolerances()),
            };
            resolved(Some(shortfall), false)
        }
        Termination::Breakdown => Err(StepFailure::Breakdown {
            iterations: solved.iterations,
        }),
    }
}

/// Whether the independent residual is acceptable: within twice the tolerances, friction to the gap tolerance.
///
/// A solver may run out of iterations over friction that is acceptable here but not within its slip tolerance.
pub(crate) fn acceptable(
    problem: &ContactProblem,
    solution: &ContactSolution,
    tolerances: &Tolerances,
) -> bool {
    residual(problem, solution).meets(tolerances)
}
