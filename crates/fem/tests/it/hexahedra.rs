//! Trilinear hexahedra against sums over Gauss points that share no code with the crate, laws and closed forms.

use crate::support::{DENSITY, Mesh, POISSON, YOUNG, cells, cuboid, hex_model, materials, shaken};
use impinge_fem::{
    AssemblyScales, ElasticModel, FemError, HexElement, Hyperelastic, Material, NodalMotion,
};
use impinge_krylov::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use std::sync::Arc;

const H: f64 = 1e-2;

/// Corners of the reference cube.
const SIGNS: [[f64; 3]; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

/// Weight and gradients of the shape functions `N_a = Π ½(1 + c ξ)` at the eight Gauss points. They are linear in each
/// coordinate, so differences are derivatives.
fn gauss_points(rest: &[Vector3<f64>; 8]) -> Vec<(f64, [Vector3<f64>; 8])> {
    let shape = |c: [f64; 3], at: [f64; 3]| -> f64 {
        (0..3)
            .map(|axis| 0.5 * (1.0 + c[axis] * at[axis]))
            .product()
    };
    let place = 3_f64.sqrt().recip();
    let mut points = Vec::new();
    for (i, j, k) in (0..8).map(|n| (n & 1, n >> 1 & 1, n >> 2)) {
        let at = [i, j, k].map(|side| if side == 0 { -place } else { place });
        let slopes = SIGNS.map(|c| {
            Vector3::from_fn(|axis, _| {
                let (mut up, mut down) = (at, at);
                up[axis] += 0.5;
                down[axis] -= 0.5;
                shape(c, up) - shape(c, down)
            })
        });
        let jacobian = (rest.iter().zip(&slopes))
            .map(|(x, slope)| x * slope.transpose())
            .sum::<Matrix3<f64>>();
        let turned = jacobian.transpose().lu();
        let gradients = slopes.map(|slope| turned.solve(&slope).expect("a sound cell"));
        points.push((jacobian.determinant(), gradients));
    }
    points
}

/// Energy, and forces and stiffness of all points.
fn dense(
    mesh: &Mesh,
    material: &Material,
    x: &[Vector3<f64>],
) -> (f64, DVector<f64>, DMatrix<f64>) {
    let size = 3 * x.len();
    let (mut energy, mut forces, mut k) = (0.0, DVector::zeros(size), DMatrix::zeros(size, size));
    for cell in cells(mesh).0 {
        let rest = cell.map(|node| mesh.points[node as usize]);
        for (weight, gradients) in gauss_points(&rest) {
            let f = (cell.iter().zip(&gradients))
                .map(|(&node, g)| x[node as usize] * g.transpose())
                .sum::<Matrix3<f64>>();
            energy += weight * material.energy_density(&f);
            let response = material.convex_response(&f);
            for (a, ga) in cell.iter().zip(&gradients) {
                let force = response.stress * ga * weight;
                for i in 0..3 {
                    forces[3 * *a as usize + i] -= force[i];
                }
                for (b, gb) in cell.iter().zip(&gradients) {
                    for j in 0..3 {
                        let change = Vector3::ith(j, 1.0) * gb.transpose();
                        let column = response.tangent.differential(&change) * ga * weight;
                        for i in 0..3 {
                            k[(3 * *a as usize + i, 3 * *b as usize + j)] += column[i];
                        }
                    }
                }
            }
        }
    }
    (energy, forces, k)
}

/// Matrix and right-hand side of a step, without mass.
fn system(
    model: &ElasticModel,
    blocks: &[Option<u32>],
    x: &[Vector3<f64>],
    v: &[Vector3<f64>],
) -> (DMatrix<f64>, DVector<f64>) {
    let count = blocks.iter().flatten().count();
    let pattern = Arc::new(BlockPattern::from_pairs(count, model.block_pairs(blocks)));
    let assembler = model.bind(&pattern, blocks).expect("the pattern fits");
    let mut matrix = SymmetricBlockMatrix::zeros(pattern);
    let mut rhs = vec![0.0; matrix.len()];
    assembler.assemble(
        &NodalMotion::new(x, v),
        &AssemblyScales::implicit_euler(H),
        &mut matrix,
        &mut rhs,
    );
    (DMatrix::from(&matrix.to_csr()), DVector::from_vec(rhs))
}

/// Matrix, forces and energy are sums over Gauss points; terms of prescribed points are on the right-hand side.
#[test]
fn assembled_hexahedra_are_sums_over_gauss_points() {
    let mesh = cuboid([2, 3, 2], 0.2);
    let x = shaken(&mesh.points, 0.02, 5);
    let v = shaken(&vec![Vector3::zeros(); x.len()], 2.0, 6);
    let mut next = 0;
    let blocks: Vec<_> = (0..x.len())
        .map(|point| {
            (point % 4 != 1).then(|| {
                next += 1;
                next - 1
            })
        })
        .collect();
    let free: Vec<_> = (0..x.len())
        .filter(|&point| blocks[point].is_some())
        .collect();
    let blocks: Vec<_> = blocks
        .iter()
        .map(|block: &Option<u32>| block.map(|b| (b * 5 + 2) % next))
        .collect();
    let mut place = vec![0; 3 * free.len()];
    for &point in &free {
        let block = blocks[point].expect("free") as usize;
        for axis in 0..3 {
            place[3 * block + axis] = 3 * point + axis;
        }
    }
    for material in materials() {
        let model = hex_model(&mesh, &material);
        let (energy, forces, k) = dense(&mesh, &material, &x);
        let found = model.energy(&x);
        assert!((found / energy - 1.0).abs() < 1e-12, "{found} {energy}");
        let mut ours = vec![Vector3::zeros(); x.len()];
        model.elastic_force_into(&x, &mut ours);
        let ours = DVector::from_iterator(forces.len(), ours.iter().flat_map(|f| [f.x, f.y, f.z]));
        assert!((&ours - &forces).amax() < 1e-12 * forces.amax());

        let (matrix, rhs) = system(&model, &blocks, &x, &v);
        let k = k * (H * H);
        let expected = k.select_rows(&place).select_columns(&place);
        assert!((&matrix - &expected).amax() < 1e-12 * expected.amax());
        let mut known =
            DVector::from_iterator(forces.len(), v.iter().flat_map(|v| [v.x, v.y, v.z]));
        for &row in &place {
            known[row] = 0.0;
        }
        let expected = (forces * H - k * known).select_rows(&place);
        assert!((&rhs - &expected).amax() < 1e-12 * expected.amax());
    }
}

/// Forces are the negative gradient of the energy. The matrix is the negative derivative of the forces where nothing is
/// projected.
#[test]
fn forces_and_matrix_are_derivatives() {
    let mesh = cuboid([2, 1, 1], 0.0);
    let blocks: Vec<_> = (0..mesh.points.len() as u32).map(Some).collect();
    let still = vec![Vector3::zeros(); mesh.points.len()];
    let step = 1e-6;
    for material in materials() {
        let model = hex_model(&mesh, &material);
        // At rest the tangent of every material is exact.
        let (matrix, _) = system(&model, &blocks, &mesh.points, &still);
        for (x, with_matrix) in [
            (shaken(&mesh.points, 0.02, 3), false),
            (mesh.points.clone(), true),
        ] {
            let mut forces = still.clone();
            model.elastic_force_into(&x, &mut forces);
            for point in 0..x.len() {
                for axis in 0..3 {
                    let moved = |by: f64| {
                        let mut moved = x.clone();
                        moved[point][axis] += by;
                        let mut forces = still.clone();
                        model.elastic_force_into(&moved, &mut forces);
                        (model.energy(&moved), forces)
                    };
                    let (up, down) = (moved(step), moved(-step));
                    let slope = (up.0 - down.0) / (2.0 * step);
                    let error = (slope + forces[point][axis]).abs();
                    assert!(error < 1e-6 * YOUNG * 0.01, "{error:e}");
                    if !with_matrix {
                        continue;
                    }
                    for (row, (up, down)) in up.1.iter().zip(&down.1).enumerate() {
                        let slope = (up - down) * (-H * H / (2.0 * step));
                        let column = matrix.fixed_view::<3, 1>(3 * row, 3 * point + axis);
                        let error = (slope - column).amax();
                        assert!(error < 1e-6 * matrix.amax(), "{material:?}: {error:e}");
                    }
                }
            }
        }
    }
}

/// The patch test on irregular cells: an affine motion has the energy `V Ψ(F)` and no forces at inner points.
#[test]
fn an_affine_motion_is_exact() {
    let mesh = cuboid([3, 3, 3], 0.25);
    let gradient = Matrix3::new(1.1, 0.2, 0.0, -0.1, 0.9, 0.15, 0.05, 0.0, 1.2);
    let x: Vec<_> = (mesh.points.iter())
        .map(|x| gradient * x + Vector3::x())
        .collect();
    let volume = 0.3_f64.powi(3);
    for material in materials() {
        let model = hex_model(&mesh, &material);
        let expected = volume * material.energy_density(&gradient);
        let error = model.energy(&x) / expected - 1.0;
        assert!(error.abs() < 1e-12, "{error:e}");
        let mut forces = vec![Vector3::zeros(); x.len()];
        model.elastic_force_into(&x, &mut forces);
        for (force, on_face) in forces.iter().zip(&mesh.boundary) {
            assert!(*on_face || force.norm() < 1e-10 * YOUNG * 0.01, "{force:?}");
        }
        let mut stresses = vec![0.0; mesh.tets.len()];
        model.von_mises_into(&x, &mut stresses);
        let expected = material.von_mises(&gradient);
        assert!(stresses.iter().all(|s| (s / expected - 1.0).abs() < 1e-9));
        let mass: f64 = model.lumped_mass().iter().sum();
        assert!((mass / (DENSITY * volume) - 1.0).abs() < 1e-12);
    }
}

/// In pure bending `σ_zz = E κ y` at the Gauss points `y = ± h/(2√3)`; all tetrahedra of the cell have this von Mises
/// stress.
#[test]
fn a_bent_hexahedron_shows_the_stress_of_its_gauss_points() {
    let mesh = cuboid([1, 1, 1], 0.0);
    let (height, curvature) = (0.1, 1e-6);
    // Without a Poisson effect: u_z = κ y z alone is also in equilibrium at points of z = 0; there it has no shear.
    let bent = |x: &Vector3<f64>| {
        let (y, z) = (x.y - 0.5 * height, x.z - 0.5 * height);
        x + Vector3::new(0.0, 0.0, curvature * y * z)
    };
    let x: Vec<_> = mesh.points.iter().map(bent).collect();
    let material = Material::corotational(YOUNG, 0.0).expect("valid");
    let model = hex_model(&mesh, &material);
    let mut stresses = vec![0.0; 6];
    model.von_mises_into(&x, &mut stresses);
    // ε_zz = κ y and ε_yz = κ z/2: with ν = 0 the von Mises stress is E κ √(y² + 3/4 z²), |y| = |z| = h/(2√3).
    let expected = YOUNG * curvature * height / 12_f64.sqrt() * 1.75_f64.sqrt();
    for stress in stresses {
        assert!(
            (stress / expected - 1.0).abs() < 1e-4,
            "{stress} {expected}"
        );
    }
}

/// A corner pushed through the cell inverts it before any Gauss point is inverted; each hexahedron counts once.
#[test]
fn hexahedra_are_inverted_where_a_corner_is() {
    let mesh = cuboid([2, 1, 1], 0.0);
    let model = hex_model(&mesh, &materials()[0]);
    assert_eq!(model.inverted_elements(&mesh.points), 0);
    let (cells, _) = cells(&mesh);
    let corner = *cells[0]
        .iter()
        .find(|n| !cells[1].contains(n))
        .expect("its own corner");
    let middle = cells[0]
        .iter()
        .map(|&n| mesh.points[n as usize])
        .sum::<Vector3<f64>>()
        / 8.0;
    let mut x = mesh.points.clone();
    let pushed = |by: f64| {
        let start = mesh.points[corner as usize];
        start + (middle - start) * by
    };
    // det F at the corner is 1 − 3 t with edges shortened by t = by/2.
    x[corner as usize] = pushed(0.5);
    let ratio = model.minimum_volume_ratio(&x).expect("elements");
    assert!(
        (ratio.ratio - 0.25).abs() < 1e-12 && ratio.element < 6,
        "{ratio:?}"
    );
    assert_eq!(model.inverted_elements(&x), 0);
    x[corner as usize] = pushed(0.8);
    let gather = cells[0].map(|node| x[node as usize]);
    let rest = cells[0].map(|node| mesh.points[node as usize]);
    let element = HexElement::new(cells[0], &rest).expect("a cube");
    let inside = (element.points.iter()).map(|at| at.deformation(&gather).determinant());
    assert!(inside.fold(f64::INFINITY, f64::min) > 0.0);
    assert!(element.volume_ratio(&gather) < 0.0);
    assert_eq!(model.inverted_elements(&x), 1);
    x[corner as usize].z = f64::NAN;
    assert_eq!(model.inverted_elements(&x), 1);
    assert!(
        model
            .minimum_volume_ratio(&x)
            .expect("elements")
            .ratio
            .is_nan()
    );
}

/// A cell with a wrong order of corners has no rest shape.
#[test]
fn a_folded_cell_is_refused() {
    let mesh = cuboid([1, 1, 1], 0.0);
    let (mut cells, cell_of_tet) = cells(&mesh);
    cells[0].swap(2, 3);
    let model = crate::support::model(
        &mesh,
        &Material::corotational(YOUNG, POISSON).expect("valid"),
    );
    let refused = model.with_hexahedra(&mesh.points, &cells, &cell_of_tet, &[true]);
    let error = refused.expect_err("folded");
    assert!(
        matches!(error, FemError::RestHexahedron { cell: 0, .. }),
        "{error}"
    );
    assert!(
        error.to_string().contains("four bottom points in order"),
        "{error}"
    );
}
