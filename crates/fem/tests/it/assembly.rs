//! The assembled system against sums of dense element matrices, with prescribed points and damping.

use crate::support::{
    DENSITY, Mesh, YOUNG, cells, cuboid, dense_stiffness, materials, model, shaken,
};
use impinge_fem::{AssemblyScales, ElasticModel, Material, NodalMotion, RayleighDamping};
use impinge_krylov::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{DMatrix, DVector, Vector3};
use std::sync::Arc;

const H: f64 = 1e-2;

fn everything_free(points: usize) -> Vec<Option<u32>> {
    // A shuffled numbering, so that lower and upper pairs both occur.
    (0..points as u32)
        .map(|point| Some((point * 7 + 3) % points as u32))
        .collect()
}

struct System {
    matrix: DMatrix<f64>,
    rhs: DVector<f64>,
}

fn system(
    model: &ElasticModel,
    blocks: &[Option<u32>],
    x: &[Vector3<f64>],
    v: &[Vector3<f64>],
    with_mass: bool,
) -> System {
    let count = blocks.iter().flatten().count();
    let pattern = Arc::new(BlockPattern::from_pairs(count, model.block_pairs(blocks)));
    let assembler = model.bind(&pattern, blocks).expect("the pattern fits");
    let mut matrix = SymmetricBlockMatrix::zeros(pattern);
    let mut rhs = vec![0.0; matrix.len()];
    let scales = AssemblyScales::implicit_euler(H);
    assembler.assemble(&NodalMotion::new(x, v), &scales, &mut matrix, &mut rhs);
    if with_mass {
        assembler.add_mass(&scales, &mut matrix);
    }
    System {
        matrix: DMatrix::from(&matrix.to_csr()),
        rhs: DVector::from_vec(rhs),
    }
}

/// Rows and columns of the points that have a block, in the order of the blocks.
fn places(blocks: &[Option<u32>]) -> Vec<usize> {
    let mut places = vec![0; blocks.iter().flatten().count()];
    for (point, block) in blocks.iter().enumerate() {
        if let Some(block) = block {
            places[*block as usize] = point;
        }
    }
    places
        .iter()
        .flat_map(|point| [3 * point, 3 * point + 1, 3 * point + 2])
        .collect()
}

fn mesh() -> Mesh {
    cuboid([2, 3, 2], 0.2)
}

fn forces(model: &ElasticModel, x: &[Vector3<f64>]) -> DVector<f64> {
    let mut forces = vec![Vector3::zeros(); x.len()];
    model.elastic_force_into(x, &mut forces);
    DVector::from_iterator(3 * x.len(), forces.iter().flat_map(|f| [f.x, f.y, f.z]))
}

fn assert_close(ours: &DMatrix<f64>, expected: &DMatrix<f64>) {
    assert!(
        (ours - expected).amax() < 1e-12 * expected.amax(),
        "{:e}",
        (ours - expected).amax() / expected.amax()
    );
}

#[test]
fn assembled_matrix_is_the_sum_of_element_matrices() {
    let mesh = mesh();
    for material in materials() {
        let model = model(&mesh, &material);
        let blocks = everything_free(mesh.points.len());
        let place = places(&blocks);
        for (size, seed) in [(0.0, 0), (0.01, 1), (0.05, 2)] {
            let x = shaken(&mesh.points, size, seed);
            let system = system(
                &model,
                &blocks,
                &x,
                &vec![Vector3::repeat(9.0); x.len()],
                false,
            );
            let dense = dense_stiffness(&mesh, &material, &x) * (H * H);
            assert_close(
                &system.matrix,
                &dense.select_rows(&place).select_columns(&place),
            );
            let force = forces(&model, &x) * H;
            let error = (&system.rhs - force.select_rows(&place)).amax();
            assert!(error < 1e-12 * YOUNG * 0.01 * H, "{error}");
        }
    }
}

#[test]
fn prescribed_points_move_to_the_right_hand_side() {
    let mesh = mesh();
    let x = shaken(&mesh.points, 0.02, 5);
    let v = shaken(&vec![Vector3::zeros(); x.len()], 2.0, 6);
    for material in materials() {
        let model = model(&mesh, &material);
        // Three of four points of some elements prescribed, and whole elements too.
        let mut next = 0;
        let blocks: Vec<_> = (0..x.len())
            .map(|point| {
                (point % 3 == 1 || point > 20).then(|| {
                    next += 1;
                    next - 1
                })
            })
            .map(|block: Option<u32>| block.map(|b| (b * 5 + 2) % 22))
            .collect();
        assert_eq!(next, 22);
        let system = system(&model, &blocks, &x, &v, false);
        let dense = dense_stiffness(&mesh, &material, &x) * (H * H);
        let place = places(&blocks);
        assert_close(
            &system.matrix,
            &dense.select_rows(&place).select_columns(&place),
        );
        let mut known = DVector::from_iterator(3 * v.len(), v.iter().flat_map(|v| [v.x, v.y, v.z]));
        for &free in &place {
            known[free] = 0.0;
        }
        let expected = (forces(&model, &x) * H - dense * known).select_rows(&place);
        assert!((&system.rhs - &expected).amax() < 1e-12 * expected.amax());
    }
}

