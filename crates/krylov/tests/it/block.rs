//! Patterns, and the product against oracles.

use impinge_krylov::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{DMatrix, DVector, Matrix3};
use proptest::prelude::*;

use crate::common::{
    Numbers, ROUNDING, dense, large_matrix, patterns, product, random_matrix, same_on_all_pools,
};

proptest! {
    #[test]
    fn pattern_holds_the_pairs_and_the_diagonal((blocks, pairs, _) in patterns(30)) {
        let pattern = BlockPattern::from_pairs(blocks, pairs.iter().copied());
        for i in 0..blocks {
            prop_assert_eq!(pattern.slot(i, i), Some(pattern.diagonal_slot(i)));
            for j in i..blocks {
                let named = i == j || pairs.iter().any(|&(a, b)| {
                    (a.min(b) as usize, a.max(b) as usize) == (i, j)
                });
                let slot = pattern.slot(i, j);
                prop_assert_eq!(slot.is_some(), named);
                if let Some(slot) = slot {
                    prop_assert!(pattern.row(i).contains(&slot));
                    prop_assert_eq!(pattern.columns()[slot] as usize, j);
                }
            }
        }
        prop_assert!((0..blocks).all(|i| pattern.columns()[pattern.row(i)].is_sorted()));
    }

    #[test]
    fn derived_values_are_reset_when_values_change((blocks, pairs, seed) in patterns(10)) {
        let mut matrix = random_matrix(blocks, pairs, seed, 0.0);
        let revision = matrix.revision();
        prop_assert!(matrix.is_finite());
        prop_assert_eq!(matrix.clone().revision(), revision);
        let mut revisions = vec![revision];
        let slot = matrix.values().len() - 1;
        let changes: [fn(&mut SymmetricBlockMatrix, usize); 4] = [
            |matrix, slot| matrix.block_mut(slot)[(1, 2)] = f64::NAN,
            |matrix, _| matrix.set_zero(),
            |matrix, _| matrix.diagonal_block_mut(0)[(0, 0)] = f64::INFINITY,
            |matrix, _| matrix.values_mut()[0][(0, 0)] = 1.0,
        ];
        for (change, finite) in changes.iter().zip([false, true, false, true]) {
            change(&mut matrix, slot);
            prop_assert!(!revisions.contains(&matrix.revision()));
            prop_assert_eq!(matrix.is_finite(), finite);
            revisions.push(matrix.revision());
        }
    }

    /// A nonpositive diagonal entry, or a block that is asymmetric beyond rounding, is detected in any place.
    #[test]
    fn indefinite_diagonals_are_seen((blocks, pairs, seed) in patterns(10), axis in 0..3_usize) {
        let mut matrix = random_matrix(blocks, pairs, seed, 0.0);
        for block in 0..blocks {
            *matrix.diagonal_block_mut(block) = Matrix3::identity() * 2.0;
        }
        prop_assert!(matrix.has_definite_diagonal());
        let block = blocks - 1;
        matrix.diagonal_block_mut(block)[(axis, axis)] = 0.0;
        prop_assert!(!matrix.has_definite_diagonal());
        matrix.diagonal_block_mut(block)[(axis, axis)] = 2.0;
        let (row, column) = ((axis + 1) % 3, axis);
        matrix.diagonal_block_mut(block)[(row, column)] = 1e-10;
        prop_assert!(matrix.has_definite_diagonal());
        prop_assert!(matrix.asymmetry(block) == 0.0);
        matrix.diagonal_block_mut(block)[(row, column)] = 1e-3;
        prop_assert!(!matrix.has_definite_diagonal());
        prop_assert!((matrix.asymmetry(block) - 1e-3).abs() < 1e-15);
    }

    #[test]
    fn product_is_that_of_the_dense_matrix((blocks, pairs, seed) in patterns(40)) {
        let matrix = random_matrix(blocks, pairs, seed, 0.0);
        let x = Numbers::new(!seed).vector(matrix.len());
        let expected = dense(&matrix) * DVector::from_column_slice(&x);
        let y = DVector::from_vec(product(&matrix, &x));
        prop_assert!((y - expected).amax() < ROUNDING);
    }

    #[test]
    fn principal_submatrix_is_that_of_the_dense_matrix(
        (blocks, pairs, seed) in patterns(30),
        kept in prop::collection::vec(any::<bool>(), 30),
    ) {
        let matrix = random_matrix(blocks, pairs, seed, 0.0);
        let rows: Vec<u32> = (0..blocks as u32).filter(|&row| kept[row as usize]).collect();
        let scalars: Vec<usize> = rows.iter().flat_map(|&row| (0..3).map(move |k| 3 * row as usize + k)).collect();
        let dense = DMatrix::from(&matrix.to_csr());
        let expected = dense.select_rows(&scalars).select_columns(&scalars);
        prop_assert_eq!(DMatrix::from(&matrix.principal(&rows).to_csr()), expected);
    }

    #[test]
    fn product_is_symmetric((blocks, pairs, seed) in patterns(40)) {
        let matrix = random_matrix(blocks, pairs, seed, 0.0);
        let mut numbers = Numbers::new(seed);
        let (a, b) = (numbers.vector(matrix.len()), numbers.vector(matrix.len()));
        let (a, b) = (DVector::from_vec(a), DVector::from_vec(b));
        let ab = DVector::from_vec(product(&matrix, a.as_slice())).dot(&b);
        let ba = DVector::from_vec(product(&matrix, b.as_slice())).dot(&a);
        prop_assert!((ab - ba).abs() < ROUNDING * (1.0 + matrix.len() as f64));
    }
}

#[test]
fn large_product_is_that_of_the_general_format() {
    let matrix = large_matrix(30_000);
    let x = Numbers::new(1).vector(matrix.len());
    let expected = &matrix.to_csr() * &DVector::from_column_slice(&x);
    let y = DVector::from_vec(product(&matrix, &x));
    assert!((y - &expected).amax() < ROUNDING * expected.amax());
}

#[test]
fn large_product_has_the_same_bits_on_all_pools() {
    let matrix = large_matrix(40_000);
    let x = Numbers::new(2).vector(matrix.len());
    same_on_all_pools(|| product(&matrix, &x));
}

#[test]
fn the_empty_matrix_multiplies_the_empty_vector() {
    let matrix = random_matrix(0, [], 1, 0.0);
    assert!(product(&matrix, &[]).is_empty());
}

#[test]
fn diagonal_is_that_of_the_dense_matrix() {
    let matrix = random_matrix(9, [(0, 3), (8, 1)], 3, 0.0);
    let mut diagonal = vec![0.0; matrix.len()];
    matrix.diagonal_into(&mut diagonal);
    assert_eq!(DVector::from_vec(diagonal), dense(&matrix).diagonal());
}

#[test]
#[should_panic(expected = "names a block beyond the 3")]
fn a_pair_beyond_the_matrix_is_refused() {
    let _ = BlockPattern::from_pairs(3, [(0, 3)]);
}
