//! A symmetric matrix of 3×3 blocks.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering},
};

use nalgebra::Matrix3;
use nalgebra_sparse::{CooMatrix, CsrMatrix};
use rayon::prelude::*;

use super::pattern::BlockPattern;
use super::{product, row_order};

/// A symmetric matrix of 3×3 blocks; only the upper triangle is stored.
///
/// The stored block `(i, j)` with `i < j` holds rows `3i..3i+3` and columns `3j..3j+3`; the block `(j, i)` is its
/// transpose and is not stored. Diagonal blocks must be symmetric: all nine entries are stored, and a product uses them
/// unchanged.
#[derive(Clone, Debug)]
pub struct SymmetricBlockMatrix {
    pattern: Arc<BlockPattern>,
    values: Vec<Matrix3<f64>>,
    known: Known,
}

/// Cached properties of the values; reset whenever the values may change.
#[derive(Clone, Debug, Default)]
struct Known {
    revision: OnceLock<u64>,
    finite: OnceLock<bool>,
    definite_diagonal: OnceLock<bool>,
}

/// Largest difference between mirrored entries of a diagonal block, relative to its largest entry: rounding of sums
/// over elements.
const ASYMMETRY: f64 = 1e-9;

/// The content of `cell`, computed on demand. Computed outside of the cell: while a cell waits for other threads, its
/// thread may be given work that reads the same cell.
fn known(cell: &OnceLock<bool>, find_out: impl FnOnce() -> bool) -> bool {
    cell.get().copied().unwrap_or_else(|| {
        let found = find_out();
        // Another thread may have stored the same answer already.
        let _ = cell.set(found);
        found
    })
}

/// Least number of blocks of a parallel task that reads or copies each block.
const BLOCKS_PER_TASK: usize = 4096;

/// Number of revisions issued.
static REVISIONS: AtomicU64 = AtomicU64::new(0);

impl SymmetricBlockMatrix {
    /// The zero matrix over a pattern.
    #[must_use]
    pub fn zeros(pattern: impl Into<Arc<BlockPattern>>) -> Self {
        let pattern = pattern.into();
        let values = vec![Matrix3::zeros(); pattern.slots()];
        Self {
            pattern,
            values,
            known: Known::default(),
        }
    }

    /// The principal submatrix of some rows: the other rows and their columns are removed.
    ///
    /// # Panics
    /// If `rows` is not ascending and unique, or a row does not exist.
    #[must_use]
    #[track_caller]
    pub fn principal(&self, rows: &[u32]) -> Self {
        let (pattern, slots) = self.pattern.principal(rows);
        Self {
            pattern: Arc::new(pattern),
            values: (slots.par_iter().with_min_len(BLOCKS_PER_TASK))
                .map(|&slot| self.values[slot])
                .collect(),
            known: Known::default(),
        }
    }

    /// The pattern, to be shared with other matrices.
    #[must_use]
    pub fn pattern(&self) -> &Arc<BlockPattern> {
        &self.pattern
    }

