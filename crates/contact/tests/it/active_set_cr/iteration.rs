//! Properties of the iteration: finite termination, decreasing residuals, least squares, warm starts, limits.

use super::super::support::lattice::Lattice;
use super::super::support::{
    TIME_STEP, dense_momentum, dense_rows, ground, oblique, particles, push,
};
use super::{KINDS, RULES, hard, over_plane, solve, solved, strict, variants};
use impinge_contact::Tolerances;
use impinge_contact::method::active_set_cr::{
    ActiveSetCr, ActiveSetCrSettings, EvaluationSchedule, PreconditionerKind,
};
use impinge_contact::{
    ContactProblem, ContactSolution, ContactSolver, ContactState, Multipliers, Termination,
    residual,
};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

/// A lattice of eight nodes whose four lower ones are pushed up hard: all contacts stick throughout.
fn pressed_lattice(seed: u64) -> ContactProblem {
    let mut state = seed;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let lattice =
        Lattice::block([2, 2, 2], 0.02, 5e5, Vector3::zeros()).stiffen(|_| 10.0_f64.powf(random()));
    let mut problem = ContactProblem::new(TIME_STEP, lattice.momentum(TIME_STEP), vec![0.0; 24]);
    for node in 0..4 {
        push(
            &mut problem,
            &ground(),
            &[(node, 1.0)],
            Vector3::new(1e-3, 1e-5, -2e-5),
            1e3,
        );
    }
    problem
}

/// `B` and the right-hand side with all rows active.
fn dense_system(problem: &ContactProblem) -> (DMatrix<f64>, DVector<f64>) {
    let (n, m) = (problem.unknowns(), 3 * problem.contacts());
    let rows = dense_rows(problem);
    let mut b = DMatrix::zeros(n + m, n + m);
    b.view_mut((0, 0), (n, n))
        .copy_from(&dense_momentum(problem));
    b.view_mut((n, 0), (m, n)).copy_from(&-&rows);
    b.view_mut((0, n), (n, m)).copy_from(&-rows.transpose());
    let mut rhs = DVector::zeros(n + m);
    rhs.rows_mut(0, n).copy_from_slice(&problem.rhs);
    for contact in 0..problem.contacts() {
        rhs.fixed_rows_mut::<3>(n + 3 * contact)
            .copy_from(&-problem.offset(contact));
    }
    (b, rhs)
}

fn all_sticking(problem: &ContactProblem) -> ContactSolution {
    let mut solution = ContactSolution::at_rest(problem);
    solution.contacts.fill(Multipliers {
        state: ContactState::Sticking,
        ..Multipliers::default()
    });
    solution
}

/// With a frozen active set the iteration is a Krylov method and ends after as many steps as unknowns.
#[test]
fn fixed_states_finish_like_a_krylov_method() {
    for seed in 0..5 {
        let problem = pressed_lattice(seed);
        let (b, rhs) = dense_system(&problem);
        let expected = b.lu().solve(&rhs).expect("independent rows");
        for preconditioner in KINDS {
            let settings = ActiveSetCrSettings {
                preconditioner,
                schedule: EvaluationSchedule::AtConvergence,
                ..hard()
            };
            let mut solution = all_sticking(&problem);
            let report = ActiveSetCr::new(settings)
                .solve(&problem, &mut solution)
                .expect("sound");
            assert_eq!(report.termination, Termination::Converged);
            assert_eq!(report.state_changes, 0);
            let size = problem.unknowns() + 3 * problem.contacts();
            assert!(
                report.iterations as usize <= size + 4,
                "{preconditioner:?} {report:?}"
            );
            let error = DVector::from_vec(solution.velocity) - expected.rows(0, problem.unknowns());
            assert!(error.amax() < 1e-8 * expected.rows(0, problem.unknowns()).amax());
        }
    }
}

