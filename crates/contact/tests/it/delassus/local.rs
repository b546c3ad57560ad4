//! One contact: closed forms, and the independent residual on random ones.

use crate::support::cases;
use impinge_contact::delassus::{BlockRows, FrictionProblem, friction_residual, one_contact};
use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;

/// Rounding of a root between bounds, relative to the numbers.
const ROUNDING: f64 = 1e-11;

fn judged(w: Matrix3<f64>, q: Vector3<f64>, mu: f64) -> f64 {
    let reaction = one_contact(&w, &q, mu);
    let blocks = BlockRows::from_triplets(1, vec![(0, 0, w)]).expect("one block");
    let problem = FrictionProblem::new("one", blocks, vec![q], vec![mu]).expect("sound");
    friction_residual(&problem, &[reaction]).worst_error()
}

#[test]
fn a_particle_takes_off_sticks_and_slides_as_in_the_book() {
    // Mass 2: W = I/2.
    let w = Matrix3::from_diagonal_element(0.5);
    assert_eq!(
        one_contact(&w, &Vector3::new(1.0, 3.0, 0.0), 0.5),
        Vector3::zeros()
    );
    // Stopping needs 4 in N and 2·0.5 in T.
    let stick = one_contact(&w, &Vector3::new(-2.0, 0.5, 0.0), 0.5);
    assert!((stick - Vector3::new(4.0, -1.0, 0.0)).amax() < 1e-14);
    // Friction is at its bound 0.5·4 against the motion (3, 4).
    let slide = one_contact(&w, &Vector3::new(-2.0, 3.0, 4.0), 0.5);
    assert!((slide - Vector3::new(4.0, -1.2, -1.6)).amax() < 1e-13);
    let smooth = one_contact(&w, &Vector3::new(-2.0, 3.0, 4.0), 0.0);
    assert!((smooth - Vector3::new(4.0, 0.0, 0.0)).amax() < 1e-14);
}

/// `L Lᵀ` with a non-zero first row.
fn compliance() -> impl Strategy<Value = Matrix3<f64>> {
    (proptest::array::uniform9(-1.0..1.0_f64), 0.05..1.0_f64).prop_map(|(numbers, first)| {
        let mut l = Matrix3::from_row_slice(&numbers);
        l.m11 = first;
        l * l.transpose()
    })
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn any_contact_is_solved(
        w in compliance(),
        q in proptest::array::uniform3(-1.0..1.0_f64),
        mu in 0.0..2.0_f64,
    ) {
        prop_assert!(judged(w, q.into(), mu) < ROUNDING);
    }

    #[test]
    fn a_contact_that_yields_in_one_direction_only_is_solved(
        a in proptest::array::uniform3(-1.0..1.0_f64),
        q in proptest::array::uniform3(-1.0..1.0_f64),
        mu in 0.0..0.9_f64,
    ) {
        let mut a = Vector3::from(a);
        a.x = 0.2 + a.x.abs();
        // One unknown can stop only the motion along it.
        let w = a * a.transpose();
        let stoppable = a * q[0];
        prop_assert!(judged(w, stoppable, mu) < ROUNDING);
    }

    #[test]
    fn units_do_not_matter(
        w in compliance(),
        q in proptest::array::uniform3(-1.0..1.0_f64),
        mu in 0.0..2.0_f64,
        scale in prop_oneof![Just(1e-12), Just(1e12)],
    ) {
        let q = Vector3::from(q);
        let plain = one_contact(&w, &q, mu);
        let scaled = one_contact(&(w * scale), &q, mu) * scale;
        prop_assert!((plain - scaled).norm() <= 1e-9 * plain.norm());
    }
}
