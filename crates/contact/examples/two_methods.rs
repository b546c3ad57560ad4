//! One contact problem, solved by two methods and judged by a residual that shares no code with either.
//!
//! `cargo run -p impinge-contact --example two_methods`
#![expect(clippy::print_stdout, reason = "the result is this program's purpose")]

use impinge_contact::{
    ContactProblem, ContactRow, ContactSolution, ContactState, Method, Tolerances, residual,
};
use impinge_krylov::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{Matrix3, Vector3};

/// Length of the time step (s).
const STEP: f64 = 1e-3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let problem = problem();
    let mut velocities = Vec::new();
    for name in ["cr", "ica"] {
        let mut solver = Method::named(name, Tolerances::default())?.solver();
        let mut solution = ContactSolution::at_rest(&problem);
        let report = solver.solve(&problem, &mut solution)?;

        // What is left of momentum, gaps and friction, whatever the method says of itself.
        let left = residual(&problem, &solution);
        println!(
            "{name}: {} iterations; momentum {:.1e} N s, gaps {:.1e} m, friction {:.1e} m",
            report.iterations, left.momentum, left.normal, left.friction
        );
        assert!(left.normal < Tolerances::default().gap);
        let states: Vec<ContactState> = solution
            .contacts
            .iter()
            .map(|contact| contact.state)
            .collect();
        assert_eq!(
            states,
            [
                ContactState::Sliding,
                ContactState::Sliding,
                ContactState::Inactive
            ]
        );
        velocities.push(solution.velocity);
    }
    let apart = (velocities[0].iter().zip(&velocities[1])).map(|(a, b)| (a - b).abs());
    let apart = apart.fold(0.0, f64::max);
    println!("the velocities differ by {apart:.1e} m/s");
    assert!(apart < 1e-4);
    Ok(())
}

/// Three particles of 1 kg joined by springs of 10 kN/m in a row along x. They slide along x at 1 m/s with friction
/// 0.5; the first two touch the ground, the third is 1 mm above it.
fn problem() -> ContactProblem {
    // Implicit Euler: A = M + h² K, b = M v + h f.
    let spring = STEP * STEP * 1e4 * Matrix3::identity();
    let mut momentum = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(3, [(0, 1), (1, 2)]));
    momentum.values_mut().fill(-spring);
    for (i, springs) in [1.0, 2.0, 1.0].into_iter().enumerate() {
        *momentum.diagonal_block_mut(i) = Matrix3::identity() + springs * spring;
    }
    let impulse = [1.0, 0.0, -9.81 * STEP];
    let mut problem = ContactProblem::new(STEP, momentum, impulse.repeat(3));

    // Rows of the normal z and the tangents x and y, times the step: gap and slip after it, per unit of velocity.
    let rows = STEP * Matrix3::new(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0);
    for (particle, gap) in [(0, 0.0), (1, 0.0), (2, 1e-3)] {
        problem.push(&ContactRow {
            entries: &[(particle, rows)],
            offset: Vector3::new(-gap, 0.0, 0.0),
            friction: 0.5,
        });
    }
    problem
}