#[test]
fn everything_prescribed_is_an_empty_system() {
    let mesh = mesh();
    let model = model(&mesh, &materials()[0]);
    let system = system(
        &model,
        &vec![None; mesh.points.len()],
        &mesh.points,
        &vec![Vector3::x(); mesh.points.len()],
        true,
    );
    assert_eq!(system.matrix.len(), 0);
}

#[test]
fn translation_is_free_and_mass_adds_up() {
    let mesh = mesh();
    for material in materials() {
        let model = model(&mesh, &material);
        let blocks = everything_free(mesh.points.len());
        let x = shaken(&mesh.points, 0.03, 3);
        let stiffness = system(&model, &blocks, &x, &mesh.points, false).matrix;
        for axis in 0..3 {
            let shift =
                DVector::from_fn(
                    stiffness.nrows(),
                    |row, _| if row % 3 == axis { 1.0 } else { 0.0 },
                );
            assert!((&stiffness * shift).amax() < 1e-12 * stiffness.amax() * 10.0);
        }
        let total: f64 = model.lumped_mass().iter().sum();
        let volume = 0.2 * 0.3 * 0.2;
        assert!((total - DENSITY * volume).abs() < 1e-12 * total);
    }
}

#[test]
fn each_body_is_damped_with_its_own_coefficients() {
    // Two bodies of different material, density and damping, and a point that belongs to none.
    let one = mesh();
    let count = one.points.len() as u32;
    let mut both = Mesh {
        points: one.points.clone(),
        tets: one.tets.clone(),
        boundary: Vec::new(),
    };
    both.points
        .extend(one.points.iter().map(|x| x + Vector3::x()));
    both.points.push(Vector3::repeat(5.0));
    both.tets
        .extend(one.tets.iter().map(|tet| tet.map(|n| n + count)));
    let half = one.tets.len();
    let split = |a: f64, b: f64| [vec![a; half], vec![b; half]].concat();
    let materials = materials();
    let damping = [
        RayleighDamping::new(3.0, 0.02).expect("valid"),
        RayleighDamping::new(0.5, 0.1).expect("valid"),
    ];
    let material_of_tet: Vec<_> = [vec![0; half], vec![1; half]].concat();
    let model = ElasticModel::new(
        &both.points,
        &both.tets,
        &materials,
        &material_of_tet,
        &split(1000.0, 500.0),
    )
    .expect("a sound mesh")
    .with_damping(&[vec![damping[0]; half], vec![damping[1]; half]].concat());

    let x = shaken(&both.points, 0.02, 8);
    let blocks: Vec<_> = (0..both.points.len() as u32).map(Some).collect();
    let ours = system(&model, &blocks, &x, &both.points, true).matrix;

    let mut expected = DMatrix::zeros(3 * x.len(), 3 * x.len());
    for (body, density) in [1000.0, 500.0].into_iter().enumerate() {
        let range = body * count as usize..(body + 1) * count as usize;
        let part = Mesh {
            points: both.points[range.clone()].to_vec(),
            tets: one.tets.clone(),
            boundary: Vec::new(),
        };
        let scale = H * H + H * damping[body].stiffness();
        let mut a = dense_stiffness(&part, &materials[body], &x[range.clone()]) * scale;
        for (tet, nodes) in one.tets.iter().enumerate() {
            let mass =
                density * model.elements()[tet].volume / 4.0 * (1.0 + H * damping[body].mass());
            for row in nodes
                .iter()
                .flat_map(|&n| (0..3).map(move |i| 3 * n as usize + i))
            {
                a[(row, row)] += mass;
            }
        }
        expected
            .view_mut((3 * range.start, 3 * range.start), a.shape())
            .copy_from(&a);
    }
    assert_close(&ours, &expected);
    assert!(
        ours.view_range(..ours.nrows() - 3, ..ours.nrows() - 3)
            .clone_owned()
            .cholesky()
            .is_some()
    );
    let drag: f64 = model.lumped_mass_damping().iter().sum();
    let volume = 0.2 * 0.3 * 0.2;
    assert!((drag - volume * (1000.0 * 3.0 + 500.0 * 0.5)).abs() < 1e-12 * drag);
}

#[test]
fn assembly_adds_to_present_entries() {
    let mesh = mesh();
    let model = model(&mesh, &Material::neo_hookean(YOUNG, 0.3).expect("valid"));
    let blocks = everything_free(mesh.points.len());
    let pattern = Arc::new(BlockPattern::from_pairs(
        blocks.len(),
        model.block_pairs(&blocks),
    ));
    let assembler = model.bind(&pattern, &blocks).expect("the pattern fits");
    let x = shaken(&mesh.points, 0.02, 1);
    let still = vec![Vector3::zeros(); x.len()];
    let (mut once, mut twice) = (
        SymmetricBlockMatrix::zeros(pattern.clone()),
        SymmetricBlockMatrix::zeros(pattern),
    );
    let (mut one, mut two) = (vec![0.0; once.len()], vec![0.0; once.len()]);
    let scales = AssemblyScales::implicit_euler(H);
    assembler.assemble(&NodalMotion::new(&x, &still), &scales, &mut once, &mut one);
    for _ in 0..2 {
        assembler.assemble(&NodalMotion::new(&x, &still), &scales, &mut twice, &mut two);
    }
    for (a, b) in once.values().iter().zip(twice.values()) {
        assert!((a * 2.0 - b).amax() < 1e-12 * YOUNG * H);
    }
    assert!(
        one.iter()
            .zip(&two)
            .all(|(a, b)| (2.0 * a - b).abs() < 1e-12 * YOUNG * H)
    );
}

