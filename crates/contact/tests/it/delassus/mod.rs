//! Friction problems.

mod blocks;
pub(crate) mod fcp;
mod judge;
mod local;
mod methods;
mod problem;
mod reference;

use impinge_contact::delassus::{BlockRows, FrictionProblem};
use nalgebra::{DMatrix, Matrix3, Vector3};
use proptest::prelude::*;

/// A dense matrix as blocks.
pub(crate) fn blocks_of(dense: &DMatrix<f64>) -> BlockRows {
    let size = dense.nrows() / 3;
    let mut triplets = Vec::new();
    for row in 0..size {
        for column in 0..size {
            let block: Matrix3<f64> = dense.fixed_view::<3, 3>(3 * row, 3 * column).into();
            if block != Matrix3::zeros() {
                triplets.push((row, column, block));
            }
        }
    }
    BlockRows::from_triplets(size, triplets).expect("every place once")
}

/// Contacts of single particles and of pairs: `W = J M⁻¹ Jᵀ`, `q = J v`.
///
/// `u = 0` is the velocity of a rigid wall, so the problem always has a solution; with fewer unknowns than contact
/// components `W` is rank deficient.
pub(crate) fn pile() -> impl Strategy<Value = FrictionProblem> {
    (1_usize..8, 1_usize..5).prop_flat_map(|(contacts, bodies)| {
        let numbers = |count, range| proptest::collection::vec(range, count);
        (
            numbers(contacts * bodies * 9, -1.0..1.0),
            numbers(bodies, 0.1..10.0),
            numbers(3 * bodies, -3.0..3.0),
            numbers(contacts, 0.0..0.9),
        )
            .prop_map(move |(rows, masses, velocity, mu)| {
                let j = DMatrix::from_row_slice(3 * contacts, 3 * bodies, &rows);
                let inverse = DMatrix::from_fn(3 * bodies, 3 * bodies, |i, k| {
                    if i == k { 1.0 / masses[i / 3] } else { 0.0 }
                });
                let w = &j * inverse * j.transpose();
                let q: nalgebra::DVector<f64> = &j * nalgebra::DVector::from_vec(velocity);
                let q = q.as_slice().chunks_exact(3);
                let q = q.map(Vector3::from_column_slice).collect();
                FrictionProblem::new("pile", blocks_of(&w), q, mu).expect("a sound problem")
            })
    })
}
