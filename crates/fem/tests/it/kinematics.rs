//! The decompositions are valid for every matrix: regular, degenerate, flat, inverted, tiny and huge.

use crate::support::{Random, largest};
use impinge_fem::kinematics::{RotationSvd, rotation_factor, rotation_svd};
use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;

/// Both decompositions are backward stable: a few roundings of the largest stretch.
const ROUNDING: f64 = 2e-14;

/// Principal stretches with every kind of coincidence and degeneracy.
const STRETCHES: [[f64; 3]; 20] = [
    [1.0, 1.0, 1.0],
    [1.0, 1.0, -1.0],
    [2.0, 1.0, 0.5],
    [2.0, 2.0, 0.5],
    [2.0, 0.5, 0.5],
    [2.0, 0.5, -0.5],
    [3.0, 2.0, -2.0],
    [1.0, 1.0, 0.0],
    [1.0, 0.5, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 0.0, 0.0],
    [1.0, 1e-8, 1e-16],
    [1.0, 1e-8, -1e-16],
    [1.0, 1e-20, 1e-40],
    [1.0, 1.0, 1e-12],
    [1.0, 1.0 - 1e-12, -1e-12],
    [1e3, 1.0, 1e-3],
    [1e150, 1e149, 1e148],
    [1e-200, 1e-201, -1e-202],
    [1e-300, 1e-305, 0.0],
];

fn defects(f: &Matrix3<f64>, svd: &RotationSvd) -> f64 {
    let size = f.amax().max(f64::MIN_POSITIVE);
    let scaled = RotationSvd {
        sigma: svd.sigma / size,
        ..*svd
    };
    let identity = Matrix3::identity();
    largest([
        (scaled.compose(&scaled.sigma) - f / size).amax(),
        (svd.u.transpose() * svd.u - identity).amax(),
        (svd.v.transpose() * svd.v - identity).amax(),
        svd.u.determinant() - 1.0,
        svd.v.determinant() - 1.0,
    ])
}

fn assert_ordered(sigma: &Vector3<f64>) {
    assert!(
        sigma[0] >= sigma[1] && sigma[1] >= sigma[2].abs(),
        "{sigma}"
    );
}

#[test]
fn known_stretches_are_recovered() {
    let mut random = Random(1);
    for stretches in STRETCHES {
        for _ in 0..50 {
            let sigma = Vector3::from(stretches);
            let size = sigma[0].max(f64::MIN_POSITIVE);
            let (u, v) = (random.rotation(), random.rotation());
            let f = u * Matrix3::from_diagonal(&sigma) * v.transpose();
            let svd = rotation_svd(&f);
            assert_ordered(&svd.sigma);
            assert!(
                defects(&f, &svd) < ROUNDING,
                "{stretches:?}: {}",
                defects(&f, &svd)
            );
            assert!(
                (svd.sigma - sigma).amax() / size < ROUNDING,
                "{stretches:?}: {}",
                svd.sigma
            );
        }
    }
}

#[test]
fn axis_aligned_and_permuted_matrices_are_decomposed() {
    for entries in [-2.0, -1.0, 0.0, 1.0, 3.0] {
        for which in 0..512_u32 {
            let f = Matrix3::from_fn(|i, j| {
                if which >> (3 * i + j) & 1 == 1 {
                    entries
                } else {
                    0.0
                }
            });
            let svd = rotation_svd(&f);
            assert_ordered(&svd.sigma);
            assert!(defects(&f, &svd) < ROUNDING, "{f}");
        }
    }
}

#[test]
fn non_finite_input_gives_nan_and_ends() {
    for bad in [f64::NAN, f64::INFINITY] {
        let mut f = Matrix3::identity();
        f[(1, 2)] = bad;
        assert!(rotation_svd(&f).sigma.iter().all(|s| s.is_nan()));
        let _ = rotation_factor(&f);
    }
}

#[test]
fn rotation_agrees_with_svd_up_to_flat_and_inverted() {
    let mut random = Random(2);
    for smallest in [
        1.0, 0.5, 0.3, 0.1, 0.03, 0.02, 0.01, 1e-3, 1e-6, 1e-12, 0.0, -1e-9, -0.01, -0.5,
    ] {
        for middle in [0.9, 1.0, 1.5] {
            for _ in 0..50 {
                let sigma = Vector3::new(1.0 + random.symmetric().abs(), middle, smallest);
                let f = random.rotation() * Matrix3::from_diagonal(&sigma) * random.rotation();
                let difference = (rotation_factor(&f) - rotation_svd(&f).rotation()).amax();
                assert!(difference < 1e-12, "σ = {sigma}: {difference:e}");
            }
        }
    }
}

#[test]
fn rotation_of_a_rotation_is_itself() {
    let mut random = Random(3);
    for _ in 0..200 {
        let r = random.rotation();
        for scale in [1.0, 1e-3, 1e4] {
            assert!((rotation_factor(&(r * scale)) - r).amax() < ROUNDING);
        }
    }
}

proptest! {
    #[test]
    fn svd_laws(entries in prop::array::uniform9(-10.0..10.0_f64)) {
        let f = Matrix3::from_row_slice(&entries);
        let svd = rotation_svd(&f);
        assert_ordered(&svd.sigma);
        prop_assert!(defects(&f, &svd) < ROUNDING);
        prop_assert!((svd.sigma.product() - f.determinant()).abs() < 1e-13 * f.norm().powi(3));
    }

    #[test]
    fn svd_laws_near_singular(
        entries in prop::array::uniform6(-1.0..1.0_f64), mix in prop::array::uniform2(-2.0..2.0_f64),
        noise in prop::array::uniform3(-1.0..1.0_f64), exponent in 0..20_i32,
    ) {
        // The third column is nearly a combination of the others.
        let (a, b) = (Vector3::from_row_slice(&entries[..3]), Vector3::from_row_slice(&entries[3..]));
        let c = a * mix[0] + b * mix[1] + Vector3::from(noise) * 10.0_f64.powi(-exponent);
        let f = Matrix3::from_columns(&[a, b, c]);
        let svd = rotation_svd(&f);
        assert_ordered(&svd.sigma);
        prop_assert!(defects(&f, &svd) < ROUNDING);
    }

    #[test]
    fn rotation_leaves_a_symmetric_stretch(entries in prop::array::uniform9(-2.0..2.0_f64)) {
        let f = Matrix3::from_row_slice(&entries);
        let r = rotation_factor(&f);
        let s = r.transpose() * f;
        prop_assert!((r.transpose() * r - Matrix3::identity()).amax() < 1e-13);
        prop_assert!((r.determinant() - 1.0).abs() < 1e-13);
        // S is stable however close σ₂ + σ₃ is to zero, where the rotation is not.
        prop_assert!((s - s.transpose()).amax() < 1e-12 * f.norm());
    }
}
