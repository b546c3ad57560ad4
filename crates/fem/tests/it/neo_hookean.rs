//! Golden values, continuity of the extrapolation and the convex tangent.

use crate::support::{POISSON, Random, YOUNG, convex_tangent, element_matrix, materials};
use impinge_fem::material::Lame;
use impinge_fem::{Hyperelastic, NeoHookean};
use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;

fn rubber() -> NeoHookean {
    let lame = Lame::new(YOUNG, POISSON).expect("constants are valid");
    NeoHookean::with_threshold(lame, 0.7).expect("a valid threshold")
}

#[test]
fn lame_parameters() {
    let lame = rubber().lame();
    assert!((lame.shear_modulus() - 208_333.333_333_333_33).abs() < 1e-9);
    assert!((lame.first() - 138_888.888_888_888_9).abs() < 1e-9);
}

/// Principal stretches, crossing of the ray, energy density, principal stresses; E = 5e5 Pa, ν = 0.2, a = 0.7.
type Golden = ([f64; 3], Option<f64>, f64, [f64; 3]);
const GOLDEN: [Golden; 5] = [
    ([0.9, 0.9, 0.9], None, 13_413.346_198, [-92_759.498_0; 3]),
    (
        [0.5, 0.5, 0.5],
        Some(0.224_191_996_5),
        379_854.712_942,
        [-518_154.106_8; 3],
    ),
    (
        [1.2, 0.8, 0.3],
        Some(0.421_416_916_4),
        220_480.727_762,
        [15_142.401_4, -186_458.120_6, -630_579.376_8],
    ),
    (
        [1.0, 1.0, 0.0],
        Some(0.3),
        435_226.852_727,
        [-69_398.952_9, -69_398.952_9, -935_188.469_8],
    ),
    (
        [1.0, 1.0, -0.5],
        Some(0.2),
        1_030_077.144_322,
        [-54_435.470_1, -54_435.470_1, -1_444_212.696_6],
    ),
];

#[test]
fn golden_values() {
    let material = rubber();
    for (stretches, crossing, energy, stress) in GOLDEN {
        let sigma = Vector3::from(stretches);
        assert_eq!(
            material.extrapolation_point(&sigma).is_some(),
            crossing.is_some()
        );
        let difference =
            material.extrapolation_point(&sigma).unwrap_or(0.0) - crossing.unwrap_or(0.0);
        assert!(difference.abs() < 1e-10, "{stretches:?}");
        assert!(
            (material.principal_energy(&sigma) - energy).abs() < 1e-9 * energy,
            "{stretches:?}"
        );
        // The table has four decimals.
        assert!(
            (material.principal_stress(&sigma) - Vector3::from(stress)).amax() < 1e-4,
            "{stretches:?}"
        );
        assert!(
            (material.energy_density(&Matrix3::from_diagonal(&sigma)) - energy).abs()
                < 1e-9 * energy
        );
    }
}

#[test]
fn stress_is_continuous_across_the_threshold() {
    let material = rubber();
    for direction in [[-1.0, -1.0, -1.0], [0.2, -0.3, -0.9], [0.5, 0.1, -1.0]] {
        let direction = Vector3::from(direction);
        // Bisection for the point of the ray with J = 0.7.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let volume = direction.map(|d| 1.0 + middle * d).product();
            if volume > 0.7 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let at = |s: f64| material.principal_stress(&direction.map(|d| 1.0 + s * d));
        // No jump: the difference shrinks with the distance, at the rate of a finite stiffness.
        for distance in [1e-6, 1e-8, 1e-10] {
            let jump = (at(low + distance) - at(low - distance)).norm();
            assert!(jump < 10.0 * YOUNG * distance, "{jump} over {distance}");
        }
    }
}

#[test]
fn other_thresholds_are_continuous_too() {
    let lame = Lame::new(YOUNG, 0.4).expect("constants are valid");
    for threshold in [0.1, 0.3, 0.9] {
        let material = NeoHookean::with_threshold(lame, threshold).expect("a valid threshold");
        let at = |volume: f64| material.principal_stress(&Vector3::repeat(volume.cbrt()));
        let (above, below) = (at(threshold + 1e-8), at(threshold - 1e-8));
        assert!((above - below).norm() < 1e-5 * above.norm());
    }
}

/// Compressed along one axis without a Poisson effect, `P = (E/2)(σ − 1/σ)`: the default extrapolation does not change
/// a compression by 85 %; one that starts at 70 % of the volume has smaller stresses.
#[test]
fn foam_follows_the_law_down_to_a_tenth_of_its_volume() {
    let lame = Lame::new(YOUNG, 0.0).expect("constants are valid");
    for stretch in [0.7, 0.5, 0.3, 0.15] {
        let sigma = Vector3::new(1.0, 1.0, stretch);
        let law = Vector3::new(0.0, 0.0, 0.5 * YOUNG * (stretch - 1.0 / stretch));
        let found = NeoHookean::new(lame).principal_stress(&sigma);
        assert!((found - law).amax() < 1e-12 * YOUNG, "{stretch}: {found:?}");
        let other = NeoHookean::with_threshold(lame, 0.7).expect("valid");
        let found = other.principal_stress(&sigma);
        assert!(
            stretch >= 0.7 || found.z > 0.99 * law.z,
            "{stretch}: {found:?}"
        );
    }
}

