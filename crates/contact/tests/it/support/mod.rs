//! Problems, and a reference that is independent of the tested methods.

pub(crate) mod delassus;
pub(crate) mod lattice;

use impinge_contact::{ContactProblem, ContactRow};
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

/// Step length of most problems (s).
pub(crate) const TIME_STEP: f64 = 1e-3;

/// Rows `n, t₁, t₂` of the ground: the normal is `+z`, the tangents are `+x` and `+y`.
pub(crate) fn ground() -> Matrix3<f64> {
    Matrix3::new(0., 0., 1., 1., 0., 0., 0., 1., 0.)
}

/// Rows of a frame that is not aligned with the axes.
pub(crate) fn oblique() -> Matrix3<f64> {
    let normal = Vector3::new(1.0, -2.0, 3.0).normalize();
    impinge_contact::frame::ContactFrame::around(normal).rows()
}

/// Free particles of the given masses (kg) with the free velocities `velocities` (m/s).
pub(crate) fn particles(masses: &[f64], velocities: &[Vector3<f64>]) -> ContactProblem {
    let mut momentum = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(masses.len(), []));
    let mut rhs = Vec::new();
    for (block, (mass, velocity)) in masses.iter().zip(velocities).enumerate() {
        *momentum.diagonal_block_mut(block) = Matrix3::from_diagonal_element(*mass);
        rhs.extend_from_slice((*mass * velocity).as_slice());
    }
    ContactProblem::new(TIME_STEP, momentum, rhs)
}

/// Adds a contact of the given weights: `offset` is `(c_n, c_t)` (m).
pub(crate) fn push(
    problem: &mut ContactProblem,
    frame: &Matrix3<f64>,
    weights: &[(u32, f64)],
    offset: Vector3<f64>,
    friction: f64,
) -> usize {
    let entries: Vec<_> = weights
        .iter()
        .map(|&(block, weight)| (block, frame * (weight * problem.time_step)))
        .collect();
    problem.push(&ContactRow {
        entries: &entries,
        offset,
        friction,
    })
}

/// `A` as a dense matrix (kg).
pub(crate) fn dense_momentum(problem: &ContactProblem) -> DMatrix<f64> {
    DMatrix::from(&problem.momentum.to_csr())
}

/// `[J; J_t]` as a dense matrix, three rows per contact (s).
pub(crate) fn dense_rows(problem: &ContactProblem) -> DMatrix<f64> {
    let mut rows = DMatrix::zeros(3 * problem.contacts(), problem.unknowns());
    for contact in 0..problem.contacts() {
        let (blocks, jacobians) = problem.row(contact);
        for (&block, jacobian) in blocks.iter().zip(jacobians) {
            let mut view = rows.fixed_view_mut::<3, 3>(3 * contact, 3 * block as usize);
            view += jacobian;
        }
    }
    rows
}

/// `√(xᵀ A x)`.
pub(crate) fn energy_norm(momentum: &DMatrix<f64>, x: &DVector<f64>) -> f64 {
    x.dot(&(momentum * x)).max(0.0).sqrt()
}

/// The given number of cases of a property, the same ones in every run.
pub(crate) fn cases(count: u32) -> proptest::test_runner::Config {
    proptest::test_runner::Config {
        cases: count,
        rng_seed: proptest::test_runner::RngSeed::Fixed(2019),
        failure_persistence: None,
        // A broken solver reaches its iteration limit in every case, so shrinking is limited.
        max_shrink_iters: 100,
        ..Default::default()
    }
}