/// `zᵀBz` is exactly zero in the first step if the momentum balance holds and a contact becomes active.
#[test]
fn breakdown_of_the_first_step_is_stepped_around() {
    let problem = pressed_lattice(9);
    let size = problem.unknowns() + 3 * problem.contacts();
    for preconditioner in KINDS {
        let settings = ActiveSetCrSettings {
            preconditioner,
            schedule: EvaluationSchedule::AtConvergence,
            ..hard()
        };
        // b = 0, so that v = 0 solves A v = b.
        let mut solution = all_sticking(&problem);
        let report = ActiveSetCr::new(settings)
            .solve(&problem, &mut solution)
            .expect("sound");
        assert_eq!(report.termination, Termination::Converged);
        assert!(solution.velocity.iter().all(|v| v.is_finite()));
        assert!(
            report.iterations as usize <= size + 4,
            "{preconditioner:?} {report:?}"
        );
        assert!(report.iterations > 0);
    }
}

/// With a frozen active set and the positive definite preconditioner `√(rᵀC⁻¹r)` never grows.
#[test]
fn the_preconditioned_residual_decreases() {
    let problem = pressed_lattice(4);
    let n = problem.unknowns();
    let (b, rhs) = dense_system(&problem);
    let momentum = dense_momentum(&problem);
    let rows = dense_rows(&problem);
    let diagonal = DMatrix::from_diagonal(&momentum.diagonal().map(f64::recip));
    let compliance = (&rows * &diagonal * rows.transpose()).diagonal();
    let mut before = f64::INFINITY;
    for limit in 1..30 {
        let settings = ActiveSetCrSettings {
            preconditioner: PreconditionerKind::Diagonal,
            schedule: EvaluationSchedule::AtConvergence,
            max_iterations: limit,
            ..hard()
        };
        let mut solution = all_sticking(&problem);
        let report = ActiveSetCr::new(settings)
            .solve(&problem, &mut solution)
            .expect("sound");
        let mut y = DVector::zeros(rhs.len());
        y.rows_mut(0, n).copy_from_slice(&solution.velocity);
        for (contact, multipliers) in solution.contacts.iter().enumerate() {
            let [f1, f2] = multipliers.friction_force();
            y.fixed_rows_mut::<3>(n + 3 * contact)
                .copy_from(&Vector3::new(multipliers.lambda, f1, f2));
        }
        let r = &rhs - &b * y;
        // Rows count by their share of their tolerance.
        let tolerances = settings.tolerances;
        let share = |row: usize| {
            let tolerance = if row.is_multiple_of(3) {
                tolerances.gap
            } else {
                tolerances.slip
            };
            (r[n + row] / tolerance).powi(2)
        };
        let rows = (0..r.len() - n).map(share).sum::<f64>().sqrt();
        let norm = r.rows(0, n).norm().hypot(tolerances.momentum * rows);
        assert!(
            (norm - report.residual).abs() < 1e-9 * (rhs.norm() + norm) + 1e-12,
            "the reported residual is the true one"
        );
        let scaled = r.rows(0, n).dot(&(&diagonal * r.rows(0, n)))
            + r.rows(n, r.len() - n)
                .component_div(&compliance)
                .dot(&r.rows(n, r.len() - n));
        let now = scaled.sqrt();
        assert!(
            now <= before * (1.0 + 1e-12) + 1e-10,
            "grew from {before:e} to {now:e} in step {limit}"
        );
        before = now;
    }
    assert!(before < 1e-4, "{before:e}");
}

