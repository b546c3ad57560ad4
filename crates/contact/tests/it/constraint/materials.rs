//! Materials with their own potential, gradients without elements, and constraints in stiffness form.

use super::catalogue::{Numbers, State, cube};
use impinge_contact::constraint::link::{Measure, element};
use impinge_contact::constraint::strain::{
    PrincipalStretches, StretchEnergy, hexahedron, moving_least_squares, solid, tetrahedron,
};
use impinge_contact::constraint::{
    Condenser, Configuration, Constraint, ConstraintError, Definiteness, Evaluation, Layout,
    Placement, Point,
};
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use std::sync::Arc;

/// `Ψ = Σ (σ − 1)² + (σ₁ + σ₂ + σ₃ − 3)⁴/4 + (σ₁² + σ₂² + σ₃² − 3)²/8`: stiff, not linear, symmetric.
#[derive(Debug)]
struct Quartic;

impl StretchEnergy for Quartic {
    fn energy(&self, s: &Vector3<f64>) -> f64 {
        let (t, u) = (s.sum() - 3.0, s.norm_squared() - 3.0);
        s.map(|x| (x - 1.0).powi(2)).sum() + t.powi(4) / 4.0 + u * u / 8.0
    }

    fn stress(&self, s: &Vector3<f64>) -> Vector3<f64> {
        let (t, u) = (s.sum() - 3.0, s.norm_squared() - 3.0);
        s.map(|x| 2.0 * (x - 1.0) + t.powi(3) + 0.5 * u * x)
    }

    fn stiffness(&self, s: &Vector3<f64>) -> Matrix3<f64> {
        let (t, u) = (s.sum() - 3.0, s.norm_squared() - 3.0);
        Matrix3::from_diagonal_element(2.0 + 0.5 * u)
            + Matrix3::repeat(3.0 * t * t)
            + s * s.transpose()
    }

    fn shear(&self, s: &Vector3<f64>) -> Vector3<f64> {
        Vector3::repeat(2.0 + 0.5 * (s.norm_squared() - 3.0))
    }
}

const WEIGHT: f64 = 0.3;

fn stretches() -> Constraint {
    let at = hexahedron(&cube()).expect("volume").swap_remove(3);
    let law = PrincipalStretches::of_material(at.gradients, WEIGHT, Arc::new(Quartic));
    Constraint::new(law, (0..8).map(Point::particle).collect()).expect("well posed")
}

/// Force on eight particles, `Jᵀ λ` with `λ = −∂V/∂φ`; energy; and `−∂f/∂x`, exact and projected.
struct Response {
    energy: f64,
    force: DVector<f64>,
    matrix: DMatrix<f64>,
}

/// Through [`Condenser`] with a step of 1 s.
fn condensed(constraint: &Constraint, x: &[Vector3<f64>]) -> Response {
    let blocks: Vec<Option<u32>> = (0..8).map(Some).collect();
    let placement = Placement {
        state: Configuration {
            particles: x,
            frames: &[],
        },
        layout: Layout {
            particles: &blocks,
            bodies: &[],
        },
    };
    let mut evaluation = Evaluation::default();
    evaluation.rows(constraint, &placement);
    let pairs = (0..8).flat_map(|a| (a..8).map(move |b| (a, b)));
    let pattern = Arc::new(BlockPattern::from_pairs(8, pairs));
    let mut matrix = SymmetricBlockMatrix::zeros(pattern);
    let mut rhs = vec![0.0; 24];
    let mut condenser = Condenser::default();
    assert!(condenser.prepare(constraint, &evaluation));
    condenser.scatter(&evaluation, 1.0, &mut matrix, &mut rhs);
    let lambda = condenser.lambda.clone();
    evaluation.stiffness(constraint, &placement, &lambda, Definiteness::Exact);
    let mut dense = DMatrix::from(&matrix.to_csr());
    let count = evaluation.blocks.len();
    for (a, &row) in evaluation.blocks.iter().enumerate() {
        for (b, &column) in evaluation.blocks.iter().enumerate() {
            let mut block = dense.fixed_view_mut::<3, 3>(3 * row as usize, 3 * column as usize);
            block -= evaluation.stiffness[a * count + b];
        }
    }
    let value = DVector::from_column_slice(&evaluation.value);
    let energy = match (&evaluation.response, constraint.stiffness()) {
        (Some(response), _) => response.energy,
        (None, Some(stiffness)) => 0.5 * value.dot(&(stiffness * &value)),
        (None, None) => 0.0,
    };
    Response {
        energy,
        force: DVector::from_vec(rhs),
        matrix: dense,
    }
}

fn moved(x: &[Vector3<f64>], unknown: usize, by: f64) -> Vec<Vector3<f64>> {
    let mut x = x.to_vec();
    x[unknown / 3][unknown % 3] += by;
    x
}

/// In stiffness form, force and matrix are first and second derivatives of the energy: linear laws, and stretches.
#[test]
fn stiffness_form_is_the_second_derivative_of_the_energy() {
    let points = hexahedron(&cube()).expect("volume");
    let nodes = || (0..8).map(Point::particle).collect::<Vec<_>>();
    let law = solid(3.0, 0.3).expect("sound");
    let of = |measure| element(measure, points[5].clone(), nodes(), &law).expect("sound");
    let cases = [
        ("stretches", stretches()),
        ("green", of(Measure::GreenSolid)),
        ("corotational", of(Measure::Corotational)),
    ];
    for seed in 0..5 {
        let state = State::random(&mut Numbers::new(seed));
        let x = &state.particles;
        for (name, constraint) in &cases {
            let here = condensed(constraint, x);
            let size = here.matrix.amax();
            let h = 1e-5;
            for unknown in 0..24 {
                let [up, down] = [h, -h].map(|by| condensed(constraint, &moved(x, unknown, by)));
                let slope = (up.energy - down.energy) / (2.0 * h);
                let error = (here.force[unknown] + slope).abs();
                assert!(error < 1e-8 * size, "{name}: force {error:e}");
                let column = (up.force - down.force) / (2.0 * h);
                let error = (here.matrix.column(unknown) + column).amax();
                assert!(
                    error < 1e-6 * size,
                    "{name}: stiffness {error:e} of {size:e}"
                );
            }
        }
    }
}

