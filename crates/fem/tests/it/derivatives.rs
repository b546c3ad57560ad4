//! Energy, stress and tangent are derivatives of one another, with the order of the differences measured.

use crate::support::{Random, YOUNG, central, cuboid, materials, model, shaken};
use impinge_fem::{Hyperelastic, Material};
use nalgebra::{Matrix3, SVector, Vector3};

/// Central differences are of order 2; the margin covers terms of the next order.
const ORDER: std::ops::Range<f64> = 1.95..2.05;
/// Error bound of the small step: truncation h² and rounding ε/h are both far below.
const RELATIVE: f64 = 1e-6;

/// Regular, stretched, compressed, around J = 0.7 (both sides), flat and inverted.
const STRETCHES: [[f64; 3]; 14] = [
    [1.0, 1.0, 1.0],
    [1.3, 1.0, 0.9],
    [1.1, 1.1, 1.1],
    [2.0, 1.2, 0.8],
    [1.0, 0.9, 0.82],
    [0.9, 0.9, 0.9],
    [1.0, 0.9, 0.74],
    [0.88, 0.88, 0.88],
    [0.5, 0.5, 0.5],
    [1.2, 0.8, 0.3],
    [1.0, 1.0, 0.0],
    [1.3, 0.8, 0.0],
    [1.0, 1.0, -0.5],
    [1.4, 0.9, -0.3],
];

fn samples() -> impl Iterator<Item = (Matrix3<f64>, Matrix3<f64>, [f64; 3])> {
    let mut random = Random(11);
    STRETCHES.into_iter().flat_map(move |sigma| {
        let mut case = || {
            let f = random.rotation()
                * Matrix3::from_diagonal(&Vector3::from(sigma))
                * random.rotation();
            (f, random.matrix().normalize(), sigma)
        };
        [case(), case(), case(), case()]
    })
}

fn flat(m: &Matrix3<f64>) -> SVector<f64, 9> {
    SVector::from_column_slice(m.as_slice())
}

/// A modulus as scale of errors, which does not vanish where the stress does.
fn modulus(material: &Material) -> f64 {
    material.lame().shear_modulus()
}

#[test]
fn stress_is_the_slope_of_the_energy() {
    for material in materials() {
        for (f, df, sigma) in samples() {
            let energy = |h: f64| SVector::<f64, 1>::new(material.energy_density(&(f + df * h)));
            let exact = SVector::<f64, 1>::new(material.stress(&f).dot(&df));
            let coarse = central(energy, &exact, modulus(&material), 4e-3);
            assert!(
                ORDER.contains(&coarse.order),
                "{material:?} {sigma:?}: order {}",
                coarse.order
            );
            let fine = central(energy, &exact, modulus(&material), 1e-4);
            assert!(
                fine.relative < RELATIVE,
                "{material:?} {sigma:?}: {:e}",
                fine.relative
            );
        }
    }
}

#[test]
fn exact_tangent_is_the_slope_of_the_stress() {
    for material in materials() {
        for (f, df, sigma) in samples() {
            let stress = |h: f64| flat(&material.stress(&(f + df * h)));
            let exact = flat(&material.exact_tangent(&f).differential(&df));
            let coarse = central(stress, &exact, modulus(&material), 4e-3);
            assert!(
                ORDER.contains(&coarse.order),
                "{material:?} {sigma:?}: order {}",
                coarse.order
            );
            let fine = central(stress, &exact, modulus(&material), 2e-5);
            assert!(
                fine.relative < RELATIVE,
                "{material:?} {sigma:?}: {:e}",
                fine.relative
            );
        }
    }
}

#[test]
fn derivatives_agree_on_both_sides_of_every_threshold() {
    for (threshold, poisson) in [(0.1, 0.0), (0.1, 0.45), (0.3, 0.2), (0.7, 0.45)] {
        let material = Material::neo_hookean_below(YOUNG, poisson, threshold).expect("valid");
        let compressed = [
            [1.0, 1.0, 0.11],
            [1.0, 1.0, 0.09],
            [0.5, 0.4, 0.3],
            [1.2, 1.0, -0.9],
        ];
        for sigma in STRETCHES.into_iter().chain(compressed) {
            let mut random = Random(13);
            let f = random.rotation()
                * Matrix3::from_diagonal(&Vector3::from(sigma))
                * random.rotation();
            let df = random.matrix().normalize();
            let tangent = flat(&material.exact_tangent(&f).differential(&df));
            let stress = |h: f64| flat(&material.stress(&(f + df * h)));
            let energy = |h: f64| SVector::<f64, 1>::new(material.energy_density(&(f + df * h)));
            let slope = SVector::<f64, 1>::new(material.stress(&f).dot(&df));
            for found in [
                central(stress, &tangent, modulus(&material), 1e-6).relative,
                central(energy, &slope, modulus(&material), 1e-6).relative,
            ] {
                assert!(found < 1e-5, "{threshold} {poisson} {sigma:?}: {found:e}");
            }
        }
    }
}

#[test]
fn stress_is_the_slope_of_the_energy_on_the_very_threshold() {
    // The third derivative jumps at J = 0.7, so the difference has no order there: a tiny step instead.
    let [_, material, _] = materials();
    let mut random = Random(12);
    for excess in [-1e-7, 0.0, 1e-7] {
        let third = (0.7 + excess) / (1.1 * 0.9);
        let f = random.rotation()
            * Matrix3::from_diagonal(&Vector3::new(1.1, 0.9, third))
            * random.rotation();
        let df = random.matrix().normalize();
        let energy = |h: f64| SVector::<f64, 1>::new(material.energy_density(&(f + df * h)));
        let exact = SVector::<f64, 1>::new(material.stress(&f).dot(&df));
        assert!(central(energy, &exact, modulus(&material), 1e-6).relative < RELATIVE);
    }
}

#[test]
fn forces_are_the_slope_of_the_energy_of_a_mesh() {
    let mesh = cuboid([2, 2, 3], 0.2);
    for material in materials() {
        let model = model(&mesh, &material);
        // Moved by half a cell: many elements are inverted.
        for (size, seed) in [(0.02, 1), (0.02, 2), (0.05, 3), (0.05, 4)] {
            let x = shaken(&mesh.points, size, seed);
            let mut random = Random(seed + 100);
            let direction: Vec<_> = x.iter().map(|_| random.vector() * 0.1).collect();
            let mut forces = vec![Vector3::zeros(); x.len()];
            model.elastic_force_into(&x, &mut forces);
            let work: f64 = forces.iter().zip(&direction).map(|(f, d)| f.dot(d)).sum();
            let size: f64 = forces
                .iter()
                .zip(&direction)
                .map(|(f, d)| f.norm() * d.norm())
                .sum();
            let energy = |h: f64| {
                let moved: Vec<_> = x.iter().zip(&direction).map(|(x, d)| x + d * h).collect();
                SVector::<f64, 1>::new(model.energy(&moved))
            };
            let agreement = central(energy, &SVector::<f64, 1>::new(-work), size, 2e-5);
            assert!(
                agreement.relative < RELATIVE,
                "{material:?}: {:e}",
                agreement.relative
            );
        }
    }
}
