//! Products with a matrix, as Krylov methods need them.

use crate::block::SymmetricBlockMatrix;
use nalgebra_sparse::CsrMatrix;

/// A linear map from vectors of `shape().1` entries to vectors of `shape().0` entries.
///
/// An operator may be applied by several threads at once, so the caller provides the scratch.
pub trait LinearOperator: Sync {
    /// Rows and columns.
    fn shape(&self) -> (usize, usize);

    /// Numbers that [`apply`](Self::apply) needs as scratch.
    fn scratch_len(&self) -> usize {
        0
    }

    /// `y = A x`. The result must not depend on the previous contents of `y` and `scratch`.
    ///
    /// # Panics
    /// Implementations may panic if `x`, `y` or `scratch` has the wrong length.
    fn apply(&self, x: &[f64], y: &mut [f64], scratch: &mut [f64]);
}

impl LinearOperator for SymmetricBlockMatrix {
    fn shape(&self) -> (usize, usize) {
        (self.len(), self.len())
    }

    fn scratch_len(&self) -> usize {
        Self::scratch_len(self)
    }

    fn apply(&self, x: &[f64], y: &mut [f64], scratch: &mut [f64]) {
        self.multiply(x, y, scratch);
    }
}

/// Rows one after the other, on the calling thread.
impl LinearOperator for CsrMatrix<f64> {
    fn shape(&self) -> (usize, usize) {
        (self.nrows(), self.ncols())
    }

    fn apply(&self, x: &[f64], y: &mut [f64], _scratch: &mut [f64]) {
        assert!(
            x.len() == self.ncols() && y.len() == self.nrows(),
            "vectors of {} and {} entries against a matrix of {} × {}",
            x.len(),
            y.len(),
            self.nrows(),
            self.ncols()
        );
        for (row, y) in self.row_iter().zip(y) {
            let entries = row.col_indices().iter().zip(row.values());
            *y = entries.fold(0.0, |sum, (&column, value)| sum + value * x[column]);
        }
    }
}
