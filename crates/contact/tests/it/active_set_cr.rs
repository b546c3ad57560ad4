//! The solver against closed forms, dense algebra and its own promises.

use super::support::lattice::Lattice;
use super::support::{TIME_STEP, dense_momentum, dense_rows, ground, oblique, particles, push};
use impinge_contact::method::active_set_cr::{
    ActiveSetCr, ActiveSetCrSettings, DirectionRule, DuplicateRule, EvaluationSchedule,
    PreconditionerKind, Tolerances,
};
use impinge_contact::{
    ContactProblem, ContactReport, ContactSolution, ContactSolver, ContactState, Multipliers,
    Termination, residual,
};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

const KINDS: [PreconditionerKind; 3] = [
    PreconditionerKind::Full,
    PreconditionerKind::FullBlocks,
    PreconditionerKind::Diagonal,
];
const RULES: [DuplicateRule; 2] = [DuplicateRule::Similarity, DuplicateRule::RowSum];
const SCHEDULES: [EvaluationSchedule; 3] = [
    EvaluationSchedule::Interval,
    EvaluationSchedule::Every,
    EvaluationSchedule::AtConvergence,
];

/// Every combination of the discrete settings, with tolerances that leave closed forms 1e-8 of their size.
fn variants() -> impl Iterator<Item = ActiveSetCrSettings> {
    KINDS.into_iter().flat_map(|preconditioner| {
        RULES.into_iter().flat_map(move |duplicates| {
            SCHEDULES.into_iter().flat_map(move |schedule| {
                [
                    (DirectionRule::Implicit, 0),
                    (DirectionRule::Damped, 0),
                    (DirectionRule::Implicit, 300),
                ]
                .map(|(direction_rule, anticipation)| ActiveSetCrSettings {
                    preconditioner,
                    duplicates,
                    schedule,
                    direction_rule,
                    anticipation,
                    ..strict()
                })
            })
        })
    })
}

fn strict() -> ActiveSetCrSettings {
    ActiveSetCrSettings {
        tolerances: Tolerances {
            momentum: 1e-11,
            gap: 1e-13,
            slip: 1e-13,
        },
        ..ActiveSetCrSettings::default()
    }
}

/// The same with hard rows and nothing before them, for what holds of the linear iteration itself: soft rows are solved
/// several times, each time about the forces of the last.
fn hard() -> ActiveSetCrSettings {
    ActiveSetCrSettings {
        softness: 0.0,
        anticipation: 0,
        ..strict()
    }
}

fn solve(
    problem: &ContactProblem,
    settings: ActiveSetCrSettings,
) -> (ContactSolution, ContactReport) {
    let mut solution = ContactSolution::at_rest(problem);
    let report = ActiveSetCr::new(settings)
        .solve(problem, &mut solution)
        .expect("a sound problem");
    (solution, report)
}

#[track_caller]
fn solved(
    problem: &ContactProblem,
    settings: ActiveSetCrSettings,
) -> (ContactSolution, ContactReport) {
    let (solution, report) = solve(problem, settings);
    assert_eq!(
        report.termination,
        Termination::Converged,
        "{settings:?} {report:?}"
    );
    (solution, report)
}

fn velocity(solution: &ContactSolution, block: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&solution.velocity[3 * block..3 * block + 3])
}

/// A particle over an oblique plane, its free velocity given in the frame `(n, t₁, t₂)`.
fn over_plane(
    mass: f64,
    free: Vector3<f64>,
    offset: Vector3<f64>,
    friction: f64,
) -> ContactProblem {
    let frame = oblique();
    let mut problem = particles(&[mass], &[frame.transpose() * free]);
    push(&mut problem, &frame, &[(0, 1.0)], offset, friction);
    problem
}

/// C1: `v_n = max(v*, c_n/Δt)`, `λ = m (v_n − v*)/Δt`; the tangential velocity is untouched without friction.
#[test]
fn a_particle_stops_at_the_safety_distance() {
    for settings in variants().flat_map(|soft| {
        [
            soft,
            ActiveSetCrSettings {
                softness: 0.0,
                ..soft
            },
        ]
    }) {
        for (mass, distance, falling) in [
            (0.3, 1e-4, -2.0),
            (7.0, 0.0, -0.5),
            (1.0, 5e-3, -2.0),
            (2.0, -1e-4, 0.0),
        ] {
            let offset = Vector3::new(2.5e-6 - distance, 0.0, 0.0);
            let free = Vector3::new(falling, 0.3, -0.1);
            let problem = over_plane(mass, free, offset, 0.0);
            let (solution, report) = solved(&problem, settings);
            let found = oblique() * velocity(&solution, 0);
            let expected = (offset.x / TIME_STEP).max(falling);
            assert!(
                (found.x - expected).abs() < 1e-10 * falling.abs().max(1.0),
                "{found} {expected}"
            );
            assert!((found - free).yz().norm() < 1e-10);
            let force = mass * (expected - falling) / TIME_STEP;
            assert!((solution.contacts[0].lambda - force).abs() < 1e-8 * force.max(1e-3));
            let hard = settings.softness < f64::MIN_POSITIVE && settings.anticipation == 0;
            if hard && settings.preconditioner != PreconditionerKind::Diagonal {
                assert!(report.iterations <= 3, "{report:?}");
            }
        }
    }
}