    /// Number of block rows.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.pattern.blocks()
    }

    /// Number of scalar rows: three per block row.
    #[expect(
        clippy::len_without_is_empty,
        reason = "the length of the vectors that the matrix multiplies; a matrix is not a container"
    )]
    #[must_use]
    pub fn len(&self) -> usize {
        3 * self.blocks()
    }

    /// Sets every stored entry to zero.
    pub fn set_zero(&mut self) {
        self.known = Known::default();
        self.values.fill(Matrix3::zeros());
    }

    /// The block in a slot.
    ///
    /// # Panics
    /// If there is no such slot.
    #[must_use]
    #[track_caller]
    pub fn block(&self, slot: usize) -> &Matrix3<f64> {
        &self.values[slot]
    }

    /// The block in a slot, mutable.
    ///
    /// # Panics
    /// If there is no such slot.
    #[must_use]
    #[track_caller]
    pub fn block_mut(&mut self, slot: usize) -> &mut Matrix3<f64> {
        self.known = Known::default();
        &mut self.values[slot]
    }

    /// All stored blocks, in the order of the slots.
    #[must_use]
    pub fn values(&self) -> &[Matrix3<f64>] {
        &self.values
    }

    /// All stored blocks, in the order of the slots, mutable.
    #[must_use]
    pub fn values_mut(&mut self) -> &mut [Matrix3<f64>] {
        self.known = Known::default();
        &mut self.values
    }

    /// Identifies the values of this matrix and its clones: the number changes whenever the values may change. It has
    /// no other meaning, and differs from run to run.
    #[must_use]
    pub fn revision(&self) -> u64 {
        *self
            .known
            .revision
            .get_or_init(|| REVISIONS.fetch_add(1, Ordering::Relaxed))
    }

    /// Whether all entries are finite; cached until they may change.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        known(&self.known.finite, || {
            (self.values.par_iter().with_min_len(BLOCKS_PER_TASK))
                .all(|block| block.iter().fold(true, |all, x| all & x.is_finite()))
        })
    }

    /// Asymmetry of the diagonal block of row `i`: the largest difference between mirrored entries; 0 if that is
    /// rounding.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    #[track_caller]
    pub fn asymmetry(&self, i: usize) -> f64 {
        let block = self.diagonal_block(i);
        let beyond = |i, j| (block[(i, j)] - block[(j, i)]).abs();
        let difference = beyond(0, 1).max(beyond(0, 2)).max(beyond(1, 2));
        if difference > 0.0 && difference > ASYMMETRY * block.amax() {
            difference
        } else {
            0.0
        }
    }

    /// Whether the diagonal is positive and its blocks are symmetric to rounding: necessary for a positive definite
    /// matrix. Cached until the values may change.
    #[must_use]
    pub fn has_definite_diagonal(&self) -> bool {
        known(&self.known.definite_diagonal, || {
            let rows = (0..self.blocks())
                .into_par_iter()
                .with_min_len(BLOCKS_PER_TASK);
            rows.all(|i| {
                let block = self.diagonal_block(i);
                (0..3).all(|axis| block[(axis, axis)] > 0.0) && self.asymmetry(i) == 0.0
            })
        })
    }

    /// The diagonal block of row `i`.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    #[track_caller]
    pub fn diagonal_block(&self, i: usize) -> &Matrix3<f64> {
        &self.values[self.pattern.diagonal_slot(i)]
    }

    /// The diagonal block of row `i`, mutable.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    #[track_caller]
    pub fn diagonal_block_mut(&mut self, i: usize) -> &mut Matrix3<f64> {
        self.known = Known::default();
        &mut self.values[self.pattern.diagonal_slot(i)]
    }

    /// Writes the scalar diagonal into `diagonal`.
    ///
    /// # Panics
    /// If `diagonal` is not [`len`](Self::len) long.
    #[track_caller]
    pub fn diagonal_into(&self, diagonal: &mut [f64]) {
        assert_eq!(
            diagonal.len(),
            self.len(),
            "diagonal of a matrix of {} rows",
            self.len()
        );
        for (i, entries) in diagonal.as_chunks_mut().0.iter_mut().enumerate() {
            let block = self.diagonal_block(i);
            *entries = [block[(0, 0)], block[(1, 1)], block[(2, 2)]];
        }
    }

    /// Numbers that [`multiply`](Self::multiply) needs as scratch; depends on the pattern alone.
    #[must_use]
    pub fn scratch_len(&self) -> usize {
        product::scratch_len(&self.pattern)
    }

    /// `y = A x`.
    ///
    /// The bits of `y` do not depend on the number of threads of the current rayon pool. Matrices of fewer than about
    /// 100 000 stored blocks are multiplied by the calling thread. `scratch` and `y` are overwritten.
    ///
    /// # Panics
    /// If `x` or `y` is not [`len`](Self::len) long, or `scratch` is shorter than [`scratch_len`](Self::scratch_len).
    ///
    /// # Cost
    /// Each stored block is read once (72 bytes and a four-byte index); no allocation.
    #[track_caller]
    pub fn multiply(&self, x: &[f64], y: &mut [f64], scratch: &mut [f64]) {
        assert_eq!(
            x.len(),
            self.len(),
            "x against a matrix of {} columns",
            self.len()
        );
        assert_eq!(
            y.len(),
            self.len(),
            "y against a matrix of {} rows",
            self.len()
        );
        assert!(
            scratch.len() >= self.scratch_len(),
            "scratch of {} numbers where {} are needed",
            scratch.len(),
            self.scratch_len()
        );
        product::multiply(&self.pattern, &self.values, x, y, scratch);
    }

    /// `y += A x`, with the sums in the order of the rows.
    ///
    /// The bits of an entry depend on its row and the rows coupled to it alone, not on the other rows of the matrix or
    /// on the number of threads. [`multiply`](Self::multiply) is faster.
    ///
    /// # Panics
    /// If `x` or `y` is not [`len`](Self::len) long.
    #[track_caller]
    pub fn add_product(&self, x: &[f64], y: &mut [f64]) {
        for (vector, name) in [(x, "x"), (&*y, "y")] {
            assert_eq!(
                vector.len(),
                self.len(),
                "{name} against a matrix of {} rows",
                self.len()
            );
        }
        row_order::add_product(&self.pattern, &self.values, x, y);
    }

    /// The whole matrix, both triangles, in a general sparse format: for direct solvers, files and tests.
    #[must_use]
    pub fn to_csr(&self) -> CsrMatrix<f64> {
        let mut entries = CooMatrix::new(self.len(), self.len());
        for i in 0..self.blocks() {
            for slot in self.pattern.row(i) {
                let j = self.pattern.columns()[slot] as usize;
                let block = self.block(slot);
                for c in 0..3 {
                    for r in 0..3 {
                        entries.push(3 * i + r, 3 * j + c, block[(r, c)]);
                        if i != j {
                            entries.push(3 * j + c, 3 * i + r, block[(r, c)]);
                        }
                    }
                }
            }
        }
        CsrMatrix::from(&entries)
    }
}
