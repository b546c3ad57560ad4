//! Unusable input is rejected with a message that names it and a remedy.

use impinge_fem::{ElasticModel, FemError, Material, MaterialError, NeoHookean, RayleighDamping};
use impinge_krylov::BlockPattern;
use nalgebra::Vector3;

fn corner() -> Vec<Vector3<f64>> {
    vec![Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()]
}

fn rubber() -> Material {
    Material::corotational(1e6, 0.3).expect("constants are valid")
}

fn build(
    rest: &[Vector3<f64>],
    tet: [u32; 4],
    material: u32,
    density: f64,
) -> Result<ElasticModel, FemError> {
    ElasticModel::new(rest, &[tet], &[rubber()], &[material], &[density])
}

#[test]
fn material_constants_are_checked() {
    for young in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e308] {
        let error = Material::neo_hookean(young, 0.499_999).expect_err("not a stiffness");
        assert!(
            matches!(error, MaterialError::YoungModulus { .. }),
            "{error}"
        );
        assert!(error.to_string().contains("positive, finite"));
    }
    for poisson in [-1.0, 0.5, 0.7, f64::NAN, f64::INFINITY] {
        let error = Material::corotational(1e6, poisson).expect_err("not a ratio");
        assert!(matches!(error, MaterialError::PoissonRatio { .. }));
        assert!(
            error
                .to_string()
                .contains(&format!("Poisson's ratio is {poisson}"))
        );
    }
    for poisson in [-0.99, 0.0, 0.499] {
        assert!(Material::corotational(1e6, poisson).is_ok());
    }
    for threshold in [0.0, 1.0, -0.2, f64::NAN] {
        assert!(NeoHookean::with_threshold(rubber().lame(), threshold).is_err());
    }
    for (mass, stiffness) in [(-1.0, 0.0), (0.0, f64::NAN), (f64::INFINITY, 0.0)] {
        assert!(matches!(
            RayleighDamping::new(mass, stiffness),
            Err(MaterialError::Damping { .. })
        ));
    }
}

#[test]
fn meshes_are_checked() {
    assert!(build(&corner(), [0, 1, 2, 3], 0, 1000.0).is_ok());
    let inverted = build(&corner(), [0, 2, 1, 3], 0, 1000.0).expect_err("inside out");
    assert!(matches!(inverted, FemError::RestVolume { element: 0, .. }));
    assert!(inverted.to_string().contains("exchange two of its points"));
    let repeated = build(&corner(), [0, 1, 1, 3], 0, 1000.0).expect_err("no volume");
    assert!(repeated.to_string().contains("it is flat"));
    let mut flat = corner();
    flat[3] = Vector3::new(0.3, 0.3, 1e-15);
    assert!(matches!(
        build(&flat, [0, 1, 2, 3], 0, 1000.0),
        Err(FemError::RestVolume { .. })
    ));
    // A small element is not flat.
    let tiny: Vec<_> = corner().iter().map(|x| x * 1e-9).collect();
    assert!(build(&tiny, [0, 1, 2, 3], 0, 1000.0).is_ok());

    assert!(matches!(
        build(&corner(), [0, 1, 2, 4], 0, 1000.0),
        Err(FemError::PointIndex {
            element: 0,
            point: 4,
            points: 4
        })
    ));
    assert!(matches!(
        build(&corner(), [0, 1, 2, 3], 1, 1000.0),
        Err(FemError::MaterialIndex {
            element: 0,
            material: 1,
            materials: 1
        })
    ));
    for density in [0.0, -2.0, f64::NAN] {
        assert!(matches!(
            build(&corner(), [0, 1, 2, 3], 0, density),
            Err(FemError::Density { element: 0, .. })
        ));
    }
    let mut broken = corner();
    broken[2].z = f64::NAN;
    assert!(matches!(
        build(&broken, [0, 1, 2, 3], 0, 1.0),
        Err(FemError::RestPosition { point: 2, .. })
    ));
}

#[test]
fn a_pattern_without_the_needed_block_is_refused() {
    let model = build(&corner(), [0, 1, 2, 3], 0, 1000.0).expect("a sound mesh");
    let blocks: Vec<_> = (0..4).map(Some).collect();
    let pattern = BlockPattern::from_pairs(4, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]);
    let error = model
        .bind(&pattern, &blocks)
        .expect_err("(2, 3) is missing");
    assert_eq!(
        error,
        FemError::MissingBlock {
            kind: "tetrahedron",
            element: 0,
            row: 2,
            column: 3
        }
    );
    assert!(error.to_string().contains("block_pairs"));
}

#[test]
fn a_model_without_tetrahedra_is_valid() {
    let model = ElasticModel::new(&corner(), &[], &[], &[], &[]).expect("nothing to refuse");
    assert_eq!(model.minimum_volume_ratio(&corner()), None);
    assert!(model.energy(&corner()).abs() < f64::MIN_POSITIVE);
    let pattern =
        BlockPattern::from_pairs(4, model.block_pairs(&[Some(0), Some(1), Some(2), Some(3)]));
    assert!(
        model
            .bind(&pattern, &[Some(0), Some(1), Some(2), Some(3)])
            .is_ok()
    );
}
