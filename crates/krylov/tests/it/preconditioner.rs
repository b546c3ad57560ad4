//! Preconditioners: matrices for which they are exact, and matrices that they reject.

use impinge_krylov::{BlockJacobi, Jacobi, KrylovError, Preconditioner};
use nalgebra::Matrix3;
use proptest::prelude::*;

use crate::common::{Numbers, positive_matrix, product};

/// The blocks here have condition numbers of at most some hundreds.
const TOLERANCE: f64 = 1e-10;

proptest! {
    #[test]
    fn block_jacobi_inverts_block_diagonal_matrices(blocks in 1_usize..50, seed in any::<u64>()) {
        let matrix = positive_matrix(blocks, [], seed);
        let r = Numbers::new(seed).vector(matrix.len());
        let mut z = vec![f64::NAN; r.len()];
        BlockJacobi::new(&matrix).expect("positive definite").apply(&r, &mut z);
        for (again, r) in product(&matrix, &z).iter().zip(&r) {
            prop_assert!((again - r).abs() < TOLERANCE);
        }
    }
}

#[test]
fn jacobi_divides_by_the_diagonal() {
    let mut z = [0.0; 3];
    Jacobi::new(&[2.0, 4.0, 8.0])
        .unwrap()
        .apply(&[1.0; 3], &mut z);
    assert_eq!(
        z.map(f64::to_bits),
        [0.5_f64, 0.25, 0.125].map(f64::to_bits)
    );
}

#[test]
fn useless_diagonals_are_refused_by_index() {
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Jacobi::new(&[1.0, value]).unwrap_err();
        assert!(matches!(
            error,
            KrylovError::NonPositiveDiagonal { row: 1, .. }
        ));
    }
    for block in [
        Matrix3::zeros(),
        -Matrix3::identity(),
        Matrix3::identity() * f64::NAN,
        Matrix3::new(1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    ] {
        let mut matrix = positive_matrix(4, [(0, 1)], 1);
        *matrix.diagonal_block_mut(2) = block;
        assert_eq!(
            BlockJacobi::new(&matrix).unwrap_err(),
            KrylovError::IndefiniteBlock { block: 2 }
        );
    }
}