#[test]
fn filling_tetrahedra_have_mass_only_and_hexahedra_share_theirs_evenly() {
    let mesh = cuboid([1, 1, 1], 0.0);
    let plain = model(&mesh, &materials()[0]);
    let (cells, cell_of_tet) = cells(&mesh);
    let filled = plain
        .clone()
        .with_hexahedra(&mesh.points, &cells, &cell_of_tet, &[false])
        .expect("a cube");
    let x = shaken(&mesh.points, 0.02, 3);
    assert!(plain.energy(&x) > 0.0);
    assert!(filled.energy(&x).abs() < f64::MIN_POSITIVE);
    assert!(forces(&filled, &x).amax() < f64::MIN_POSITIVE);
    let blocks = everything_free(x.len());
    let still = vec![Vector3::zeros(); x.len()];
    let of = system(&filled, &blocks, &x, &still, true);
    let eighth = DENSITY * 1e-3 / 8.0;
    assert_close(&of.matrix, &(DMatrix::identity(24, 24) * eighth));
    assert!(of.rhs.amax() < f64::MIN_POSITIVE);
    let difference: f64 = filled.lumped_mass().iter().sum::<f64>() - DENSITY * 1e-3;
    assert!(difference.abs() < 1e-15);
    let only = plain.with_filling(&vec![true; mesh.tets.len()]);
    assert!(only.energy(&x).abs() < f64::MIN_POSITIVE);
    assert!(forces(&only, &x).amax() < f64::MIN_POSITIVE);
}

/// About a moving point, the right-hand side is the elastic impulse less the damping of that motion, on free points
/// too; without a matrix the impulses are the same.
#[test]
fn impulses_are_those_of_elasticity_and_damping() {
    let mesh = mesh();
    let x = shaken(&mesh.points, 0.02, 5);
    let y = shaken(&vec![Vector3::zeros(); x.len()], 2.0, 6);
    let still = vec![Vector3::zeros(); x.len()];
    let (cells, cell_of_tet) = cells(&mesh);
    for material in materials() {
        let tets = model(&mesh, &material);
        let hexahedra = tets
            .clone()
            .with_hexahedra(
                &mesh.points,
                &cells,
                &cell_of_tet,
                &vec![false; cells.len()],
            )
            .expect("cells of the mesh");
        for (model, is_tets) in [(tets, true), (hexahedra, false)] {
            for stiffness_damping in [0.0, 0.03] {
                let damping = RayleighDamping::new(0.0, stiffness_damping).expect("valid");
                let model = model.clone().with_damping(&vec![damping; mesh.tets.len()]);
                let blocks: Vec<_> = (0..x.len() as u32)
                    .map(|p| (p > 3).then(|| p - 4))
                    .collect();
                let count = blocks.iter().flatten().count();
                let pairs = model.block_pairs(&blocks);
                let pattern = Arc::new(BlockPattern::from_pairs(count, pairs));
                let assembler = model.bind(&pattern, &blocks).expect("the pattern fits");
                let mut matrix = SymmetricBlockMatrix::zeros(pattern);
                let (mut about, mut alone) = (vec![0.0; matrix.len()], vec![0.0; matrix.len()]);
                let scales = AssemblyScales::implicit_euler(H);
                let motion = NodalMotion {
                    damped_velocity: Some(&y),
                    ..NodalMotion::new(&x, &still)
                };
                assembler.assemble(&motion, &scales, &mut matrix, &mut about);
                assembler.add_impulses(&x, &scales, &y, &mut alone);
                // Stress is the difference of terms of the size of the stiffness.
                let size = about
                    .iter()
                    .fold(0.01 * YOUNG * H, |most, b| most.max(b.abs()));
                let close = |a: &[f64], b: &[f64]| {
                    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12 * size)
                };
                assert!(close(&about, &alone), "{material:?} {stiffness_damping}");
                if is_tets {
                    let rates = y.iter().flat_map(|y| [y.x, y.y, y.z]);
                    let rates = DVector::from_iterator(3 * y.len(), rates);
                    let dense = dense_stiffness(&mesh, &material, &x) * (H * stiffness_damping);
                    let expected =
                        (forces(&model, &x) * H - dense * rates).select_rows(&places(&blocks));
                    assert!(
                        close(&about, expected.as_slice()),
                        "{material:?} {stiffness_damping}"
                    );
                }
            }
        }
    }
}