/// Energy, stress and stiffness are continuous at the start of the extrapolation.
#[test]
fn the_extrapolation_has_the_slope_and_the_curvature_of_the_law() {
    let material = NeoHookean::new(Lame::new(YOUNG, 0.3).expect("constants are valid"));
    let sides = |of: &dyn Fn(f64) -> f64| (of(0.1 + 1e-9), of(0.1 - 1e-9));
    for (name, (above, below)) in [
        (
            "energy",
            sides(&|x| material.principal_energy(&Vector3::new(1.0, 1.0, x))),
        ),
        (
            "stress",
            sides(&|x| material.principal_stress(&Vector3::new(1.0, 1.0, x)).z),
        ),
        (
            "curvature",
            sides(&|x| material.principal_stiffness(&Vector3::new(1.0, 1.0, x))[(2, 2)]),
        ),
        (
            "shear",
            sides(&|x| material.principal_shear(&Vector3::new(1.0, 1.0, x))[1]),
        ),
    ] {
        assert!(
            (above / below - 1.0).abs() < 1e-6,
            "{name}: {above} {below}"
        );
    }
}

proptest! {
    #[test]
    fn pull_along_a_ray_grows_linearly_beyond_the_crossing(
        e in prop::array::uniform3(-2.0..1.5_f64), factor in 1.0..3.0_f64,
    ) {
        let material = rubber();
        let e = Vector3::from(e);
        if let Some(s) = material.extrapolation_point(&e.map(|x| 1.0 + x)) {
            // Anywhere beyond the crossing, unless two stretches have changed sign and J is back at a.
            let stretch = s + (1.0 - s) * factor;
            let [here, middle, there] = [1.0, 0.5 * (1.0 + stretch), stretch].map(|way| e.map(|x| 1.0 + x * way));
            let beyond = |sigma: &Vector3<f64>| material.extrapolation_point(sigma).is_some();
            if beyond(&middle) && beyond(&there) {
                let pull = |sigma: Vector3<f64>| material.principal_stress(&sigma).dot(&e);
                let (first, last) = (pull(here), pull(there));
                let error = (pull(middle) - 0.5 * (first + last)).abs();
                prop_assert!(error < 1e-10 * first.abs().max(last.abs()).max(YOUNG), "{error:e}");
                prop_assert!(last >= first, "{first} {last}");
            }
        }
    }

    #[test]
    fn convex_element_matrix_has_no_negative_eigenvalue(
        entries in prop::array::uniform9(-1.5..1.5_f64), seed in 0..1000_u64,
    ) {
        let mut random = Random(seed);
        let mut rest = [Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()];
        for x in &mut rest {
            *x = (*x + random.vector() * 0.1) * 0.1;
        }
        for material in materials() {
            let entries = Matrix3::from_row_slice(&entries);
            for f in [entries, Matrix3::identity() + entries * 0.3] {
                let c = convex_tangent(&material, &f);
                let k = element_matrix(&rest, &c);
                for (values, size) in [
                    (c.symmetric_eigenvalues().as_slice().to_vec(), c.amax()),
                    (k.symmetric_eigenvalues().as_slice().to_vec(), k.amax()),
                ] {
                    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
                    let greatest = values.iter().copied().fold(0.0, f64::max);
                    prop_assert!(smallest >= -1e-12 * greatest, "{smallest} of {greatest}");
                    prop_assert!(size.is_finite());
                }
                // A tangent that is negative in every direction becomes zero.
                prop_assert!((c - c.transpose()).amax() <= 1e-12 * c.amax());
            }
        }
    }
}

#[test]
fn convex_tangent_is_the_exact_one_where_that_is_convex() {
    let [_, material, _] = materials();
    let mut random = Random(5);
    for sigma in [[1.0, 1.0, 1.0], [1.4, 1.2, 1.1], [1.3, 1.1, 1.0]] {
        let f =
            random.rotation() * Matrix3::from_diagonal(&Vector3::from(sigma)) * random.rotation();
        let exact = material.exact_tangent(&f);
        assert!(exact.twist.min() >= -1e-9 * YOUNG);
        let change = random.matrix();
        let difference = exact.differential(&change)
            - material.convex_response(&f).tangent.differential(&change);
        assert!(difference.amax() < 1e-9 * YOUNG);
    }
}

#[test]
fn flat_needle_and_point_are_finite() {
    let [_, material, _] = materials();
    for stretches in [
        [1.0, 0.0, 0.0],
        [0.0; 3],
        [1.0, 1e-12, -1e-12],
        [1.0, 0.5, -0.5],
        [5.0, 5.0, -5.0],
        [100.0, 1e-3, 0.0],
    ] {
        let f = Matrix3::from_diagonal(&Vector3::from(stretches));
        let response = material.convex_response(&f);
        assert!(
            response.stress.iter().all(|x| x.is_finite()),
            "{stretches:?}"
        );
        assert!(
            convex_tangent(&material, &f).iter().all(|x| x.is_finite()),
            "{stretches:?}"
        );
        assert!(material.energy_density(&f).is_finite());
        let tangent = material.exact_tangent(&f);
        assert!(
            tangent
                .stretch
                .iter()
                .chain(&tangent.twist)
                .all(|x| x.is_finite()),
            "{stretches:?}"
        );
    }
}
