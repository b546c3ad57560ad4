//! The independent residual against numbers computed by hand.

use impinge_contact::delassus::{BlockRows, FrictionProblem, friction_residual};
use nalgebra::{Matrix3, Vector3};

fn problem(compliance: f64, q: Vector3<f64>, mu: f64) -> FrictionProblem {
    let w = Matrix3::from_diagonal_element(compliance);
    let blocks = BlockRows::from_triplets(1, vec![(0, 0, w)]).expect("one block");
    FrictionProblem::new("one", blocks, vec![q], vec![mu]).expect("sound")
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), "{a} is not {b}");
}

#[test]
fn a_solution_has_no_defect() {
    let problem = problem(0.5, Vector3::new(-2.0, 3.0, 4.0), 0.5);
    let judged = friction_residual(&problem, &[Vector3::new(4.0, -1.2, -1.6)]);
    assert!(judged.worst_error() < 1e-15 && judged.dissipation < 1e-15 && judged.cone < 1e-15);
}

#[test]
fn doing_nothing_penetrates() {
    // r = 0, u = q = (−2, 0, 0): the natural map is −P_K(2, 0, 0), of length 2, and 2/2 with the largest norm.
    let problem = problem(0.5, Vector3::new(-2.0, 0.0, 0.0), 0.5);
    let judged = friction_residual(&problem, &[Vector3::zeros()]);
    near(judged.natural_map, 2.0);
    near(judged.siconos_error, 1.0);
    near(judged.penetration, 1.0);
    // No reaction to compare with: the scaled map itself, 2 steps of 2.
    near(judged.scaled_error, 4.0);
}

#[test]
fn each_defect_shows_in_its_own_number() {
    let sliding = problem(0.5, Vector3::new(-2.0, 3.0, 4.0), 0.5);
    // Twice the friction of the cone: R = 4, ‖r_T‖ − μ r_N = 2.
    let outside = friction_residual(&sliding, &[Vector3::new(4.0, -2.4, -3.2)]);
    near(outside.cone, 0.5);
    // Friction across the motion dissipates nothing: the error is μ r_N ‖u_T‖ of R Q = 4·4, u_T = (3, 4) + (−0.8, 0.6).
    let across = friction_residual(&sliding, &[Vector3::new(4.0, -1.6, 1.2)]);
    near(across.cone, 0.0);
    let u_t = nalgebra::Vector2::new(2.2, 4.6);
    near(
        across.dissipation,
        (2.0 * u_t.norm() - 1.6 * 2.2 + 1.2 * 4.6) / 16.0,
    );
    // A force although it separates: u_N = −2 + 0.5·8 = 2, R = 8, Q = 2.
    let pushed = friction_residual(
        &problem(0.5, Vector3::new(-2.0, 0.0, 0.0), 0.5),
        &[Vector3::new(8.0, 0.0, 0.0)],
    );
    near(pushed.complementarity, 1.0);
}

#[test]
fn nan_never_passes() {
    let problem = problem(0.5, Vector3::new(-2.0, 3.0, 4.0), 0.5);
    for axis in 0..3 {
        let mut r = Vector3::new(4.0, -1.2, -1.6);
        r[axis] = f64::NAN;
        let worst = friction_residual(&problem, &[r]).worst_error();
        assert!(worst.is_nan(), "{worst}");
    }
}

/// Symptom: a separating frictionless contact with zero tangential motion counted as penetrating, so no method could
/// end. Cause: with `μ = 0` the test `‖x_T‖ ≤ μ x_N` reads `0 ≤ −0` for a negative `x_N`, inside the cone.
#[test]
fn separating_without_friction_is_no_defect() {
    let problem = problem(0.5, Vector3::new(2.0, 0.0, 0.0), 0.0);
    let judged = friction_residual(&problem, &[Vector3::zeros()]);
    near(judged.natural_map, 0.0);
    near(judged.scaled_error, 0.0);
}

/// Sufficiently large forces make both errors small, whatever the contacts do.
#[test]
fn gross_errors_are_no_solution() {
    let block = |row, column, sign: f64| (row, column, Matrix3::from_diagonal_element(sign));
    let blocks = vec![
        block(0, 0, 1.0),
        block(0, 1, -1.0),
        block(1, 0, -1.0),
        block(1, 1, 1.0),
    ];
    let opposed = FrictionProblem::new(
        "opposed",
        BlockRows::from_triplets(2, blocks).expect("four blocks"),
        vec![Vector3::new(-1.0, 0.0, 0.0); 2],
        vec![0.0; 2],
    )
    .expect("sound");
    let judged = friction_residual(&opposed, &[Vector3::new(1e12, 0.0, 0.0); 2]);
    assert!(judged.worst_error() < 1e-11, "{judged:?}");
    near(judged.penetration, 1.0);
    assert!(judged.is_gross(1e-8) && !judged.is_answer(1e-8));
    let solved = friction_residual(
        &problem(0.5, Vector3::new(-2.0, 3.0, 4.0), 0.5),
        &[Vector3::new(4.0, -1.2, -1.6)],
    );
    assert!(solved.is_answer(1e-8) && !solved.is_answer(-1.0));
    let mut lost = solved;
    lost.penetration = f64::NAN;
    assert!(lost.is_gross(1e-8));
    let mut coarse = solved;
    coarse.penetration = 5e-3;
    assert!(coarse.is_answer(1e-2) && !coarse.is_answer(1e-3));
}
