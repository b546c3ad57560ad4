//! Problems that are rejected before a solve.

use impinge_contact::delassus::{
    BlockRows, FrictionError, FrictionMethod, FrictionProblem, Target,
};
use nalgebra::{Matrix3, Vector3};

fn two() -> Vec<(usize, usize, Matrix3<f64>)> {
    let one = Matrix3::identity();
    vec![
        (0, 0, 2.0 * one),
        (0, 1, one),
        (1, 0, one),
        (1, 1, 2.0 * one),
    ]
}

fn build(
    triplets: Vec<(usize, usize, Matrix3<f64>)>,
    q: Vec<Vector3<f64>>,
    mu: Vec<f64>,
) -> Result<FrictionProblem, FrictionError> {
    FrictionProblem::new("two", BlockRows::from_triplets(2, triplets)?, q, mu)
}

fn message(result: Result<FrictionProblem, FrictionError>) -> String {
    result.expect_err("unusable").to_string()
}

#[test]
fn every_defect_is_named_with_its_place_and_mend() {
    let q = vec![Vector3::new(-1.0, 0.0, 0.0); 2];
    let mu = vec![0.5; 2];
    assert!(build(two(), q.clone(), mu.clone()).is_ok());

    let negative = message(build(two(), q.clone(), vec![0.5, -0.1]));
    assert_eq!(
        negative,
        "contact 1 has the friction coefficient -0.1; give a finite number that is at least 0"
    );
    let not_a_number = message(build(two(), q.clone(), vec![f64::NAN, 0.5]));
    assert!(not_a_number.starts_with("contact 0 has the friction coefficient NaN"));

    let mut infinite = q.clone();
    infinite[1].z = f64::INFINITY;
    assert_eq!(
        message(build(two(), infinite, mu.clone())),
        "q of contact 1 is inf, not finite; check the program that wrote the problem"
    );
    let mut broken = two();
    broken[2].2.m21 = f64::NAN;
    assert_eq!(
        message(build(broken, q.clone(), mu.clone())),
        "W in the row of contact 1 is NaN, not finite; check the program that wrote the problem"
    );

    assert_eq!(
        message(build(two(), q[..1].to_vec(), mu.clone())),
        "q has 1 entries where 2 are needed"
    );
    let small = BlockRows::from_triplets(1, two()[..1].to_vec()).expect("one block");
    assert_eq!(
        message(FrictionProblem::new("x", small, q.clone(), mu.clone())),
        "W has 1 entries where 2 are needed"
    );

    let mut skew = two();
    skew[1].2.m12 = 0.5;
    assert_eq!(
        message(build(skew, q.clone(), mu.clone())),
        "W is not symmetric: blocks (0, 1) and (1, 0) differ by 5e-1 where the largest entry of W is 2e0; give \
         W = Hᵀ M⁻¹ H with the same H on both sides"
    );
    let mut triangle = two();
    triangle.remove(2);
    assert!(message(build(triangle, q.clone(), mu.clone())).starts_with("W is not symmetric"));

    let mut fixed = two();
    fixed[0].2.m11 = 0.0;
    assert!(message(build(fixed, q.clone(), mu.clone())).contains("leave out contacts"));
    let mut indefinite = two();
    indefinite[3].2.m33 = -1.0;
    assert!(message(build(indefinite, q, mu)).contains("contact 1 is -1e0, negative"));
}

#[test]
fn rounding_of_a_stored_matrix_passes_and_is_kept() {
    let mut rounded = two();
    rounded[1].2.m11 *= 1.0 + 1e-3;
    let problem = build(rounded, vec![Vector3::zeros(); 2], vec![0.5; 2]).expect("rounded only");
    let w = problem.delassus();
    assert!((w.row(0).1[1].m11 - w.row(1).1[0].m11).abs() > 5e-4);
}

#[test]
fn methods_refuse_useless_targets_and_starts_and_leave_them_alone() {
    let problem = build(two(), vec![-Vector3::x(); 2], vec![0.5; 2]).expect("sound");
    for method in FrictionMethod::ALL {
        let mut solver = method.solver();
        let mut start = vec![Vector3::new(7.0, 0.0, 0.0); 2];
        for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = solver.solve(&problem, &mut start, &Target { tolerance });
            assert!(matches!(error, Err(FrictionError::Setting { .. })));
        }
        let target = Target { tolerance: 1e-8 };
        let short = solver.solve(&problem, &mut start[..1], &target);
        assert!(matches!(short, Err(FrictionError::Size { .. })));
        let mut bad = [Vector3::zeros(), Vector3::new(0.0, f64::NAN, 0.0)];
        let error = solver.solve(&problem, &mut bad, &target);
        assert!(matches!(
            error,
            Err(FrictionError::NotFinite { index: 1, .. })
        ));
        assert_eq!(start, vec![Vector3::new(7.0, 0.0, 0.0); 2]);
        assert_eq!(FrictionMethod::named(method.name()), Some(method));
    }
    assert_eq!(FrictionMethod::named("lemke"), None);
}

#[test]
fn a_problem_without_contacts_is_solved() {
    let empty = BlockRows::from_triplets(0, Vec::new()).expect("nothing");
    let problem = FrictionProblem::new("empty", empty, Vec::new(), Vec::new()).expect("sound");
    for method in FrictionMethod::ALL {
        let report = method
            .solver()
            .solve(&problem, &mut [], &Target { tolerance: 1e-8 });
        assert!(report.expect("sound").converged);
    }
}
