//! A lane has the bits of the scalar case, beside any other lanes.

use super::{LANES, Mat3, on_lanes};
use crate::kinematics::{LanesSvd, RotationSvd, rotation_factor, rotation_svd, rotations};
use crate::material::{Hyperelastic, Material, Response};
use nalgebra::{Matrix3, Rotation3, Vector3};
use proptest::prelude::*;
use pulp::{Scalar256b, Simd, WithSimd};

/// All that is computed of one deformation.
#[derive(Debug, PartialEq)]
struct Found {
    svd: RotationSvd,
    rotation: Matrix3<f64>,
    of_materials: Vec<(f64, Matrix3<f64>, Response)>,
}

fn materials() -> [Material; 3] {
    [
        Material::corotational(5e5, 0.3),
        Material::st_venant_kirchhoff(5e5, 0.3),
        Material::neo_hookean_below(5e5, 0.3, 0.7),
    ]
    .map(|material| material.expect("valid constants"))
}

fn alone(f: &Matrix3<f64>) -> Found {
    let of = |m: &Material| (m.energy_density(f), m.stress(f), m.convex_response(f));
    Found {
        svd: rotation_svd(f),
        rotation: rotation_factor(f),
        of_materials: materials().iter().map(of).collect(),
    }
}

struct Together<'a>(&'a [Matrix3<f64>; LANES]);

impl WithSimd for Together<'_> {
    type Output = Vec<Found>;

    fn with_simd<S: Simd>(self, simd: S) -> Vec<Found> {
        let f = Mat3::gather(simd, |lane| &self.0[lane]);
        let svd = LanesSvd::of(&f);
        let rotations = rotations(&f);
        let materials = materials();
        let of_lane = |lane: usize| Found {
            svd: svd.lane(lane),
            rotation: rotations.lane(lane),
            of_materials: (materials.iter())
                .map(|material| {
                    (
                        material.energy_densities(&f).lane(lane),
                        material.stresses(&f).lane(lane),
                        material.responses(&f).lane(lane),
                    )
                })
                .collect(),
        };
        (0..S::F64_LANES).map(of_lane).collect()
    }
}

/// Deformations with stretches of every kind: usual, equal, crushed, inverted, flat, collapsed, tiny and huge.
fn deformation() -> impl Strategy<Value = Matrix3<f64>> {
    let stretch = prop_oneof![
        6 => 0.5..1.5_f64,
        2 => Just(1.0),
        2 => 0.0..0.1_f64,
        1 => Just(0.0),
        1 => (-60.0..60.0_f64).prop_map(|exponent| 10_f64.powf(exponent)),
    ];
    let turn =
        || prop::array::uniform3(-3.0..3.0_f64).prop_map(|a| Rotation3::new(Vector3::from(a)));
    (
        prop::array::uniform3(stretch),
        any::<bool>(),
        turn(),
        turn(),
        any::<bool>(),
    )
        .prop_map(|(sigma, inverts, u, v, turns)| {
            let mut sigma = Vector3::from(sigma);
            if inverts {
                sigma.x = -sigma.x;
            }
            let f = Matrix3::from_diagonal(&sigma);
            if turns { u * f * v } else { f }
        })
}

proptest! {
    #[test]
    fn lanes_have_the_bits_of_the_scalar_case(f in prop::array::uniform4(deformation())) {
        let alone: Vec<Found> = f.iter().map(alone).collect();
        for together in [on_lanes(Together(&f)), Scalar256b.vectorize(Together(&f))] {
            for (together, alone) in together.iter().zip(&alone) {
                prop_assert_eq!(format!("{together:?}"), format!("{alone:?}"));
            }
        }
    }
}
