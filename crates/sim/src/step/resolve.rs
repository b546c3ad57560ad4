//! Stage 4: velocities and contact forces by a contact method, then exact momentum per body.

use crate::{
    error::StepFailure,
    model::{Model, PointMotion},
    report::StepReport,
    state::State,
};
use impinge_contact::{ContactProblem, ContactSolution, ContactSolver, Termination};
use nalgebra::Vector3;

/// Whether the solver's word for the outcome was kept in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quality {
    /// Converged, or a least-squares solution that the geometry has to confirm.
    Met,
    /// The iteration limit came first.
    Unmet,
}

/// Solves the problem from its warm start and counts what was spent.
///
/// # Errors
/// [`StepFailure`] if the problem is unusable or the solver broke down.
pub(crate) fn resolve(
    solver: &mut dyn ContactSolver,
    problem: &ContactProblem,
    solution: &mut ContactSolution,
    report: &mut StepReport,
) -> Result<(Quality, Option<StepFailure>), StepFailure> {
    let solved = solver.solve(problem, solution)?;
    report.rounds += 1;
    report.iterations += solved.iterations;
    report.extra_products += solved.extra_products;
    report.evaluations += solved.evaluations;
    report.state_changes += solved.state_changes;
    report.preconditioner_fallbacks += solved.preconditioner_fallbacks;
    match solved.termination {
        Termination::Converged => Ok((Quality::Met, None)),
        Termination::LeastSquares => {
            report.least_squares_solves += 1;
            Ok((Quality::Met, None))
        }
        Termination::MaxIterations => Ok((
            Quality::Unmet,
            Some(StepFailure::NotConverged {
                iterations: solved.iterations,
                residual: solved.residual,
            }),
        )),
        Termination::Breakdown => Err(StepFailure::Breakdown {
            iterations: solved.iterations,
        }),
    }
}

/// Gives every free body the uniform velocity that closes its momentum balance exactly.
///
/// The solver leaves a residual below its tolerance. Its part along a body's translations is the one that people see:
/// it is the body's momentum error and the difference between its weight and its support. Elastic forces and `K` do
/// not see translations, so this coarse correction needs sums only, and it is smaller than the residual was.
pub(crate) fn balance_momentum(
    model: &Model,
    state: &State,
    problem: &ContactProblem,
    solution: &mut ContactSolution,
) {
    let time_step = problem.time_step;
    let mut contact_impulse = vec![Vector3::zeros(); model.bodies.len()];
    for (contact, multipliers) in solution.contacts.iter().enumerate() {
        let [f1, f2] = multipliers.friction_force();
        let force = Vector3::new(multipliers.lambda, f1, f2);
        let (blocks, jacobians) = problem.row(contact);
        for (&block, jacobian) in blocks.iter().zip(jacobians) {
            let point = model.point_of_block[block as usize];
            contact_impulse[model.solid_of_point(point)] += jacobian.tr_mul(&force);
        }
    }
    for (body, impulse) in model.bodies.iter().zip(contact_impulse) {
        let (mut missing, mut inertia) = (impulse, 0.0);
        let mut free = true;
        for point in body.points.clone() {
            let PointMotion::Free(block) = model.motion_of_point[point] else {
                free = false;
                break;
            };
            let mass = model.mass[point];
            let effective = mass + time_step * model.mass_damping[point];
            let velocity =
                Vector3::from_column_slice(&solution.velocity[3 * block as usize..][..3]);
            missing +=
                (state.velocities[point] + model.gravity * time_step) * mass - velocity * effective;
            inertia += effective;
        }
        if free {
            let correction = missing / inertia;
            for point in body.points.clone() {
                if let PointMotion::Free(block) = model.motion_of_point[point] {
                    for axis in 0..3 {
                        solution.velocity[3 * block as usize + axis] += correction[axis];
                    }
                }
            }
        }
    }
}
