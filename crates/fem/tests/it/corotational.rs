//! The co-rotational element is linear elasticity in a co-rotated frame.

use crate::support::{
    POISSON, Random, YOUNG, convex_tangent, cuboid, deformation, element_matrix, materials, model,
    shaken,
};
use impinge_fem::Hyperelastic;
use impinge_fem::kinematics::rotation_factor;
use nalgebra::{Matrix3, SMatrix, Vector3};

/// The textbook element matrix `w₀ Bᵀ D B` with engineering strains (xx, yy, zz, xy, yz, zx).
fn textbook(rest: &[Vector3<f64>; 4]) -> SMatrix<f64, 12, 12> {
    let edges = Matrix3::from_columns(&[rest[1] - rest[0], rest[2] - rest[0], rest[3] - rest[0]]);
    let inverse = edges.try_inverse().expect("the element has a volume");
    let mut b = SMatrix::<f64, 6, 12>::zeros();
    for vertex in 0..4 {
        let g: Vector3<f64> = if vertex == 0 {
            -Vector3::from_fn(|j, _| inverse.column(j).sum())
        } else {
            inverse.row(vertex - 1).transpose()
        };
        for (axis, next) in [(0, 1), (1, 2), (2, 0)] {
            b[(axis, 3 * vertex + axis)] = g[axis];
            b[(3 + axis, 3 * vertex + axis)] = g[next];
            b[(3 + axis, 3 * vertex + next)] = g[axis];
        }
    }
    let factor = YOUNG / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
    let mut d = SMatrix::<f64, 6, 6>::zeros();
    for i in 0..3 {
        for j in 0..3 {
            d[(i, j)] = factor * if i == j { 1.0 - POISSON } else { POISSON };
        }
        d[(3 + i, 3 + i)] = factor * (0.5 - POISSON);
    }
    b.transpose() * d * b * (edges.determinant() / 6.0)
}

fn turned(k: &SMatrix<f64, 12, 12>, r: &Matrix3<f64>) -> SMatrix<f64, 12, 12> {
    let mut q = SMatrix::<f64, 12, 12>::zeros();
    for vertex in 0..4 {
        q.fixed_view_mut::<3, 3>(3 * vertex, 3 * vertex)
            .copy_from(r);
    }
    q * k * q.transpose()
}

fn element(seed: u64) -> [Vector3<f64>; 4] {
    let mut random = Random(seed);
    [Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()]
        .map(|x| (x + random.vector() * 0.1) * 0.1)
}

#[test]
fn stiffness_is_the_textbook_matrix_turned() {
    let [material, ..] = materials();
    for seed in 0..50 {
        let rest = element(seed);
        let mut random = Random(seed + 1000);
        for f in [
            Matrix3::identity(),
            random.rotation(),
            Matrix3::identity() + random.matrix(),
            random.matrix(),
        ] {
            let ours = element_matrix(&rest, &convex_tangent(&material, &f));
            let expected = turned(&textbook(&rest), &rotation_factor(&f));
            assert!((ours - expected).amax() < 1e-12 * expected.amax());
        }
    }
}

#[test]
fn stiffness_is_the_exact_derivative_where_there_is_no_strain() {
    let [material, ..] = materials();
    for seed in 0..50 {
        let mut random = Random(seed);
        let (r, change) = (random.rotation(), random.matrix());
        let exact = material.exact_tangent(&r).differential(&change);
        let used = material.convex_response(&r).tangent.differential(&change);
        assert!((exact - used).amax() < 1e-9 * YOUNG);
        // But not under stretch: the tangent omits the derivative of the rotation.
        let f = r * Matrix3::from_diagonal(&Vector3::new(1.5, 1.2, 1.1));
        let exact = material.exact_tangent(&f).differential(&change);
        let used = material.convex_response(&f).tangent.differential(&change);
        assert!((exact - used).amax() > 1e-3 * YOUNG);
    }
}

#[test]
fn pure_rotation_gives_no_force() {
    let mesh = cuboid([3, 3, 3], 0.2);
    let [material, ..] = materials();
    let model = model(&mesh, &material);
    let mut random = Random(4);
    let mut forces = vec![Vector3::zeros(); mesh.points.len()];
    for _ in 0..20 {
        let (r, t) = (random.rotation(), random.vector());
        let x: Vec<_> = mesh.points.iter().map(|x| r * x + t).collect();
        model.elastic_force_into(&x, &mut forces);
        let largest = forces.iter().map(Vector3::norm).fold(0.0, f64::max);
        assert!(largest < 1e-10 * YOUNG * 0.01, "{largest}");
    }
}

#[test]
fn forces_turn_with_the_body() {
    let mesh = cuboid([2, 2, 2], 0.2);
    let x = shaken(&mesh.points, 0.03, 9);
    let r = Random(10).rotation();
    let turned: Vec<_> = x.iter().map(|x| r * x).collect();
    for material in materials() {
        let model = model(&mesh, &material);
        let (mut here, mut there) = (
            vec![Vector3::zeros(); x.len()],
            vec![Vector3::zeros(); x.len()],
        );
        model.elastic_force_into(&x, &mut here);
        model.elastic_force_into(&turned, &mut there);
        let size = here.iter().map(Vector3::norm).fold(0.0, f64::max);
        for (a, b) in here.iter().zip(&there) {
            assert!((r * a - b).norm() < 1e-10 * size);
        }
        let torque: Vector3<f64> = x.iter().zip(&here).map(|(x, f)| x.cross(f)).sum();
        assert!(torque.norm() < 1e-10 * size);
    }
}

#[test]
fn deformation_of_an_element_agrees_with_its_edges() {
    let rest = element(3);
    let tet = impinge_fem::TetElement::new([0, 1, 2, 3], &rest).expect("a sound element");
    let now = rest.map(|x| x + Vector3::new(x.y, -x.z, 0.3 * x.x * x.y) + Vector3::repeat(1e3));
    let difference = tet.deformation(&now) - deformation(&rest, &now);
    assert!(difference.amax() < 1e-10);
}
