//! Subdomains, solved alone: the solution is that of the whole problem, and only disturbed parts move.

use super::support::lattice::Lattice;
use super::support::{TIME_STEP, cases, ground, particles, push};
use impinge_contact::Tolerances;
use impinge_contact::frame::ContactFrame;
use impinge_contact::method::active_set_cr::{ActiveSetCr, ActiveSetCrSettings};
use impinge_contact::{
    ContactProblem, ContactReport, ContactSolution, ContactSolver, Multipliers, Termination,
    residual,
};
use nalgebra::Vector3;
use proptest::prelude::*;

const COLUMNS: usize = 20;
const HEIGHT: usize = 4;
const WEIGHT: f64 = 9.81;

fn settings(subdomain_steps: u32) -> ActiveSetCrSettings {
    ActiveSetCrSettings {
        tolerances: Tolerances {
            momentum: 1e-7,
            gap: 1e-9,
            slip: 1e-9,
        },
        subdomain_steps,
        ..ActiveSetCrSettings::default()
    }
}

#[track_caller]
fn solve(
    problem: &ContactProblem,
    solution: &mut ContactSolution,
    settings: ActiveSetCrSettings,
) -> ContactReport {
    let report = ActiveSetCr::new(settings)
        .solve(problem, solution)
        .expect("a sound problem");
    assert_eq!(report.termination, Termination::Converged, "{report:?}");
    let judged = residual(problem, solution);
    let allowed = &settings.tolerances;
    assert!(judged.momentum < 2.0 * allowed.momentum, "{judged:?}");
    assert!(judged.normal < 2.0 * allowed.gap, "{judged:?}");
    assert!(judged.friction < 2.0 * allowed.slip, "{judged:?}");
    report
}

/// Separate columns of particles of 1 kg on the ground; `pushed` has a sideways velocity.
fn columns(pushed: Option<usize>) -> ContactProblem {
    let sideways = |column, level| {
        if Some(column * HEIGHT + level) == pushed {
            0.2
        } else {
            0.0
        }
    };
    columns_of(&[HEIGHT; COLUMNS], sideways)
}

/// The same with any heights, and a sideways velocity (m/s) for each column and level.
fn columns_of(heights: &[usize], sideways: impl Fn(usize, usize) -> f64) -> ContactProblem {
    let levels = (heights.iter().enumerate())
        .flat_map(|(column, &height)| (0..height).map(move |level| (column, level)));
    let levels: Vec<_> = levels.collect();
    let velocity = |&(column, level): &(usize, usize)| {
        Vector3::new(sideways(column, level), 0.0, -WEIGHT * TIME_STEP)
    };
    let velocities: Vec<_> = levels.iter().map(velocity).collect();
    let mut problem = particles(&vec![1.0; levels.len()], &velocities);
    for (upper, &(column, level)) in (0_u32..).zip(&levels) {
        let mut weights = vec![(upper, 1.0)];
        if level > 0 {
            weights.push((upper - 1, -1.0));
        }
        let mu = 0.5 - 0.1 * (column % 3) as f64;
        push(&mut problem, &ground(), &weights, Vector3::zeros(), mu);
    }
    problem
}

#[test]
fn a_push_moves_its_own_column_only_and_costs_no_more_than_that() {
    let at_rest = columns(None);
    let mut rest = ContactSolution::at_rest(&at_rest);
    solve(&at_rest, &mut rest, settings(8));

    let pushed = 7 * HEIGHT + HEIGHT - 1;
    let problem = columns(Some(pushed));
    let mut solution = rest.clone();
    let report = solve(&problem, &mut solution, settings(8));
    let mut whole = rest.clone();
    let alone = solve(&problem, &mut whole, settings(0));

    let disturbed = 3 * 7 * HEIGHT..3 * 8 * HEIGHT;
    assert_ne!(
        solution.velocity[disturbed.clone()],
        rest.velocity[disturbed.clone()]
    );
    for (i, (now, before)) in solution.velocity.iter().zip(&rest.velocity).enumerate() {
        assert!(
            disturbed.contains(&i) || now.to_bits() == before.to_bits(),
            "entry {i} went from {before:e} to {now:e}"
        );
    }
    // At most the iterations of the whole, on one column of all.
    let most = alone.iterations.div_ceil(COLUMNS as u64);
    assert!(
        report.iterations <= most,
        "{} iterations, {} for the whole",
        report.iterations,
        alone.iterations
    );
}

