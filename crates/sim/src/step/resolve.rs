//! Stage 4: velocities and contact forces by a contact method, then exact momentum per body.

use crate::{
    error::StepFailure,
    model::{Model, PointMotion},
    report::StepReport,
    state::State,
    step::rigid::balance_rigid,
};
use impinge_contact::{
    ContactProblem, ContactSolution, ContactSolver, Termination, method::active_set_cr::Tolerances,
    residual::residual,
};
use nalgebra::Vector3;

/// Solves the problem from its warm start and counts what was spent; returns what kept it from its tolerances, if
/// anything did.
///
/// # Errors
/// [`StepFailure`] if the problem is unusable or the solver broke down.
pub(crate) fn resolve(
    solver: &mut dyn ContactSolver,
    problem: &ContactProblem,
    solution: &mut ContactSolution,
    tolerances: &Tolerances,
    report: &mut StepReport,
) -> Result<Option<StepFailure>, StepFailure> {
    let solved = solver.solve(problem, solution)?;
    report.rounds += 1;
    report.iterations += solved.iterations;
    report.anticipations += solved.anticipations;
    report.extra_products += solved.extra_products;
    report.evaluations += solved.evaluations;
    report.state_changes += solved.state_changes;
    report.preconditioner_fallbacks += solved.preconditioner_fallbacks;
    report.relaxed_solves += u32::from(solved.relaxed);
    match solved.termination {
        Termination::Converged => Ok(None),
        Termination::MaxIterations if acceptable(problem, solution, tolerances) => {
            report.relaxed_solves += u32::from(!solved.relaxed);
            Ok(None)
        }
        Termination::LeastSquares => {
            report.least_squares_solves += 1;
            Ok(None)
        }
        Termination::MaxIterations => Ok(Some(StepFailure::NotConverged {
            iterations: solved.iterations,
            residual: solved.residual,
        })),
        Termination::Breakdown => Err(StepFailure::Breakdown {
            iterations: solved.iterations,
        }),
    }
}

/// Whether the independent residual passes what every accepted solve has to pass (spec 10.2, C3).
///
/// A solver may run out of iterations over friction that the slip tolerance still tells apart.
pub(super) fn acceptable(
    problem: &ContactProblem,
    solution: &ContactSolution,
    tolerances: &Tolerances,
) -> bool {
    let judged = residual(problem, solution);
    judged.momentum < 2.0 * tolerances.momentum
        && judged.normal < 2.0 * tolerances.gap
        && judged.friction < 2.0 * tolerances.slip.max(tolerances.gap)
        && judged.constraint < 2.0 * tolerances.gap
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
            // Blocks beyond those of the nodes are rigid bodies, balanced below.
            if let Some(&point) = model.point_of_block.get(block as usize) {
                contact_impulse[model.solid_of_point(point)] += jacobian.tr_mul(&force);
            }
        }
    }
    balance_rigid(model, problem, solution);
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
            missing += (state.velocities[point] + model.gravity * time_step) * mass
                - velocity * effective
                + model.pull[point] * time_step;
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
