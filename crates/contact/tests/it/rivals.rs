//! Staggered projections, constraint anticipation and the plain active-set method, with the same residual and
//! references as the active-set conjugate residuals.

use super::agreement::{
    Allowance, Collision, Compared, collision, forces, momentum_error, tolerances,
};
use super::support::{cases, delassus, dense_momentum, energy_norm, ground, particles, push};
use impinge_contact::method::Method;
use impinge_contact::{
    ContactError, ContactProblem, ContactReport, ContactSolution, ContactState, FrictionLaw,
    Termination, residual_under,
};
use nalgebra::{DVector, Vector3};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

const RIVALS: [&str; 5] = [
    "active-set",
    "sp-active-set",
    "sp-2cr",
    "ica",
    "exact-compliance",
];

/// Rivals with both friction laws.
const BOTH_LAWS: [&str; 3] = ["sp-active-set", "sp-2cr", "ica"];

fn method(name: &str, tightening: f64, settings: &[(&str, &str)]) -> Method {
    let mut method = Method::named(name, tolerances(tightening)).expect("a method");
    for (key, value) in settings {
        method.set(key, value).expect("a setting");
    }
    method
}

fn solve(problem: &ContactProblem, method: &Method) -> (ContactSolution, ContactReport) {
    let mut solution = ContactSolution::at_rest(problem);
    let report = method
        .solver()
        .solve(problem, &mut solution)
        .expect("a sound problem");
    (solution, report)
}

/// The guarantee of "converged": the independent residual within tolerance.
#[track_caller]
fn assert_guarantee(
    problem: &ContactProblem,
    method: &Method,
    solution: &ContactSolution,
    report: &ContactReport,
) {
    assert_eq!(report.termination, Termination::Converged, "{method:?}");
    let judged = residual_under(method.friction_law(), problem, solution);
    let mut tolerances = method.tolerances();
    if report.relaxed {
        tolerances.slip = tolerances.slip.max(tolerances.gap);
    }
    assert!(judged.meets(&tolerances), "{method:?}: {judged:?}");
}

/// A particle on the ground with the start velocity `velocity` (m/s).
fn particle(velocity: Vector3<f64>, friction: f64) -> ContactProblem {
    let mut problem = particles(&[2.0], &[velocity]);
    push(
        &mut problem,
        &ground(),
        &[(0, 1.0)],
        Vector3::zeros(),
        friction,
    );
    problem
}

#[test]
fn a_slow_particle_is_stopped() {
    let problem = particle(Vector3::new(0.3, 0.0, -1.0), 0.5);
    for name in RIVALS {
        let method = method(name, 1.0, &[]);
        let (solution, report) = solve(&problem, &method);
        assert_guarantee(&problem, &method, &solution, &report);
        assert_eq!(solution.contacts[0].state, ContactState::Sticking, "{name}");
        assert!(
            solution.velocity.iter().all(|v| v.abs() < 5e-3),
            "{name}: {:?}",
            solution.velocity
        );
    }
}

/// Friction of `μ λ` along the slip: it removes `0.4 · 1 m/s` of the speed.
#[test]
fn a_fast_particle_has_the_largest_friction_of_the_cone() {
    let along: Vector3<f64> = Vector3::new(0.6, 0.8, 0.0);
    let problem = particle(along * 2.0 - Vector3::z(), 0.4);
    for name in RIVALS {
        let method = method(name, 100.0, &[]);
        let (solution, report) = solve(&problem, &method);
        assert_guarantee(&problem, &method, &solution, &report);
        let left = Vector3::from_column_slice(&solution.velocity);
        assert!((left - along * 1.6).norm() < 1e-4, "{name}: {left}");
        assert_eq!(solution.contacts[0].state, ContactState::Sliding, "{name}");
    }
}

