//! Invalid input is rejected with its place.

use super::support::{TIME_STEP, ground, particles, push};
use impinge_contact::Tolerances;
use impinge_contact::method::active_set_cr::{ActiveSetCr, ActiveSetCrSettings};
use impinge_contact::{ContactError, ContactProblem, ContactRow, ContactSolution, ContactSolver};
use nalgebra::{Matrix3, Vector3};

fn one_contact() -> ContactProblem {
    let mut problem = particles(&[1.0, 2.0], &[Vector3::zeros(); 2]);
    push(
        &mut problem,
        &ground(),
        &[(0, 1.0), (1, -1.0)],
        Vector3::zeros(),
        0.5,
    );
    problem
}

/// The solver must reject with the same error and leave the solution unchanged.
#[track_caller]
fn assert_refused(problem: &ContactProblem, expected: &ContactError) {
    assert_eq!(problem.validate().as_ref(), Err(expected));
    let mut solution = ContactSolution::at_rest(problem);
    solution.velocity[0] = 42.0;
    let before = solution.clone();
    let refused = ActiveSetCr::default().solve(problem, &mut solution);
    assert_eq!(refused.as_ref(), Err(expected));
    assert_eq!(solution, before);
}

#[test]
fn a_sound_problem_is_accepted() {
    assert_eq!(one_contact().validate(), Ok(()));
}

#[test]
fn right_hand_sides_must_be_finite() {
    let mut problem = one_contact();
    problem.rhs[4] = f64::INFINITY;
    let (what, index) = ("right-hand side entry", 4);
    assert_refused(&problem, &ContactError::NotFinite { what, index });
}

#[test]
fn momentum_blocks_must_be_finite() {
    let mut problem = one_contact();
    problem.momentum.values_mut()[1][(0, 2)] = f64::NEG_INFINITY;
    let (what, index) = ("momentum block", 1);
    assert_refused(&problem, &ContactError::NotFinite { what, index });
}

#[test]
fn every_node_needs_mass() {
    for value in [0.0, -3.0] {
        let mut problem = one_contact();
        problem.momentum.diagonal_block_mut(1)[(1, 1)] = value;
        assert_refused(
            &problem,
            &ContactError::SingularMomentum { index: 4, value },
        );
    }
}

#[test]
fn diagonal_blocks_must_be_symmetric() {
    let mut problem = one_contact();
    let block = problem.momentum.diagonal_block_mut(1);
    // Rounding of sums is no asymmetry.
    block[(0, 2)] += 1e-14 * block.amax();
    assert!(problem.validate().is_ok());
    let difference = 0.25;
    let block = problem.momentum.diagonal_block_mut(1);
    block[(0, 2)] = block[(2, 0)] + difference;
    assert_refused(
        &problem,
        &ContactError::AsymmetricMomentum {
            block: 1,
            difference,
        },
    );
}

#[test]
fn row_blocks_and_offsets_must_be_finite() {
    let mut problem = one_contact();
    push(
        &mut problem,
        &Matrix3::repeat(f64::INFINITY),
        &[(0, 1.0)],
        Vector3::zeros(),
        0.5,
    );
    let (what, index) = ("row block of contact", 1);
    assert_refused(&problem, &ContactError::NotFinite { what, index });

    let mut problem = one_contact();
    let offset = Vector3::new(0.0, f64::INFINITY, 0.0);
    push(&mut problem, &ground(), &[(0, 1.0)], offset, 0.5);
    let (what, index) = ("offset of contact", 1);
    assert_refused(&problem, &ContactError::NotFinite { what, index });
}

#[test]
fn friction_must_be_a_number_and_not_negative() {
    for value in [-0.1, f64::INFINITY] {
        let mut problem = one_contact();
        push(
            &mut problem,
            &ground(),
            &[(0, 1.0)],
            Vector3::zeros(),
            value,
        );
        assert_refused(
            &problem,
            &ContactError::NegativeFriction { contact: 1, value },
        );
    }
}

#[test]
fn contacts_must_touch_something_free() {
    let mut problem = one_contact();
    problem.push(&ContactRow {
        entries: &[],
        offset: Vector3::zeros(),
        friction: 0.0,
    });
    assert_refused(&problem, &ContactError::EmptyRow { contact: 1 });
    // Zero rows cannot be resolved either.
    let mut problem = one_contact();
    push(
        &mut problem,
        &Matrix3::zeros(),
        &[(0, 1.0)],
        Vector3::zeros(),
        0.5,
    );
    assert_refused(&problem, &ContactError::EmptyRow { contact: 1 });
}