/// C2: a body pressed by `λ` and moving at `u` along the plane stops if `m u ≤ μ λ Δt`, else loses `μ λ Δt/m` along `u`.
#[test]
fn friction_stops_or_slows_along_the_motion() {
    let (mass, friction, falling) = (2.0, 0.4, -1.5);
    let capacity = friction * mass * -falling;
    for settings in variants() {
        for angle in [0.0, 0.4, 2.0, -2.9_f64] {
            let (sine, cosine) = angle.sin_cos();
            for part in [0.0, 0.2, 0.95, 1.05, 3.0, 40.0] {
                let speed = part * capacity / mass;
                let free = Vector3::new(falling, speed * cosine, speed * sine);
                let problem = over_plane(mass, free, Vector3::zeros(), friction);
                let (solution, _) = solved(&problem, settings);
                let found = oblique() * velocity(&solution, 0);
                let left = (speed - capacity / mass).max(0.0);
                assert!(found.x.abs() < 1e-9, "{settings:?}: {found}");
                let expected = left * nalgebra::Vector2::new(cosine, sine);
                assert!(
                    (found.yz() - expected).norm() < 1e-8,
                    "{settings:?} {part}: {found} {expected}"
                );
                let expected_state = if part > 1.0 {
                    ContactState::Sliding
                } else {
                    ContactState::Sticking
                };
                if part > 0.0 {
                    assert_eq!(solution.contacts[0].state, expected_state);
                }
            }
        }
    }
}

/// Rough contacts with an offset `c_t` end where nothing slipped, not where they started.
#[test]
fn sticking_returns_to_the_anchor() {
    for settings in variants() {
        let offset = Vector3::new(-1e-5, 3e-6, -2e-6);
        let problem = over_plane(1.0, Vector3::new(-1.0, 0.0, 0.0), offset, 5.0);
        let (solution, _) = solved(&problem, settings);
        let moved = TIME_STEP * (oblique() * velocity(&solution, 0));
        assert!((moved - offset).norm() < 1e-12, "{moved}");
    }
}

/// A weight on a slope: it rests up to `tan θ = μ` and accelerates at `g (sin θ − μ cos θ)` beyond.
#[test]
fn slope_threshold_and_acceleration() {
    let friction = 0.5;
    let gravity = 9.81;
    for slope in [0.3, 0.49, 0.51, 0.8_f64] {
        let (sine, cosine) = slope.atan().sin_cos();
        let mut solver = ActiveSetCr::new(strict());
        let mut moving = Vector3::zeros();
        let mut warm = ContactSolution::default();
        for _ in 0..50 {
            let pull = gravity * TIME_STEP * Vector3::new(sine, 0.0, -cosine);
            let mut problem = particles(&[3.0], &[moving + pull]);
            push(
                &mut problem,
                &ground(),
                &[(0, 1.0)],
                Vector3::zeros(),
                friction,
            );
            if warm.velocity.is_empty() {
                warm = ContactSolution::at_rest(&problem);
            }
            let report = solver.solve(&problem, &mut warm).expect("a sound problem");
            assert_eq!(report.termination, Termination::Converged);
            moving = velocity(&warm, 0);
        }
        let expected = (gravity * (sine - friction * cosine)).max(0.0) * 50.0 * TIME_STEP;
        assert!(
            (moving.x - expected).abs() < 1e-7,
            "tan {slope}: {moving} {expected}"
        );
        assert!(moving.yz().norm() < 1e-8);
    }
}

/// Two particles collide head on: the contact acts on both, in opposite directions and in proportion to the weights.
#[test]
fn two_bodies_share_the_impulse() {
    for settings in variants() {
        let mut problem = particles(
            &[1.0, 3.0],
            &[Vector3::new(0., 0., -2.0), Vector3::new(0., 0., 1.0)],
        );
        push(
            &mut problem,
            &ground(),
            &[(0, 1.0), (1, -1.0)],
            Vector3::zeros(),
            0.5,
        );
        let (solution, _) = solved(&problem, settings);
        let common = (1.0 * -2.0 + 3.0 * 1.0) / 4.0;
        assert!((velocity(&solution, 0).z - common).abs() < 1e-9);
        assert!((velocity(&solution, 1).z - common).abs() < 1e-9);
        assert!((solution.contacts[0].lambda - (common + 2.0) / TIME_STEP).abs() < 1e-5);
    }
}