/// Under the pyramid each component loses `μ λ`.
#[test]
fn a_fast_particle_has_the_largest_friction_of_the_pyramid() {
    let problem = particle(Vector3::new(1.2, 1.6, -1.0), 0.4);
    for name in BOTH_LAWS {
        let method = method(name, 100.0, &[("law", "pyramid")]);
        assert_eq!(method.friction_law(), FrictionLaw::Pyramid);
        let (solution, report) = solve(&problem, &method);
        assert_guarantee(&problem, &method, &solution, &report);
        let left = Vector3::from_column_slice(&solution.velocity);
        let expected = Vector3::new(0.8, 1.2, 0.0);
        assert!((left - expected).norm() < 1e-4, "{name}: {left}");
    }
}

#[test]
fn a_particle_that_leaves_is_let_go() {
    let problem = particle(Vector3::new(0.3, 0.0, 1.0), 0.5);
    for name in RIVALS {
        let method = method(name, 1.0, &[]);
        let mut solution = ContactSolution::at_rest(&problem);
        // The warm start has the contact sticking.
        solution.contacts[0].state = ContactState::Sticking;
        solution.contacts[0].lambda = 100.0;
        solution.contacts[0].gamma = [20.0, -10.0];
        let report = method
            .solver()
            .solve(&problem, &mut solution)
            .expect("a sound problem");
        assert_guarantee(&problem, &method, &solution, &report);
        let left = Vector3::from_column_slice(&solution.velocity);
        assert!(
            (left - Vector3::new(0.3, 0.0, 1.0)).norm() < 1e-3,
            "{name}: {left}"
        );
    }
}

#[test]
fn a_problem_without_contacts_is_a_linear_one() {
    let problem = particles(&[2.0, 3.0], &[Vector3::x(), Vector3::y()]);
    for name in RIVALS {
        let method = method(name, 1.0, &[]);
        let (solution, report) = solve(&problem, &method);
        assert_guarantee(&problem, &method, &solution, &report);
    }
}

/// The agreement tests below skip unconverged solves, so most must converge.
#[test]
fn most_frictional_collisions_converge() {
    let cases_each = 30;
    let mut runner = TestRunner::new(cases(cases_each));
    let unconverged = std::cell::RefCell::new([0_u32; RIVALS.len()]);
    runner
        .run(&collision(), |collision: Collision| {
            let problem = collision.problem(0.5);
            for (name, count) in RIVALS.iter().zip(unconverged.borrow_mut().iter_mut()) {
                let (_, report) = solve(&problem, &method(name, 10.0, &[]));
                *count += u32::from(report.termination != Termination::Converged);
            }
            Ok(())
        })
        .expect("no assertion");
    let unconverged = unconverged.into_inner();
    assert!(
        unconverged.iter().all(|&count| count <= cases_each / 5),
        "{RIVALS:?}: {unconverged:?} of {cases_each}"
    );
}

/// At the iteration limit the outcome says so, and the solution is no worse than the start.
#[test]
fn failure_is_an_outcome_with_the_best_iterate() {
    let mut runner = TestRunner::new(cases(10));
    runner
        .run(&collision(), |collision: Collision| {
            let problem = collision.problem(0.5);
            for name in RIVALS {
                let method = method(name, 100.0, &[("max_iterations", "2")]);
                let (solution, report) = solve(&problem, &method);
                let judged = residual_under(method.friction_law(), &problem, &solution);
                if report.termination == Termination::Converged {
                    prop_assert!(judged.meets(&method.tolerances()), "{name}: {judged:?}");
                } else {
                    prop_assert_eq!(report.termination, Termination::MaxIterations, "{}", name);
                    prop_assert!(judged.momentum.is_finite() && judged.normal.is_finite());
                }
            }
            Ok(())
        })
        .expect("no method claims what it did not reach");
}

#[test]
fn settings_out_of_range_are_refused() {
    let problem = particle(Vector3::zeros(), 0.5);
    for (name, key, value) in [
        ("sp-active-set", "tolerances.gap", "0"),
        ("sp-2cr", "forcing", "1"),
        ("sp-2cr", "max_iterations", "0"),
        ("ica", "tolerances.momentum", "-1"),
        ("ica", "max_sweeps", "0"),
        ("exact-compliance", "max_sweeps", "0"),
    ] {
        let method = method(name, 1.0, &[(key, value)]);
        let mut solution = ContactSolution::at_rest(&problem);
        let refused = method.solver().solve(&problem, &mut solution);
        assert!(
            matches!(refused, Err(ContactError::Setting { name, .. }) if name == key),
            "{refused:?}"
        );
        assert_eq!(solution, ContactSolution::at_rest(&problem));
    }
}