#[test]
fn time_steps_must_be_positive() {
    for time_step in [0.0, -1e-3, f64::INFINITY] {
        let mut problem = one_contact();
        problem.time_step = time_step;
        assert!(problem.validate().is_err(), "{time_step} was accepted");
    }
}

#[test]
fn right_hand_sides_must_keep_their_length() {
    let mut problem = one_contact();
    problem.rhs.pop();
    assert!(problem.validate().is_err());
}

#[test]
fn a_warm_start_must_fit() {
    let problem = one_contact();
    let mut solver = ActiveSetCr::default();
    let mut solution = ContactSolution::at_rest(&problem);
    solution.velocity.pop();
    let (what, found, expected) = ("velocities", 5, 6);
    assert_eq!(
        solver.solve(&problem, &mut solution),
        Err(ContactError::WarmStartMismatch {
            what,
            found,
            expected
        })
    );
    let mut solution = ContactSolution::at_rest(&problem);
    solution.contacts.clear();
    let (what, found, expected) = ("contacts", 0, 1);
    assert_eq!(
        solver.solve(&problem, &mut solution),
        Err(ContactError::WarmStartMismatch {
            what,
            found,
            expected
        })
    );
}

#[test]
fn settings_are_checked() {
    let good = ActiveSetCrSettings::default();
    let tolerances = good.tolerances;
    let bad = [
        (
            "tolerances.momentum",
            ActiveSetCrSettings {
                tolerances: Tolerances {
                    momentum: 0.0,
                    ..tolerances
                },
                ..good
            },
        ),
        (
            "tolerances.gap",
            ActiveSetCrSettings {
                tolerances: Tolerances {
                    gap: f64::NAN,
                    ..tolerances
                },
                ..good
            },
        ),
        (
            "tolerances.slip",
            ActiveSetCrSettings {
                tolerances: Tolerances {
                    slip: -1.0,
                    ..tolerances
                },
                ..good
            },
        ),
        (
            "direction_tolerance",
            ActiveSetCrSettings {
                direction_tolerance: 0.0,
                ..good
            },
        ),
        (
            "direction_step",
            ActiveSetCrSettings {
                direction_step: 1.5,
                ..good
            },
        ),
        (
            "max_iterations",
            ActiveSetCrSettings {
                max_iterations: 0,
                ..good
            },
        ),
        (
            "refresh_interval",
            ActiveSetCrSettings {
                refresh_interval: 0,
                ..good
            },
        ),
    ];
    let problem = one_contact();
    for (field, settings) in bad {
        let mut solution = ContactSolution::at_rest(&problem);
        let refused = ActiveSetCr::new(settings).solve(&problem, &mut solution);
        assert!(
            matches!(refused, Err(ContactError::Setting { name, .. }) if name == field),
            "{field}: {refused:?}"
        );
    }
}

#[test]
fn errors_name_a_remedy() {
    let refusal = ContactError::NegativeFriction {
        contact: 3,
        value: -0.5,
    };
    assert_eq!(
        refusal.to_string(),
        "contact 3 has the friction coefficient -0.5; give a finite number that is at least 0"
    );
}

#[test]
#[should_panic(expected = "block 7 is outside the momentum matrix")]
fn rows_name_existing_blocks() {
    push(
        &mut one_contact(),
        &ground(),
        &[(7, 1.0)],
        Vector3::zeros(),
        0.0,
    );
}

#[test]
#[should_panic(expected = "one right-hand side entry per scalar unknown")]
fn right_hand_sides_have_three_entries_per_block() {
    let momentum = one_contact().momentum;
    let _ = ContactProblem::new(TIME_STEP, momentum, vec![0.0; 5]);
}

#[test]
fn contacts_come_back_as_they_were_pushed() {
    let mut problem = one_contact();
    let offset = Vector3::new(1.0, 2.0, 3.0);
    let index = push(&mut problem, &ground(), &[(1, 0.25)], offset, 0.7);
    assert_eq!((index, problem.contacts()), (1, 2));
    assert_eq!(problem.offset(1), offset);
    assert!((problem.friction(1) - 0.7).abs() < 1e-15);
    let (blocks, jacobians) = problem.row(1);
    assert_eq!(blocks, [1]);
    assert_eq!(jacobians, [ground() * (0.25 * TIME_STEP)]);
    problem.clear_contacts();
    assert_eq!(problem.contacts(), 0);
    assert_eq!(
        push(&mut problem, &ground(), &[(0, 1.0)], offset, 0.0),
        0,
        "indices start anew"
    );
    assert_eq!(problem.row(0).0, [0]);
}
