//! Cholesky factors of a diagonal part of a block matrix, such as that of one body.

use super::{SolveScratch, SparseCholesky};
use crate::KrylovError;
use crate::block::{BlockPattern, SymmetricBlockMatrix};
use nalgebra_sparse::CscMatrix;

/// `A = L Lᵀ` of the rows and columns of some blocks of a [`SymmetricBlockMatrix`].
///
/// The ordering is computed once; [`factorize`](Self::factorize) may be called again for other values.
pub struct BlockCholesky {
    blocks: Vec<usize>,
    /// Per column, the rows above or on the diagonal, with their slots in the matrix.
    columns: Vec<Vec<(usize, usize)>>,
    upper: CscMatrix<f64>,
    cholesky: SparseCholesky,
}

impl BlockCholesky {
    /// Orders the unknowns of `blocks`, ascending, of matrices with `pattern`; their coupling with other blocks is
    /// ignored.
    ///
    /// # Errors
    /// [`KrylovError::TooLarge`] if the factor does not fit in memory.
    ///
    /// # Panics
    /// If `blocks` do not ascend, or one is beyond the pattern.
    #[track_caller]
    pub fn new(pattern: &BlockPattern, blocks: Vec<usize>) -> Result<Self, KrylovError> {
        assert!(
            blocks.is_sorted_by(|a, b| a < b),
            "blocks have to ascend, each once"
        );
        let mut columns = vec![Vec::new(); blocks.len()];
        for (row, &block) in blocks.iter().enumerate() {
            for slot in pattern.row(block) {
                if let Ok(column) = blocks.binary_search(&(pattern.columns()[slot] as usize)) {
                    columns[column].push((row, slot));
                }
            }
        }
        let mut starts = vec![0];
        let mut rows = Vec::new();
        for (column, above) in columns.iter().enumerate() {
            for axis in 0..3 {
                for &(row, _) in above {
                    let count = if row == column { axis + 1 } else { 3 };
                    rows.extend((0..count).map(|k| 3 * row + k));
                }
                starts.push(rows.len());
            }
        }
        let size = 3 * blocks.len();
        let values = vec![0.0; rows.len()];
        let upper = CscMatrix::try_from_csc_data(size, size, starts, rows, values)
            .expect("rows ascend within each column");
        let cholesky = SparseCholesky::new(&upper)?;
        Ok(Self {
            blocks,
            columns,
            upper,
            cholesky,
        })
    }

    /// The blocks, ascending.
    #[must_use]
    pub fn blocks(&self) -> &[usize] {
        &self.blocks
    }

    /// Factorises the part of `matrix` that belongs to the blocks; `matrix` has the pattern given to
    /// [`new`](Self::new).
    ///
    /// # Errors
    /// [`KrylovError::NotPositiveDefinite`] if it is not positive definite or not finite.
    ///
    /// # Panics
    /// If the matrix lacks a slot.
    #[track_caller]
    pub fn factorize(&mut self, matrix: &SymmetricBlockMatrix) -> Result<(), KrylovError> {
        let mut entries = self.upper.values_mut().iter_mut();
        for (column, above) in self.columns.iter().enumerate() {
            for axis in 0..3 {
                for &(row, slot) in above {
                    let count = if row == column { axis + 1 } else { 3 };
                    let block = &matrix.values()[slot];
                    for (entry, k) in entries.by_ref().take(count).zip(0..) {
                        *entry = block[(k, axis)];
                    }
                }
            }
        }
        self.cholesky.factorize(&self.upper)
    }

    /// Replaces the columns of `x`, three entries per block, by `A⁻¹ x`.
    ///
    /// # Panics
    /// If `x` does not hold whole columns, or more than [`super::MOST_RIGHT_HAND_SIDES`].
    #[track_caller]
    pub fn solve_in_place(&mut self, x: &mut [f64]) {
        self.cholesky.solve_in_place(x);
    }

    /// [`solve_in_place`](Self::solve_in_place) for shared factors.
    ///
    /// # Panics
    /// As [`solve_in_place`](Self::solve_in_place).
    #[track_caller]
    pub fn solve_with(&self, x: &mut [f64], scratch: &mut SolveScratch) {
        self.cholesky.solve_with(x, scratch);
    }
}