/// Bodies on top of each other: each contact carries what lies above it.
#[test]
fn a_column_carries_its_weight() {
    let weight = 9.81e-3;
    for settings in variants() {
        let masses = [4.0, 2.0, 1.0, 0.5];
        let mut problem = particles(&masses, &[Vector3::new(0., 0., -weight); 4]);
        push(&mut problem, &ground(), &[(0, 1.0)], Vector3::zeros(), 0.5);
        for upper in 1..4 {
            push(
                &mut problem,
                &ground(),
                &[(upper, 1.0), (upper - 1, -1.0)],
                Vector3::zeros(),
                0.5,
            );
        }
        let (solution, _) = solved(&problem, settings);
        for (contact, above) in [7.5, 3.5, 1.5, 0.5].into_iter().enumerate() {
            assert!(
                (solution.contacts[contact].lambda - above * 9.81).abs() < 1e-5,
                "{settings:?}"
            );
        }
        assert!(solution.velocity.iter().all(|v| v.abs() < 1e-8));
    }
}

#[test]
fn without_contacts_it_is_a_linear_solver() {
    let lattice = Lattice::block([2, 2, 2], 0.02, 5e5, Vector3::zeros());
    let momentum = lattice.momentum(TIME_STEP);
    let rhs: Vec<f64> = (0..24).map(|i| f64::from(i).sin()).collect();
    let problem = ContactProblem::new(TIME_STEP, momentum, rhs.clone());
    let expected = dense_momentum(&problem)
        .cholesky()
        .expect("SPD")
        .solve(&DVector::from_vec(rhs));
    for settings in variants() {
        let (solution, _) = solved(&problem, settings);
        let error = (DVector::from_vec(solution.velocity) - &expected).norm();
        assert!(error < 1e-8 * expected.norm(), "{error:e}");
    }
}

#[test]
fn an_empty_problem_is_solved_at_once() {
    let problem = particles(&[], &[]);
    let (_, report) = solved(&problem, strict());
    assert_eq!(report.iterations, 0);
}

/// A start that is the solution already must not divide zero by zero.
#[test]
fn the_solution_itself_takes_no_iteration() {
    for settings in variants() {
        let problem = over_plane(1.0, Vector3::new(0.5, 0.2, 0.0), Vector3::zeros(), 0.5);
        let mut solution = ContactSolution::at_rest(&problem);
        solution.velocity.copy_from_slice(&problem.rhs);
        let report = ActiveSetCr::new(settings)
            .solve(&problem, &mut solution)
            .expect("sound");
        assert_eq!(
            (report.termination, report.iterations),
            (Termination::Converged, 0)
        );
    }
}

/// A lattice of eight nodes whose four lower ones are pushed up hard: all contacts stick and stay so.
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

/// `B` and the right-hand side with every row taking part (spec 1.3).
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

/// K1: with fixed states the iteration is a Krylov method and ends after as many steps as there are unknowns.
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

/// K2: `zᵀBz` is exactly zero in the first step when the momentum balance holds and a contact wakes up.
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

/// K4: with fixed states and the positive definite preconditioner `√(rᵀC⁻¹r)` never grows.
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
        assert!(
            (r.norm() - report.residual).abs() < 1e-9 * rhs.norm() + 1e-12,
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

/// K3: two walls close on a particle. Neither can be kept out; the violation is shared and reported.
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

        // Soft rows raise the opposing forces for ever: that must not pass for a solution.
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

/// The same point, constrained twice with offsets that contradict each other as equalities: as inequalities they do
/// not, and the stricter one holds.
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

/// Two anchors of one point contradict each other: it cannot stick to both.
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

/// C8: copies of a contact share its force and change nothing else.
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
    for duplicates in RULES {
        for preconditioner in KINDS {
            let settings = ActiveSetCrSettings {
                preconditioner,
                duplicates,
                direction_tolerance: 1e-4,
                tolerances: Tolerances {
                    momentum: 1e-7,
                    gap: 1e-9,
                    slip: 1e-9,
                },
                ..ActiveSetCrSettings::default()
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

/// A second solve from the solution has nothing to do, and a nearby one little.
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

/// A workspace that has seen larger and other problems gives the bits of a fresh one.
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

/// Numbers that overflow give the warm start back.
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

/// A trace has one row per iteration, anticipation or not.
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
        let anticipated = solver
            .trace()
            .iter()
            .filter(|row| row.phase == "anticipation");
        assert_eq!(anticipated.count() as u64, report.anticipations);
    }
}
