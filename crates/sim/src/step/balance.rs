//! Stage 4, its end: exact momentum for every body, and what that does to the contacts.

use crate::{
    model::{Model, PointMotion},
    state::State,
    step::rigid::balance_rigid,
};
use impinge_contact::{ContactProblem, ContactSolution, Method};
use nalgebra::Vector3;

/// Share of the gap tolerance that a finer solve aims at: what its own balance may move rows by.
const AIM: f64 = 0.5;

/// Least share of the momentum tolerance that is asked for at once.
const FINEST: f64 = 0.1;

/// Closes the momentum balance of every body that `method` leaves open; returns what the next solve's momentum tolerance should be
/// multiplied by, if that moved a row beyond the tolerance `gap` (m).
///
/// A body's residual is bounded by `ε₁` in the norm over its nodes, and the sum over `n` of them may be `√n` times as large: on
/// long steps the velocity that closes it moves the body by more than rows may be off. Its contacts would then be hit on the way,
/// be re-linearised, solved for, and be broken by the balance again.
pub(crate) fn balance(
    model: &Model,
    state: &State,
    method: &Method,
    problem: &ContactProblem,
    solution: &mut ContactSolution,
    gap: f64,
) -> Option<f64> {
    if !method.balances_momentum() {
        // What an approximate compliance leaves of a body's momentum is no small correction: it would open gaps.
        balance_rigid(model, problem, solution);
        return None;
    }
    // Joints pass momentum between bodies, and their method leaves nothing to balance.
    if !model.joints.is_empty() || model.soft_links > 0 {
        return None;
    }
    let before = worst_row(problem, solution);
    balance_momentum(model, state, problem, solution);
    let after = worst_row(problem, solution);
    (after > gap.max(2.0 * before)).then(|| (AIM * gap / after).max(FINEST))
}

/// The farthest that a normal row is off its law: `|g|` where it pushes, `−g` where it does not (m).
fn worst_row(problem: &ContactProblem, solution: &ContactSolution) -> f64 {
    let off = solution
        .contacts
        .iter()
        .enumerate()
        .map(|(contact, multipliers)| {
            let (blocks, jacobians) = problem.row(contact);
            let moved: f64 = blocks
                .iter()
                .zip(jacobians)
                .map(|(&block, jacobian)| {
                    let velocity = &solution.velocity[3 * block as usize..][..3];
                    (0..3)
                        .map(|axis| jacobian[(0, axis)] * velocity[axis])
                        .sum::<f64>()
                })
                .sum();
            let excess = moved - problem.offset(contact)[0];
            if multipliers.lambda > 0.0 {
                excess.abs()
            } else {
                -excess
            }
        });
    off.fold(0.0, f64::max)
}

/// Gives every free body the uniform velocity that closes its momentum balance exactly.
///
/// The solver leaves a residual below its tolerance. Its part along a body's translations is the one that people see:
/// it is the body's momentum error and the difference between its weight and its support. Elastic forces and `K` do
/// not see translations, so this coarse correction needs sums only, and it is smaller than the residual was.
fn balance_momentum(
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use impinge_contact::{ContactRow, Multipliers, method::active_set_cr::ActiveSetCrSettings};
    use impinge_krylov::block::SymmetricBlockMatrix;
    use nalgebra::Matrix3;

    const CUBE: &str = r#"
[time]
step = 1e-2
duration = 1e-2
[[body]]
name = "cube"
mesh = { cuboid = { size = [1, 1, 1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
"#;

    /// A cube that a solver left with `drift` too much velocity (m/s), one of whose vertices pushes against a row that this just meets.
    fn drifting(drift: f64) -> (Model, State, ContactProblem, ContactSolution) {
        let scene = Scene::parse("cube.toml", CUBE, &[""; 0]).expect("a scene");
        let (model, state) = Model::new(&scene).expect("a model");
        let time_step = model.time_step;
        let matrix = SymmetricBlockMatrix::zeros(model.pattern.clone());
        let rhs = vec![0.0; matrix.len()];
        let mut problem = ContactProblem::new(time_step, matrix, rhs);
        let mut solution = ContactSolution::at_rest(&problem);
        let velocity = model.gravity * time_step + Vector3::z() * drift;
        for v in solution.velocity.chunks_exact_mut(3) {
            v.copy_from_slice(velocity.as_slice());
        }
        let rows = Matrix3::from_rows(&[
            Vector3::z().transpose(),
            Vector3::x().transpose(),
            Vector3::y().transpose(),
        ]) * time_step;
        problem.push(&ContactRow {
            entries: &[(0, rows)],
            offset: rows * velocity,
            friction: 0.5,
        });
        // As good as no force, but one.
        solution.contacts.push(Multipliers {
            lambda: 1e-12,
            ..Multipliers::default()
        });
        (model, state, problem, solution)
    }

    #[test]
    fn a_balance_that_breaks_a_row_asks_for_a_finer_solve() {
        let drift = 1e-3;
        let moved = 1e-2 * drift;
        let method = Method::Cr(ActiveSetCrSettings::default());
        for (gap, expected) in [
            (2.0 * moved, None),
            (0.8 * moved, Some(0.4)),
            (1e-3 * moved, Some(FINEST)),
        ] {
            let (model, state, problem, mut solution) = drifting(drift);
            assert!(worst_row(&problem, &solution) < 1e-18);
            let share = balance(&model, &state, &method, &problem, &mut solution, gap);
            match (share, expected) {
                (Some(share), Some(expected)) => assert!((share - expected).abs() < 1e-9),
                (share, expected) => assert_eq!(share, expected),
            }
            for v in solution.velocity.chunks_exact(3) {
                let fall = model.gravity * problem.time_step;
                assert!((Vector3::from_column_slice(v) - fall).amax() < 1e-12);
            }
        }
    }

    /// A row that the solver itself left off is not the balance's doing: a finer momentum tolerance would not mend it.
    #[test]
    fn a_row_that_was_off_before_asks_for_nothing() {
        let method = Method::Cr(ActiveSetCrSettings::default());
        let (model, state, problem, mut solution) = drifting(1e-3);
        solution.velocity[2] += 1.0;
        let share = balance(&model, &state, &method, &problem, &mut solution, 1e-9);
        assert_eq!(share, None);
    }
}