/// A solution as warm start costs one product.
#[test]
fn a_solution_is_left_as_it_is() {
    let problem = columns(Some(5));
    let mut solution = ContactSolution::at_rest(&problem);
    solve(&problem, &mut solution, settings(8));
    let found = solution.clone();
    let report = solve(&problem, &mut solution, settings(8));
    assert_eq!(report.iterations, 0);
    assert_eq!(solution, found);
}

fn bits(solution: &ContactSolution) -> (Vec<u64>, Vec<[u64; 3]>) {
    let velocity = solution.velocity.iter().map(|v| v.to_bits());
    let force = |m: &Multipliers| <[f64; 3]>::from(m.force()).map(f64::to_bits);
    (
        velocity.collect(),
        solution.contacts.iter().map(force).collect(),
    )
}

/// The same bits for any number of threads: the contacts fill several tasks, and subdomains of many sizes occupy all
/// threads. The assignment of subdomains to used solvers is random.
#[test]
fn threads_do_not_change_a_bit_of_many_regions() {
    let heights: Vec<usize> = (0..1600).map(|column| 2 + column % 5).collect();
    // First without forces, then with the top of every tenth column pushed, each by another velocity.
    let at_rest = columns_of(&heights, |_, _| 0.0);
    let pushed = columns_of(&heights, |column, level| {
        if column % 10 == 3 && level + 1 == heights[column] {
            1e-3 * column as f64
        } else {
            0.0
        }
    });
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let mut solution = ContactSolution::at_rest(&at_rest);
        let reports = pool.build().expect("a pool of threads").install(|| {
            [&at_rest, &pushed].map(|problem| solve(problem, &mut solution, settings(8)))
        });
        (reports, bits(&solution))
    };
    let one = run(1);
    for threads in [2, 7] {
        assert!(one == run(threads), "{threads} threads change something");
    }
}

/// Earlier solves of a solver do not matter.
#[test]
fn a_used_solver_is_as_good_as_a_new_one() {
    let large = columns_of(&[6; 30], |column, level| (column + level) as f64 * 0.01);
    let small = columns_of(&[3; 8], |column, level| (column * level) as f64 * 0.02);
    for steps in [0, 8] {
        let mut used = ActiveSetCr::new(settings(steps));
        let once = |solver: &mut ActiveSetCr, problem: &ContactProblem| {
            let mut solution = ContactSolution::at_rest(problem);
            let report = solver
                .solve(problem, &mut solution)
                .expect("a sound problem");
            (report, bits(&solution))
        };
        for problem in [&large, &small, &large] {
            let again = once(&mut used, problem);
            let new = once(&mut ActiveSetCr::new(settings(steps)), problem);
            assert!(again == new, "{:?} {:?}", again.0, new.0);
        }
    }
}

/// Iterations on subdomains and on the whole share one limit.
#[test]
fn the_limit_is_one_for_subdomains_and_the_whole() {
    for max_iterations in [1, 2, 5] {
        let limited = ActiveSetCrSettings {
            max_iterations,
            tolerances: Tolerances {
                momentum: 1e-14,
                gap: 1e-17,
                slip: 1e-17,
            },
            ..settings(8)
        };
        let problem = columns(Some(3));
        let mut solution = ContactSolution::at_rest(&problem);
        let report = ActiveSetCr::new(limited)
            .solve(&problem, &mut solution)
            .expect("a sound problem");
        assert_eq!(report.termination, Termination::MaxIterations);
        assert!(report.iterations <= max_iterations, "{report:?}");
    }
}

/// A trace contains every iteration, although steps of subdomains share a row.
#[test]
fn the_trace_goes_on_where_regions_ended() {
    let at_rest = columns(None);
    let mut solution = ContactSolution::at_rest(&at_rest);
    solve(&at_rest, &mut solution, settings(8));
    let problem = columns(Some(11));
    let mut solver = ActiveSetCr::new(settings(8));
    solver.record();
    let report = solver.solve(&problem, &mut solution).expect("sound");
    let rows = solver.trace();
    assert!(rows.iter().any(|row| row.phase == "subdomains"));
    assert!(rows.is_sorted_by_key(|row| row.iteration));
    assert_eq!(
        rows.last().map(|row| row.iteration),
        Some(report.iterations)
    );
}