/// Two walls close on a particle. The rows conflict; the violation is shared and reported.
#[test]
fn a_squeezed_particle_is_a_least_squares_solution() {
    for settings in variants().map(|soft| ActiveSetCrSettings {
        softness: 0.0,
        ..soft
    }) {
        let mut problem = particles(&[1.0], &[Vector3::zeros()]);
        let flipped = Matrix3::from_diagonal(&Vector3::new(-1.0, 1.0, -1.0)) * ground();
        push(
            &mut problem,
            &ground(),
            &[(0, 1.0)],
            Vector3::new(3e-3, 0.0, 0.0),
            0.0,
        );
        push(
            &mut problem,
            &flipped,
            &[(0, 1.0)],
            Vector3::new(1e-3, 0.0, 0.0),
            0.0,
        );
        let (solution, report) = solve(&problem, settings);
        assert_eq!(
            report.termination,
            Termination::LeastSquares,
            "{settings:?} {report:?}"
        );
        assert!(solution.velocity.iter().all(|v| v.is_finite()));
        assert!(
            (TIME_STEP * solution.velocity[2] - 1e-3).abs() < 1e-8,
            "{settings:?} {solution:?}"
        );
        assert!((residual(&problem, &solution).penetration - 2e-3).abs() < 1e-8);

        // Soft rows raise the opposing forces without bound: that must not count as a solution.
        let (_, report) = solve(
            &problem,
            ActiveSetCrSettings {
                softness: 1e-3,
                ..settings
            },
        );
        assert_ne!(
            report.termination,
            Termination::Converged,
            "{settings:?} {report:?}"
        );
    }
}

/// With one wall duplicated, the velocity is the dense least-squares one, and each copy carries half of the force.
#[test]
fn a_wall_that_is_there_twice_weighs_twice_and_carries_half() {
    let asked = [(1.0, 3e-3), (1.0, 3e-3), (-1.0, 1e-3)];
    let mass = 2.0;
    let free = Vector3::new(0.1, 0.2, -0.5);
    // Normal rows alone, without friction.
    let count = asked.len();
    let mut b = DMatrix::zeros(3 + count, 3 + count);
    let mut rhs = DVector::zeros(3 + count);
    for axis in 0..3 {
        b[(axis, axis)] = mass;
        rhs[axis] = mass * free[axis];
    }
    for (row, (up, offset)) in asked.into_iter().enumerate() {
        b[(2, 3 + row)] = -up * TIME_STEP;
        b[(3 + row, 2)] = -up * TIME_STEP;
        rhs[3 + row] = -offset;
    }
    let svd = b.svd(true, true);
    let expected = svd.solve(&rhs, 1e-12).expect("both sides");
    for settings in variants().map(|soft| ActiveSetCrSettings {
        softness: 0.0,
        ..soft
    }) {
        let mut problem = particles(&[mass], &[free]);
        for (up, offset) in asked {
            let frame = Matrix3::from_diagonal(&Vector3::new(up, 1.0, up)) * ground();
            let offset = Vector3::new(offset, 0.0, 0.0);
            push(&mut problem, &frame, &[(0, 1.0)], offset, 0.0);
        }
        let (solution, report) = solve(&problem, settings);
        assert_eq!(
            report.termination,
            Termination::LeastSquares,
            "{settings:?} {report:?}"
        );
        let found = DVector::from_column_slice(&solution.velocity);
        let off = (found - expected.rows(0, 3)).amax();
        assert!(
            off <= 1e-8 * expected.rows(0, 3).amax(),
            "{settings:?} {off:e}"
        );
        // The active-set prediction raises opposing forces while it lasts, one contact after the other.
        if settings.prediction {
            continue;
        }
        let [first, second, other] = [0, 1, 2].map(|row| solution.contacts[row].lambda);
        let carried = mass * (solution.velocity[2] - free.z) / TIME_STEP;
        assert!(
            (first + second - other - carried).abs() <= 1e-8 * carried.abs(),
            "{settings:?} {solution:?}"
        );
        assert!(
            (first - second).abs() <= 1e-8 * (first + second).abs(),
            "{settings:?} {solution:?}"
        );
    }
}

