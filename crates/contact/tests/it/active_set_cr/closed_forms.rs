//! Problems with known solutions: particles, slopes, columns, no contacts.

use super::super::support::lattice::Lattice;
use super::super::support::{TIME_STEP, dense_momentum, ground, oblique, particles, push};
use super::{over_plane, solved, strict, variants, velocity};
use impinge_contact::method::active_set_cr::{
    ActiveSetCr, ActiveSetCrSettings, PreconditionerKind,
};
use impinge_contact::{ContactProblem, ContactSolution, ContactSolver, ContactState, Termination};
use nalgebra::{DVector, Vector3};

/// `v_n = max(v*, c_n/Δt)`, `λ = m (v_n − v*)/Δt`; without friction the tangential velocity is unchanged.
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
            let hard = settings.softness < f64::MIN_POSITIVE && !settings.prediction;
            if hard && settings.preconditioner != PreconditionerKind::Diagonal {
                assert!(report.iterations <= 3, "{report:?}");
            }
        }
    }
}

/// A body under a normal force `λ` with tangential velocity `u` stops if `m u ≤ μ λ Δt`, else loses `μ λ Δt/m` along
/// `u`.
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

/// Sticking contacts with an offset `c_t` end at the position without slip, not at the start.
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

/// A weight on a slope rests up to `tan θ = μ` and accelerates at `g (sin θ − μ cos θ)` beyond.
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

/// Two particles collide head on: opposite forces act on both, in proportion to the weights.
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

/// Stacked bodies: each contact carries the weight above it.
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

/// A warm start that is already the solution must not divide zero by zero.
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
