//! The text format: accepted, rejected and written files.

use crate::support::cases;
use impinge_contact::delassus::{
    FrictionError, FrictionMethod, FrictionProblem, StoredFrictionProblem, Target,
    global_friction_residual, read_problem, read_vectors, write_vectors,
};
use nalgebra::{DMatrix, Matrix3, Vector3};
use proptest::prelude::*;

pub(crate) const LOCAL: &str = "# where it comes from
FCP 1 local
name two   # a comment after a token
contacts 2
mu
0.5 0.75
q
-1 0 2.5e-1
-3 0 0
W 3
1 1 2 0 0 0 3 0 0 0 4
0 0 1 0 0 0 1 0 0
 0 1
0 1 0.001 0 0 0 0 0 0 0 0
end
";

pub(crate) const GLOBAL: &str = "FCP 1 global
name g
contacts 1
mu 0.3
dofs 4
f 1 2 3 4
b 0.5 0 0
M 4 4 5
0 2 3 4 5
0 1 1 2 3
2 0.01 1 4 8
H 4 3 3
0 1 2 3
0 1 2
1 1 1
end";

fn local(text: &str) -> FrictionProblem {
    match read_problem(text) {
        Ok(StoredFrictionProblem::Local(problem)) => problem,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_condensed_problem_is_read_as_it_stands() {
    let problem = local(LOCAL);
    assert_eq!((problem.name(), problem.contacts()), ("two", 2));
    assert_eq!(problem.friction(), &[0.5, 0.75]);
    assert_eq!(problem.free_velocity()[0], Vector3::new(-1.0, 0.0, 0.25));
    assert_eq!(
        *problem.delassus().diagonal(1),
        Matrix3::from_diagonal(&Vector3::new(2.0, 3.0, 4.0))
    );
    assert_eq!(problem.delassus().row(0).0, &[0, 1]);
    assert_eq!(problem.delassus().row(1).0, &[1]);
}

#[test]
fn a_problem_with_its_bodies_condenses_to_the_dense_answer() {
    let Ok(StoredFrictionProblem::Global(global)) = read_problem(GLOBAL) else {
        panic!("a global problem");
    };
    let problem = global.condense().expect("M has an inverse");
    // M is not symmetric: (2 at 0,0), (0.01 at 1,0), (1 at 1,1), 4, 8.
    assert!((global.asymmetry() - 0.01 / 8.0).abs() < 1e-17);
    let m = DMatrix::from_row_slice(
        4,
        4,
        &[
            2., 0., 0., 0., 0.01, 1., 0., 0., 0., 0., 4., 0., 0., 0., 0., 8.,
        ],
    );
    let inverse = m.try_inverse().expect("regular");
    let w = inverse.fixed_view::<3, 3>(0, 0).into_owned();
    assert!((problem.delassus().diagonal(0) - w).amax() < 1e-15);
    let v = inverse * DMatrix::from_column_slice(4, 1, &[1., 2., 3., 4.]);
    let q = Vector3::new(v[0] + 0.5, v[1], v[2]);
    assert!((problem.free_velocity()[0] - q).amax() < 1e-15);
}

/// A mass matrix of condition 1e7 with an asymmetry of 1.5e-7 has an inverse with an asymmetry of order one. The
/// problem is that of the symmetric part, and is solved as such.
#[test]
fn rounding_of_an_ill_conditioned_mass_is_no_obstacle() {
    let text = "FCP 1 global
name stiff
contacts 1
mu 0.5
dofs 3
f -1e-7 1e-8 0
b 0 0 0
M 3 3 5  0 1 3 5  0 1 2 1 2  1 1e-7 -0.75e-7 0.75e-7 1e-7
H 3 3 3  0 1 2 3  0 1 2  1 1 1
end
";
    let read = |text: &str| match read_problem(text).expect("well formed") {
        StoredFrictionProblem::Global(global) => global,
        StoredFrictionProblem::Local(_) => panic!("a global problem"),
    };
    let global = read(text);
    assert!((global.asymmetry() - 1.5e-7).abs() < 1e-20);
    assert!(matches!(
        global.condense(),
        Err(FrictionError::NotSymmetric { .. })
    ));
    let (problem, bodies) = global.condense_rounded().expect("rounding only");
    assert!(bodies.asymmetry() < 1e-16);
    let mut r = [Vector3::zeros()];
    let target = Target { tolerance: 1e-8 };
    let mut solver = FrictionMethod::Auto.solver();
    let report = solver.solve(&problem, &mut r, &target).expect("sound");
    assert!(report.converged);
    // u = M⁻¹ (r + f): the normal force carries the load, and friction sticks.
    let expected = Vector3::new(1e-7, -1e-8, 0.0);
    assert!((r[0] - expected).amax() < 1e-14, "{:?}", r[0]);
    let whole = global_friction_residual(&bodies, &problem, &r).expect("regular");
    assert!(whole.equilibrium < 1e-8);

    // A truly asymmetric matrix is rejected.
    let gross = read(&text.replace("-0.75e-7 0.75e-7", "-0.1e-1 0.1e-1"));
    assert!(matches!(
        gross.condense_rounded(),
        Err(FrictionError::NotSymmetric { .. })
    ));
}

#[test]
fn errors_name_their_line() {
    let wrong = |from: &str, to: &str| {
        assert!(LOCAL.contains(from), "{from}");
        read_problem(&LOCAL.replacen(from, to, 1))
            .expect_err("unusable")
            .to_string()
    };
    assert_eq!(
        read_problem("").expect_err("empty").to_string(),
        "line 1: the text ends, expected FCP"
    );
    assert_eq!(wrong("FCP 1", "FCP 2"), "line 2: found `2`, expected 1");
    assert_eq!(
        wrong("local", "lokal"),
        "line 2: found `lokal`, expected `local` or `global`"
    );
    assert_eq!(
        wrong("contacts 2", "contacts 999999999999"),
        "line 4: found `999999999999`, expected the number of contacts"
    );
    assert_eq!(
        wrong("0.75", ""),
        "line 7: found `q`, expected a friction coefficient per contact"
    );
    assert_eq!(
        wrong("-3 0 0", "-3 0 x"),
        "line 9: found `x`, expected three numbers of q per contact"
    );
    assert_eq!(
        wrong("W 3", "W 4"),
        "line 15: found `end`, expected the block row of a block of W"
    );
    assert_eq!(
        wrong("1 1 2 0", "2 1 2 0"),
        "block (2, 1) of W is outside of a problem of 2 contacts; contacts are numbered from 0"
    );
    assert_eq!(
        wrong("0.75", "-0.75"),
        "contact 1 has the friction coefficient -0.75; give a finite number that is at least 0"
    );
    assert_eq!(
        wrong("2.5e-1", "nan"),
        "q of contact 0 is NaN, not finite; check the program that wrote the problem"
    );
    assert_eq!(
        wrong("end", "end\nmore"),
        "line 16: found `more`, expected nothing after `end`"
    );
    let global = |from: &str, to: &str| match read_problem(&GLOBAL.replacen(from, to, 1)) {
        Ok(StoredFrictionProblem::Global(g)) => g.condense().expect_err("unusable").to_string(),
        Ok(other) => panic!("{other:?}"),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        global("2 0.01 1 4 8", "2 0.01 1 4 0"),
        "M of 4 unknowns is singular or not finite; fix or give mass to every degree of freedom"
    );
    assert!(global("0 2 3 4 5", "0 3 2 4 5").contains("compressed columns with ascending"));
    assert_eq!(
        global("H 4 3 3", "H 4 6 3"),
        "line 12: found `6`, expected as many columns as the problem implies"
    );
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn damaged_text_never_panics(cut in 0..LOCAL.len(), byte in 0_u8..127, at in 0..LOCAL.len()) {
        let mut bytes = LOCAL.as_bytes().to_vec();
        bytes[at] = byte;
        let text = String::from_utf8(bytes).expect("ASCII");
        let _ = read_problem(&text);
        let _ = read_problem(&LOCAL[..cut]);
        let mut bytes = GLOBAL.as_bytes().to_vec();
        bytes[at % GLOBAL.len()] = byte;
        let text = String::from_utf8(bytes).expect("ASCII");
        if let Ok(StoredFrictionProblem::Global(global)) = read_problem(&text) {
            let _ = global.condense();
        }
    }

    #[test]
    fn vectors_come_back_bit_for_bit(
        numbers in proptest::collection::vec(
            proptest::array::uniform3(
                proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO
            ),
            0..5,
        ),
    ) {
        let vectors: Vec<Vector3<f64>> = numbers.into_iter().map(Vector3::from).collect();
        let text = write_vectors("two\nlines", &vectors);
        let back = read_vectors(&text, vectors.len()).expect("own text");
        let bits = |v: &[Vector3<f64>]| -> Vec<u64> {
            v.iter().flat_map(|v| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>()).collect()
        };
        prop_assert_eq!(bits(&back), bits(&vectors));
    }
}

#[test]
fn vectors_are_written_one_contact_a_line() {
    let text = write_vectors(
        "r",
        &[Vector3::new(1.0, -2.5, 0.0), Vector3::new(1e-20, 0.1, 3e9)],
    );
    assert_eq!(text, "# r\n1 -2.5 0\n1e-20 0.1 3e9\n");
}