/// Two constraints of the same point with offsets that are inconsistent as equalities: as inequalities they are
/// consistent, and the stricter one holds.
#[test]
fn the_stricter_of_two_equal_contacts_wins() {
    for settings in variants() {
        for friction in [0.0, 0.5] {
            let mut problem = particles(&[1.0], &[Vector3::new(0.1, 0.0, -1.0)]);
            push(
                &mut problem,
                &ground(),
                &[(0, 1.0)],
                Vector3::new(-3e-4, 0.0, 0.0),
                friction,
            );
            push(
                &mut problem,
                &ground(),
                &[(0, 1.0)],
                Vector3::new(-1e-4, 0.0, 0.0),
                friction,
            );
            let (solution, report) = solve(&problem, settings);
            assert_eq!(
                report.termination,
                Termination::Converged,
                "{settings:?} {report:?} {solution:?}"
            );
            assert!(
                (solution.velocity[2] + 0.1).abs() < 1e-8,
                "{settings:?} {solution:?}"
            );
            assert!(residual(&problem, &solution).normal < 1e-9);
        }
    }
}

/// Two inconsistent anchors of one point: it cannot stick to both.
#[test]
fn contradicting_anchors_slide() {
    for settings in variants() {
        let mut problem = particles(&[1.0], &[Vector3::new(0.0, 0.0, -1.0)]);
        push(
            &mut problem,
            &ground(),
            &[(0, 1.0)],
            Vector3::new(0.0, 4e-5, 0.0),
            0.5,
        );
        push(
            &mut problem,
            &ground(),
            &[(0, 1.0)],
            Vector3::new(0.0, -4e-5, 0.0),
            0.5,
        );
        let (solution, report) = solve(&problem, settings);
        assert_eq!(
            report.termination,
            Termination::Converged,
            "{settings:?} {report:?} {solution:?}"
        );
        let r = residual(&problem, &solution);
        assert!(
            r.momentum < 1e-9 && r.normal < 1e-9 && r.friction < 1e-9,
            "{settings:?} {r:?}"
        );
    }
}

/// Copies of a contact share its force and change nothing else.
#[test]
fn duplicates_change_nothing_but_the_split() {
    let lattice = Lattice::block([4, 4, 3], 0.02, 5e5, Vector3::zeros());
    let falling: Vec<f64> = (0..lattice.nodes.len())
        .flat_map(|_| [0.3, 0.1, -0.5])
        .collect();
    let rhs = lattice.impulse(
        TIME_STEP,
        &falling,
        &vec![0.0; falling.len()],
        Vector3::zeros(),
    );
    let with_copies = |copies: usize| {
        let mut problem = ContactProblem::new(TIME_STEP, lattice.momentum(TIME_STEP), rhs.clone());
        for node in 0..16 {
            for _ in 0..copies {
                push(
                    &mut problem,
                    &ground(),
                    &[(node, 1.0)],
                    Vector3::zeros(),
                    0.5,
                );
            }
        }
        problem
    };
    // Prediction hides the preconditioner, so it is off.
    let alone = hard();
    for duplicates in RULES {
        for (preconditioner, rest) in KINDS
            .into_iter()
            .flat_map(|kind| [(kind, ActiveSetCrSettings::default()), (kind, alone)])
        {
            let settings = ActiveSetCrSettings {
                preconditioner,
                duplicates,
                direction_tolerance: 1e-4,
                tolerances: Tolerances {
                    momentum: 1e-7,
                    gap: 1e-9,
                    slip: 1e-9,
                },
                ..rest
            };
            let (once, single) = solved(&with_copies(1), settings);
            let (fourfold, report) = solved(&with_copies(4), settings);
            let (v1, v4) = (
                DVector::from_vec(once.velocity),
                DVector::from_vec(fourfold.velocity),
            );
            assert!(
                (&v1 - &v4).amax() < 1e-3 * v1.amax(),
                "{:e}",
                (v1 - v4).amax()
            );
            assert!(
                report.iterations * 2 <= single.iterations * 3 + 4,
                "{settings:?}: {} with copies, {} without",
                report.iterations,
                single.iterations
            );
            let total = |solution: &ContactSolution| {
                solution.contacts.iter().map(|c| c.lambda).sum::<f64>()
            };
            let (total_1, total_4) = (
                once.contacts.iter().map(|c| c.lambda).sum::<f64>(),
                total(&ContactSolution {
                    velocity: vec![],
                    contacts: fourfold.contacts.clone(),
                    constraints: Vec::new(),
                }),
            );
            assert!((total_1 - total_4).abs() < 1e-3 * total_1);
        }
    }
}

