//! The coarse grid of large bodies in long steps: the same solution in far fewer iterations, and no grid elsewhere.

use super::super::support::lattice::Lattice;
use super::super::support::{ground, push};
use impinge_contact::method::active_set_cr::{ActiveSetCr, ActiveSetCrSettings};
use impinge_contact::{
    ContactProblem, ContactReport, ContactSolution, ContactSolver, RestNode, Termination, residual,
};
use impinge_krylov::preconditioner::Preconditioner;
use nalgebra::Vector3;

/// Length of the step (s): sound crosses the bodies below within it.
const TIME_STEP: f64 = 1.6e-2;

/// A block of `count` nodes along each edge that slides onto the ground, with the places of its nodes if `placed`.
fn landing(count: usize, stiffness: f64, placed: bool) -> ContactProblem {
    let lattice = Lattice::block([count; 3], 0.02, stiffness, Vector3::zeros());
    let velocity: Vec<f64> = (lattice.nodes.iter())
        .flat_map(|x| [0.5, 0.2 * x.z, -1.0 - x.x])
        .collect();
    let still = vec![0.0; velocity.len()];
    let gravity = Vector3::new(0.0, 0.0, -9.81);
    let rhs = lattice.impulse(TIME_STEP, &velocity, &still, gravity);
    let mut problem = ContactProblem::new(TIME_STEP, lattice.momentum(TIME_STEP), rhs);
    let ground = ground() * (TIME_STEP / super::super::support::TIME_STEP);
    for node in 0..(count * count) as u32 {
        let height = 1e-3 + 0.01 * lattice.nodes[node as usize].x;
        push(
            &mut problem,
            &ground,
            &[(node, 1.0)],
            Vector3::new(-height, 0.0, 0.0),
            0.4,
        );
    }
    if placed {
        let nodes = lattice.nodes.iter().zip(&lattice.masses);
        problem.set_rest_nodes(nodes.map(|(&position, &mass)| {
            let body = 3;
            Some(RestNode {
                body,
                position,
                mass,
            })
        }));
    }
    problem
}

fn solved(solver: &mut ActiveSetCr, problem: &ContactProblem) -> (ContactSolution, ContactReport) {
    let mut solution = ContactSolution::at_rest(problem);
    let report = solver
        .solve(problem, &mut solution)
        .expect("a valid problem");
    assert_eq!(report.termination, Termination::Converged);
    let found = residual(problem, &solution);
    assert!(found.meets(&solver.settings.tolerances));
    let off = (report.residual - found.momentum).abs();
    assert!(off < 1e-3 * found.momentum, "{} {found:?}", report.residual);
    (solution, report)
}

fn velocities(problem: &ContactProblem, settings: ActiveSetCrSettings) -> (Vec<f64>, u64) {
    let (solution, report) = solved(&mut ActiveSetCr::new(settings), problem);
    assert_eq!(report.preconditioner_fallbacks, 0);
    (solution.velocity, report.iterations)
}

#[test]
fn it_finds_the_same_solution_in_fewer_iterations() {
    let settings = ActiveSetCrSettings::default();
    let (alone, many) = velocities(&landing(14, 3e6, false), settings);
    let (with_grid, few) = velocities(&landing(14, 3e6, true), settings);
    assert!(3 * few < many, "{few} {many}");
    for (a, b) in alone.iter().zip(&with_grid) {
        // Both meet tolerances of micrometres in a step of 16 ms.
        assert!((a - b).abs() < 1e-3, "{a} {b}");
    }
}

/// Conjugate residuals use it too. A solver that had a grid solves other problems as a new one does.
#[test]
fn conjugate_residuals_use_it_and_other_problems_do_not() {
    let free = [false, true].map(|placed| {
        let mut problem = landing(14, 3e6, placed);
        problem.clear_contacts();
        problem
    });
    let touching = [false, true].map(|placed| landing(14, 3e6, placed));
    let problems = [&free[0], &free[1], &touching[0], &touching[1]];
    let alone = problems.map(|problem| solved(&mut ActiveSetCr::default(), problem));
    assert!(3 * alone[1].1.iterations < alone[0].1.iterations);
    let mut solver = ActiveSetCr::default();
    for index in [1, 0, 3, 1, 1, 2, 3, 3, 0] {
        let (solution, report) = solved(&mut solver, problems[index]);
        assert_eq!(solution.velocity, alone[index].0.velocity, "{index}");
        assert_eq!(report.iterations, alone[index].1.iterations, "{index}");
    }
}

/// A matrix that is not positive definite on the grid: counted, and the bits are those without a grid.
#[test]
fn a_grid_that_cannot_be_factorised_is_left_out_and_counted() {
    let [alone, placed] = [false, true].map(|placed| {
        let mut problem = landing(14, 3e6, placed);
        problem.clear_contacts();
        for block in 0..problem.momentum.blocks() {
            let [x, y] = [(0, 1), (1, 0)];
            let block = problem.momentum.diagonal_block_mut(block);
            (block[x], block[y]) = (2.0 * block[(0, 0)], 2.0 * block[(0, 0)]);
        }
        let mut solver = ActiveSetCr::default();
        solver.settings.max_iterations = 20;
        let mut solution = ContactSolution::at_rest(&problem);
        let report = solver.solve(&problem, &mut solution).expect("a problem");
        (solution.velocity, report.preconditioner_fallbacks)
    });
    assert_eq!(alone.0, placed.0);
    assert_eq!(placed.1, alone.1 + 1);
}

/// Small bodies, soft ones, the rules of the paper and a preconditioner from elsewhere: the bits are those without
/// places.
#[test]
fn elsewhere_there_is_no_grid() {
    /// `D⁻¹ = 1`.
    struct Unit;

    impl Preconditioner for Unit {
        fn apply(&self, r: &[f64], z: &mut [f64]) {
            z.copy_from_slice(r);
        }
    }

    let default = ActiveSetCrSettings::default();
    for (count, stiffness) in [(11, 3e6), (14, 2e4)] {
        let [alone, placed] =
            [false, true].map(|placed| velocities(&landing(count, stiffness, placed), default));
        assert_eq!(alone, placed, "{count} nodes, {stiffness} Pa");
    }
    let paper = ActiveSetCrSettings {
        max_iterations: 200,
        ..ActiveSetCrSettings::of_paper()
    };
    for with_unit in [false, true] {
        let [alone, placed] = [false, true].map(|placed| {
            let problem = landing(14, 3e6, placed);
            let mut solver = ActiveSetCr::new(paper);
            if with_unit {
                solver.settings = ActiveSetCrSettings {
                    max_iterations: 200,
                    ..default
                };
                assert!(solver.precondition(Box::new(Unit)));
            }
            let mut solution = ContactSolution::at_rest(&problem);
            solver
                .solve(&problem, &mut solution)
                .expect("a valid problem");
            solution.velocity
        });
        assert_eq!(alone, placed, "{with_unit}");
    }
}
