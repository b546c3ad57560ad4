//! The coarse grid of large bodies in long steps: the same solution in far fewer iterations, and no grid elsewhere.

use super::super::support::lattice::Lattice;
use super::super::support::{ground, push};
use impinge_contact::method::active_set_cr::{ActiveSetCr, ActiveSetCrSettings};
use impinge_contact::{
    ContactProblem, ContactReport, ContactSolution, ContactSolver, Place, Termination, residual,
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
        problem.place(nodes.map(|(&position, &mass)| {
            let body = 3;
            Some(Place {
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
    assert!(residual(problem, &solution).meets(&solver.settings.tolerances));
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
        assert!((a - b).abs() < 1e-3, "{a} {b}");
    }
}

/// Conjugate residuals use it too, and a solver takes other problems in between.
#[test]
fn conjugate_residuals_use_it_without_contacts() {
    let mut problems = [false, true].map(|placed| landing(14, 3e6, placed));
    problems.iter_mut().for_each(ContactProblem::clear_contacts);
    let mut solver = ActiveSetCr::default();
    let [many, few] = [&problems[0], &problems[1]].map(|problem| {
        let (_, report) = solved(&mut solver, problem);
        let (_, again) = solved(&mut solver, problem);
        assert_eq!(report.iterations, again.iterations);
        report.iterations
    });
    assert!(3 * few < many, "{few} {many}");
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