/// A second solve from the solution needs no iterations, and a nearby one few.
#[test]
fn warm_starts_save_work() {
    let problem = pressed_lattice(2);
    let mut solver = ActiveSetCr::new(ActiveSetCrSettings::default());
    let mut solution = ContactSolution::at_rest(&problem);
    let cold = solver.solve(&problem, &mut solution).expect("sound");
    let warm = solver.solve(&problem, &mut solution).expect("sound");
    assert!(cold.iterations > 1);
    assert_eq!(warm.iterations, 0);
}

/// A workspace used on larger and other problems gives the bits of a fresh one.
#[test]
fn workspaces_carry_nothing_over() {
    let mut used = ActiveSetCr::new(strict());
    for seed in [3, 1] {
        let mut larger = pressed_lattice(seed);
        for node in 4..8 {
            push(
                &mut larger,
                &oblique(),
                &[(node, 1.0)],
                Vector3::zeros(),
                0.3,
            );
        }
        used.solve(&larger, &mut ContactSolution::at_rest(&larger))
            .expect("sound");
        let problem = pressed_lattice(seed + 20);
        let mut with_used = ContactSolution::at_rest(&problem);
        let report = used.solve(&problem, &mut with_used).expect("sound");
        let (fresh, fresh_report) = solve(&problem, strict());
        assert_eq!(with_used, fresh);
        assert_eq!(report, fresh_report);
    }
}

#[test]
fn the_iteration_limit_is_kept_and_reported() {
    let problem = pressed_lattice(5);
    let settings = ActiveSetCrSettings {
        max_iterations: 3,
        ..strict()
    };
    let (solution, report) = solve(&problem, settings);
    assert_eq!(
        (report.termination, report.iterations),
        (Termination::MaxIterations, 3)
    );
    assert!(solution.velocity.iter().all(|v| v.is_finite()));
}

/// Overflow returns the warm start.
#[test]
fn overflow_is_a_breakdown_that_restores_the_start() {
    for settings in variants() {
        let mut problem = over_plane(1.0, Vector3::new(-1.0, 0.0, 0.0), Vector3::zeros(), 0.5);
        problem.rhs[0] = 1e300;
        let mut solution = ContactSolution::at_rest(&problem);
        solution.velocity[1] = 0.25;
        let before = solution.clone();
        let report = ActiveSetCr::new(settings)
            .solve(&problem, &mut solution)
            .expect("finite numbers");
        assert_eq!(report.termination, Termination::Breakdown);
        assert_eq!(solution, before);
    }
}

/// A trace has one row per iteration, with and without prediction.
#[test]
fn every_iteration_is_traced_once() {
    for settings in variants() {
        let problem = pressed_lattice(4);
        let mut solver = ActiveSetCr::new(settings);
        solver.record();
        let mut solution = ContactSolution::at_rest(&problem);
        let report = solver.solve(&problem, &mut solution).expect("sound");
        let traced: Vec<u64> = solver.trace().iter().map(|row| row.iteration).collect();
        let expected: Vec<u64> = (1..=report.iterations).collect();
        assert_eq!(traced, expected, "{settings:?}");
        let predicted = solver
            .trace()
            .iter()
            .filter(|row| row.phase == "prediction");
        assert_eq!(predicted.count() as u64, report.prediction_iterations);
    }
}