/// Elastic blocks side by side, in contact with their neighbours and the ground.
#[derive(Debug, Clone)]
struct Row {
    blocks: usize,
    /// Decimal logarithm of Young's modulus (Pa).
    stiffness: f64,
    /// Velocities before the step, repeated as needed (m/s).
    velocities: Vec<[f64; 3]>,
    /// Change of the velocity of one block.
    disturbed: (usize, [f64; 3]),
}

fn row() -> impl Strategy<Value = Row> {
    let velocity = || prop::array::uniform3(-0.05..0.05);
    (
        3..9_usize,
        4.5..6.5,
        prop::collection::vec(velocity(), 1..5),
        (any::<usize>(), velocity()),
    )
        .prop_map(|(blocks, stiffness, velocities, disturbed)| Row {
            blocks,
            stiffness,
            velocities,
            disturbed,
        })
}

impl Row {
    fn problem(&self, disturbed: bool, friction: f64) -> ContactProblem {
        const SPACING: f64 = 0.02;
        const NODES: usize = 8;
        let modulus = 10.0_f64.powf(self.stiffness);
        let block = |index: usize| {
            let corner = Vector3::new(index as f64 * SPACING, 0.0, 0.0);
            Lattice::block([2, 2, 2], SPACING, modulus, corner)
        };
        let bodies = (1..self.blocks).fold(block(0), |row, index| row.and(&block(index)));
        let nodes = NODES * self.blocks;
        let velocity: Vec<f64> = (0..nodes)
            .flat_map(|node| {
                let mut v = self.velocities[node / NODES % self.velocities.len()];
                if disturbed && node / NODES == self.disturbed.0 % self.blocks {
                    v = std::array::from_fn(|axis| v[axis] + self.disturbed.1[axis]);
                }
                v
            })
            .collect();
        let gravity = Vector3::new(0.0, 0.0, -WEIGHT);
        let rhs = bodies.impulse(TIME_STEP, &velocity, &vec![0.0; 3 * nodes], gravity);
        let mut problem = ContactProblem::new(TIME_STEP, bodies.momentum(TIME_STEP), rhs);
        let sideways = ContactFrame::around(Vector3::x()).rows();
        for index in 0..self.blocks {
            let first = (NODES * index) as u32;
            for corner in 0..4 {
                let weights = [(first + corner, 1.0)];
                push(
                    &mut problem,
                    &ground(),
                    &weights,
                    Vector3::zeros(),
                    friction,
                );
            }
            if index > 0 {
                // Right-hand nodes 1, 3, 5 and 7 of the previous block, against the left-hand ones of this block.
                for corner in [0, 2, 4, 6] {
                    let weights = [(first + corner, 1.0), (first - 7 + corner, -1.0)];
                    push(
                        &mut problem,
                        &sideways,
                        &weights,
                        Vector3::zeros(),
                        friction,
                    );
                }
            }
        }
        problem
    }
}

proptest! {
    #![proptest_config(cases(40))]

    /// Without friction velocities are unique, so subdomains change them within tolerances only.
    #[test]
    fn velocities_are_those_of_the_whole(row in row()) {
        let mut start = ContactSolution::at_rest(&row.problem(false, 0.0));
        solve(&row.problem(false, 0.0), &mut start, settings(0));
        let problem = row.problem(true, 0.0);
        let (mut by_regions, mut whole) = (start.clone(), start);
        solve(&problem, &mut by_regions, settings(8));
        solve(&problem, &mut whole, settings(0));
        for (a, b) in by_regions.velocity.iter().zip(&whole.velocity) {
            prop_assert!((a - b).abs() < 1e-4, "{a} {b}");
        }
    }

    /// With friction the guarantees hold, which `solve` checks, from any start.
    #[test]
    fn promises_hold_with_friction(row in row(), cold in any::<bool>()) {
        let mut solution = ContactSolution::at_rest(&row.problem(false, 0.5));
        if !cold {
            solve(&row.problem(false, 0.5), &mut solution, settings(0));
        }
        solve(&row.problem(true, 0.5), &mut solution, settings(8));
    }
}