/// For equal or nearly equal stretches the matrix is still the derivative of the force: `(pᵢ − pⱼ)/(σᵢ − σⱼ)` has a
/// limit.
#[test]
fn nearly_equal_stretches_have_the_limit_of_their_differences() {
    let at = hexahedron(&cube()).expect("volume").swap_remove(3);
    let nodes = (0..8).map(Point::particle).collect();
    // The compliance of the three normal strains of an isotropic solid.
    let compliance = solid(3.0, 0.3)
        .expect("sound")
        .view((0, 0), (3, 3))
        .into_owned();
    let linear = element(Measure::Stretches, at, nodes, &compliance).expect("isotropic");
    let turn = nalgebra::Rotation3::from_euler_angles(0.3, -0.8, 0.5);
    let axes = nalgebra::Rotation3::from_euler_angles(-0.4, 0.2, 1.1);
    for (name, constraint) in [("quartic", stretches()), ("linear", linear)] {
        for distance in [0.0, 1e-13, 1e-10, 1e-7, 1e-5, 1e-4, 1e-3] {
            let sigma = Vector3::new(1.2 + distance, 1.2, 1.2 - 0.3 * distance);
            let f = turn * axes * Matrix3::from_diagonal(&sigma) * axes.transpose();
            let x: Vec<Vector3<f64>> = cube().iter().map(|x| f * x).collect();
            let here = condensed(&constraint, &x);
            let h = 1e-5;
            for unknown in 0..24 {
                let [up, down] = [h, -h].map(|by| condensed(&constraint, &moved(&x, unknown, by)));
                let column = (up.force - down.force) / (2.0 * h);
                let error = (here.matrix.column(unknown) + column).amax() / here.matrix.amax();
                assert!(error < 1e-6, "{name}, {distance:e} apart: {error:e}");
            }
        }
    }
}

/// Stretches have no direction, so an anisotropic material is rejected.
#[test]
fn stretches_of_a_material_with_fibres_are_refused() {
    let at = hexahedron(&cube()).expect("volume").swap_remove(0);
    let compliance = DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1.0, 2.0]));
    let nodes = (0..8).map(Point::particle).collect();
    let error = element(Measure::Stretches, at, nodes, &compliance).expect_err("fibres");
    assert!(error.to_string().contains("isotropic"), "{error}");
}

/// A material resists shear at zero strain, although its force is zero there.
#[test]
fn a_material_resists_shear_at_rest() {
    let response = condensed(&stretches(), &cube());
    assert!(response.force.amax() < 1e-12);
    let mut shear = DVector::zeros(24);
    for (node, x) in cube().iter().enumerate() {
        shear[3 * node] = x.y;
    }
    let twice_energy = shear.dot(&(&response.matrix * &shear));
    // Two of the unit's κ_s/2 for a shear of 1.
    let expected = WEIGHT * Quartic.shear(&Vector3::repeat(1.0))[0] * 0.5;
    assert!(
        (twice_energy / expected - 1.0).abs() < 1e-9,
        "{twice_energy} {expected}"
    );
}

/// Moving least squares give linear motions their exact gradient at any point, and distant nodes none.
#[test]
fn gradients_without_elements_are_exact_for_linear_motions() {
    let mut numbers = Numbers::new(9);
    let rest: Vec<Vector3<f64>> = (0..30).map(|_| numbers.vector()).collect();
    let f = Matrix3::from_fn(|_, _| numbers.number());
    let shift = numbers.vector();
    for _ in 0..20 {
        let at = numbers.vector() * 0.5;
        let point = moving_least_squares(at, &rest, 1.1, 0.1).expect("in reach");
        let mut found = Matrix3::zeros();
        for (x, g) in rest.iter().zip(&point.gradients) {
            found += (f * x + shift) * g.transpose();
            assert!((x - at).norm() < 1.1 || g.amax() < f64::MIN_POSITIVE);
        }
        assert!((found - f).amax() < 1e-10, "{found} {f}");
    }
}

/// With the four corners of a tetrahedron alone it is that tetrahedron; coplanar nodes are rejected.
#[test]
fn four_nodes_make_a_tetrahedron_and_a_plane_is_refused() {
    let rest = [0, 1, 3, 4].map(|corner| cube()[corner]);
    let middle = rest.iter().sum::<Vector3<f64>>() * 0.25;
    let point = moving_least_squares(middle, &rest, 2.0, 0.1).expect("in reach");
    let element = tetrahedron(&rest).expect("volume");
    for (a, b) in point.gradients.iter().zip(&element.gradients) {
        assert!((a - b).amax() < 1e-12);
    }
    let flat: Vec<Vector3<f64>> = (0..4).map(|corner| cube()[corner]).collect();
    assert!(matches!(
        moving_least_squares(middle, &flat, 2.0, 0.1),
        Err(ConstraintError::Neighbourhood { radius: 2.0 })
    ));
}