#[test]
fn a_warm_start_of_another_problem_is_refused() {
    let problem = particle(Vector3::zeros(), 0.5);
    for name in RIVALS {
        let mut solution = ContactSolution::default();
        let refused = method(name, 1.0, &[])
            .solver()
            .solve(&problem, &mut solution);
        assert!(
            matches!(refused, Err(ContactError::WarmStartMismatch { .. })),
            "{refused:?}"
        );
    }
}

proptest! {
    #![proptest_config(cases(30))]

    /// Without friction the velocity is unique, and every method finds it.
    #[test]
    fn frictionless_velocity_is_the_reference(collision in collision()) {
        let problem = collision.problem(0.0);
        let momentum = dense_momentum(&problem);
        let reference = delassus::solve(&problem, 20_000, 1e-11);
        prop_assert!(reference.settled < 1e-8, "{:e}", reference.settled);
        for name in RIVALS {
            let method = method(name, 10.0, &[]);
            let (solution, report) = solve(&problem, &method);
            assert_guarantee(&problem, &method, &solution, &report);
            let velocity = DVector::from_column_slice(&solution.velocity);
            let found = forces(&solution);
            let off = energy_norm(&momentum, &(&velocity - &reference.velocity));
            let normal_forces: f64 = found.iter().chain(&reference.forces).step_by(3).map(|f| f.abs()).sum();
            let allowed = momentum_error(&problem, &momentum, &velocity, &found)
                + (4.0 * method.tolerances().gap * normal_forces).sqrt();
            prop_assert!(off <= allowed + 1e-7, "{name}: {off:e} where {allowed:e} is allowed");
        }
    }

    /// The guarantee holds under the pyramid too.
    #[test]
    fn pyramid_answers_obey_the_pyramid(collision in collision(), friction in prop::sample::select(vec![0.3, 0.8])) {
        let problem = collision.problem(friction);
        for name in BOTH_LAWS {
            let method = method(name, 1.0, &[("law", "pyramid")]);
            let (solution, report) = solve(&problem, &method);
            if report.termination != Termination::MaxIterations {
                assert_guarantee(&problem, &method, &solution, &report);
            }
        }
    }
}

/// Compares every solution of `names` to collisions with the reference under their law; "converged" implies the
/// guarantee.
#[track_caller]
fn compare_with_the_reference(names: &[&str], settings: &[(&str, &str)]) {
    let compared = Compared::default();
    let friction = prop::sample::select(vec![0.2, 0.5, 0.9]);
    let mut runner = TestRunner::new(cases(30));
    runner
        .run(&(collision(), friction), |(collision, friction)| {
            let problem = collision.problem(friction);
            let law = method(names[0], 10.0, settings).friction_law();
            let reference = delassus::solve_under(law, &problem, 5_000, 1e-11);
            for name in names {
                let method = method(name, 10.0, settings);
                let (solution, report) = solve(&problem, &method);
                // Neither the alternation nor a plain active-set method must converge; they then report that.
                if report.termination == Termination::MaxIterations {
                    compared.skip();
                    continue;
                }
                assert_guarantee(&problem, &method, &solution, &report);
                let gap = method.tolerances().gap;
                let within = compared.compare(
                    &problem,
                    &reference,
                    &solution,
                    Allowance { gap, part: 0.02 },
                );
                prop_assert!(within.is_ok(), "{name}: {within:?}");
            }
            Ok(())
        })
        .expect("velocities near the reference");
    compared.assert_most();
}

/// With friction within a share of the velocity change.
#[test]
fn frictional_velocity_is_near_the_reference() {
    compare_with_the_reference(&RIVALS, &[]);
}

/// Under the pyramid too, against a reference that projects on it.
#[test]
fn pyramid_velocity_is_near_the_reference() {
    compare_with_the_reference(&BOTH_LAWS, &[("law", "pyramid")]);
}
