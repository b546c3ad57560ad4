//! Products with a matrix, as Krylov methods need them.

use crate::block::SymmetricBlockMatrix;

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
