//! The methods on random problems, many of them rank deficient, under the independent residual.

use super::{blocks_of, pile};
use crate::support::cases;
use impinge_contact::delassus::{
    FrictionMethod, FrictionProblem, FrictionReport, Target, friction_residual,
};
use nalgebra::{DMatrix, Vector3};
use proptest::prelude::*;

fn solve(
    method: FrictionMethod,
    problem: &FrictionProblem,
    tolerance: f64,
) -> (Vec<Vector3<f64>>, FrictionReport) {
    let mut reactions = vec![Vector3::zeros(); problem.contacts()];
    let report = method
        .solver()
        .solve(problem, &mut reactions, &Target { tolerance })
        .expect("a sound problem");
    (reactions, report)
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn auto_solves_piles_and_says_the_truth(problem in pile()) {
        let (reactions, report) = solve(FrictionMethod::Auto, &problem, 1e-9);
        let judged = friction_residual(&problem, &reactions);
        prop_assert!(report.converged, "{report:?}");
        prop_assert!(judged.worst_error() <= 1.01e-9, "{judged:?}");
        prop_assert!(judged.cone < 1e-8 && judged.penetration < 1e-7, "{judged:?}");
    }

    #[test]
    fn every_method_tells_the_error_that_the_judge_finds(problem in pile()) {
        for method in [
            FrictionMethod::ProjectedGaussSeidel,
            FrictionMethod::Newton,
            FrictionMethod::Admm,
        ] {
            let (reactions, report) = solve(method, &problem, 1e-6);
            let judged = friction_residual(&problem, &reactions).worst_error();
            prop_assert!((judged - report.error).abs() <= 1e-12 + 1e-6 * judged, "{method:?}");
            prop_assert_eq!(report.converged, report.error <= 1e-6);
        }
    }

    #[test]
    fn the_same_problem_gives_the_same_bits_and_a_solution_is_kept(problem in pile()) {
        let (reactions, _) = solve(FrictionMethod::Auto, &problem, 1e-9);
        prop_assert_eq!(&reactions, &solve(FrictionMethod::Auto, &problem, 1e-9).0);
        let mut again = reactions.clone();
        let report = FrictionMethod::Auto
            .solver()
            .solve(&problem, &mut again, &Target { tolerance: 1e-9 })
            .expect("sound");
        prop_assert_eq!(report.iterations(), 0);
        prop_assert_eq!(again, reactions);
    }
}

/// A particle on four coinciding contacts: nine of twelve equations are redundant.
#[test]
fn redundant_contacts_share_the_force_of_one() {
    let one = DMatrix::from_fn(3, 12, |i, k| if k % 3 == i { 1.0 } else { 0.0 });
    let w = one.transpose() * &one * 0.5;
    let q = vec![Vector3::new(-2.0, 3.0, 4.0); 4];
    let problem = FrictionProblem::new("four", blocks_of(&w), q, vec![0.5; 4]).expect("sound");
    for method in FrictionMethod::ALL {
        let (reactions, report) = solve(method, &problem, 1e-10);
        assert!(report.converged, "{method:?}: {report:?}");
        let sum: Vector3<f64> = reactions.iter().sum();
        assert!(
            (sum - Vector3::new(4.0, -1.2, -1.6)).norm() < 1e-8,
            "{method:?}"
        );
    }
}

/// Without friction the problem is a linear complementarity problem of `W_NN`: compared with an enumeration of its
/// states.
#[test]
fn without_friction_all_methods_find_the_enumerated_solution() {
    let j = DMatrix::from_fn(9, 9, |i, k| {
        let mixed = f64::from(u32::try_from((7 * i + 3 * k) % 11).expect("small"));
        if i == k { 3.0 } else { 0.1 * (mixed - 5.0) }
    });
    let w = &j * j.transpose();
    let q = vec![
        Vector3::new(-1.0, 0.3, 0.0),
        Vector3::new(0.5, 0.0, 1.0),
        Vector3::new(-2.0, 0.0, 0.2),
    ];
    let problem = FrictionProblem::new("lcp", blocks_of(&w), q.clone(), vec![0.0; 3]).expect("ok");
    let normal = DMatrix::from_fn(3, 3, |i, k| w[(3 * i, 3 * k)]);
    let mut solutions = Vec::new();
    for closed in 0..8_usize {
        let list: Vec<usize> = (0..3).filter(|i| closed >> i & 1 == 1).collect();
        let sub = DMatrix::from_fn(list.len(), list.len(), |a, b| normal[(list[a], list[b])]);
        let rhs = nalgebra::DVector::from_fn(list.len(), |a, _| -q[list[a]].x);
        let part = if list.is_empty() {
            rhs
        } else {
            sub.lu().solve(&rhs).expect("positive definite")
        };
        let mut r = nalgebra::DVector::zeros(3);
        for (a, &i) in list.iter().enumerate() {
            r[i] = part[a];
        }
        let u = &normal * &r + nalgebra::DVector::from_fn(3, |i, _| q[i].x);
        if r.min() >= 0.0 && u.min() >= -1e-12 {
            solutions.push(r);
        }
    }
    assert_eq!(solutions.len(), 1, "W_NN is positive definite");
    for method in FrictionMethod::ALL {
        let (reactions, report) = solve(method, &problem, 1e-11);
        assert!(report.converged, "{method:?}: {report:?}");
        for (r, expected) in reactions.iter().zip(solutions[0].iter()) {
            assert!((r.x - expected).abs() < 1e-9, "{method:?}");
            assert!(r.yz().norm() < 1e-12, "{method:?}");
        }
    }
}

/// Symptom: Newton's method never ended if squares of velocities overflow. Cause: with an infinite error every inner
/// problem counts as converged at once, and the error as halved. Law: every method ends; Newton reports failure.
#[test]
fn numbers_whose_squares_overflow_end_every_method() {
    let w = DMatrix::from_fn(6, 6, |i, k| match (i == k, i % 3 == k % 3) {
        (true, _) => 2.0,
        (false, true) => 0.7,
        (false, false) => 0.1,
    });
    let q = vec![
        Vector3::new(-1e200, 3e199, 0.0),
        Vector3::new(-2e200, 0.0, 1e200),
    ];
    let problem = FrictionProblem::new("huge", blocks_of(&w), q, vec![0.5; 2]).expect("finite");
    for method in FrictionMethod::ALL {
        let (_, report) = solve(method, &problem, 1e-8);
        assert_eq!(report.converged, report.error <= 1e-8, "{report:?}");
    }
    let (reactions, report) = solve(FrictionMethod::Newton, &problem, 1e-8);
    assert!(
        !report.converged && report.error.is_infinite(),
        "{report:?}"
    );
    assert_eq!(reactions, vec![Vector3::zeros(); 2]);
}
