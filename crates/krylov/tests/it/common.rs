//! Random matrices and vectors, and comparison of bits between thread counts.

use impinge_krylov::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{DMatrix, DVector, Matrix3};
use proptest::prelude::*;

/// Relative rounding of a dozen chained operations on well-scaled numbers.
pub(crate) const ROUNDING: f64 = 1e-12;

/// A deterministic sequence of numbers in `[-1, 1)`; linear congruential, high bits.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 11
    }

    pub(crate) fn number(&mut self) -> f64 {
        self.bits() as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self, length: usize) -> Vec<f64> {
        (0..length).map(|_| self.number()).collect()
    }
}

/// Number of block rows, coupled pairs and a seed for the entries.
pub(crate) fn patterns(most: usize) -> impl Strategy<Value = (usize, Vec<(u32, u32)>, u64)> {
    (1..=most).prop_flat_map(|blocks| {
        let index = 0..u32::try_from(blocks).expect("small");
        let pairs = prop::collection::vec((index.clone(), index), 0..4 * blocks);
        (Just(blocks), pairs, any::<u64>())
    })
}

/// A symmetric matrix with entries in `[-1, 1)`, and `shift` added to its diagonal.
pub(crate) fn random_matrix(
    blocks: usize,
    pairs: impl IntoIterator<Item = (u32, u32)>,
    seed: u64,
    shift: f64,
) -> SymmetricBlockMatrix {
    let mut numbers = Numbers::new(seed);
    let mut matrix = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(blocks, pairs));
    for block in matrix.values_mut() {
        *block = Matrix3::from_fn(|_, _| numbers.number());
    }
    for i in 0..blocks {
        let block = matrix.diagonal_block_mut(i);
        *block = (*block + block.transpose()) * 0.5 + shift * Matrix3::identity();
    }
    matrix
}

/// A positive definite matrix by diagonal dominance, with a spread of scales along the rows.
pub(crate) fn positive_matrix(
    blocks: usize,
    pairs: impl IntoIterator<Item = (u32, u32)>,
    seed: u64,
) -> SymmetricBlockMatrix {
    let mut matrix = random_matrix(blocks, pairs, seed, 0.0);
    let sums: Vec<f64> = dense(&matrix)
        .row_iter()
        .map(|row| row.iter().map(|entry| entry.abs()).sum())
        .collect();
    for i in 0..blocks {
        for k in 0..3 {
            matrix.diagonal_block_mut(i)[(k, k)] += sums[3 * i + k] + 0.1 + (i % 5) as f64;
        }
    }
    matrix
}

/// A matrix of many blocks with a few neighbours each, some of them far away; positive definite.
pub(crate) fn large_matrix(blocks: u32) -> SymmetricBlockMatrix {
    let mut numbers = Numbers::new(5);
    let pairs = (0..blocks).flat_map(|i| [1, 2, 17, 130, 131, 4000, 30_000].map(|d| (i, i + d)));
    let pattern = BlockPattern::from_pairs(blocks as usize, pairs.filter(|pair| pair.1 < blocks));
    let mut matrix = SymmetricBlockMatrix::zeros(pattern);
    for block in matrix.values_mut() {
        *block = Matrix3::from_fn(|_, _| numbers.number());
    }
    for i in 0..blocks as usize {
        // Fourteen neighbours of row sums below three.
        *matrix.diagonal_block_mut(i) = Matrix3::identity() * (43.0 + (i % 7) as f64);
    }
    matrix
}

/// The whole matrix as a dense one, without code of the crate.
pub(crate) fn dense(matrix: &SymmetricBlockMatrix) -> DMatrix<f64> {
    let mut dense = DMatrix::zeros(matrix.len(), matrix.len());
    let pattern = matrix.pattern();
    for i in 0..matrix.blocks() {
        for j in i..matrix.blocks() {
            if let Some(slot) = pattern.slot(i, j) {
                let block = matrix.block(slot);
                dense.fixed_view_mut::<3, 3>(3 * i, 3 * j).copy_from(block);
                dense
                    .fixed_view_mut::<3, 3>(3 * j, 3 * i)
                    .copy_from(&block.transpose());
            }
        }
    }
    dense
}

pub(crate) fn product(matrix: &SymmetricBlockMatrix, x: &[f64]) -> Vec<f64> {
    let mut y = vec![f64::NAN; matrix.len()];
    matrix.multiply(x, &mut y, &mut vec![f64::NAN; matrix.scratch_len()]);
    y
}

/// `‖b − A x‖`, by the dense matrix.
pub(crate) fn true_residual(dense: &DMatrix<f64>, x: &[f64], b: &[f64]) -> f64 {
    (DVector::from_column_slice(b) - dense * DVector::from_column_slice(x)).norm()
}

/// Runs `work` on pools of 1, 2 and 7 threads and checks that the bits are the same.
pub(crate) fn same_on_all_pools(work: impl Fn() -> Vec<f64> + Sync) {
    let on = |threads| -> Vec<u64> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool of a few threads");
        pool.install(&work)
            .iter()
            .map(|number| number.to_bits())
            .collect()
    };
    let alone = on(1);
    assert!(alone == on(2), "two threads differ from one");
    assert!(alone == on(7), "seven threads differ from one");
}
