//! What a Krylov method needs to know of a matrix: how to multiply by it.

use crate::block::SymmetricBlockMatrix;

/// A linear map from vectors of `shape().1` entries to vectors of `shape().0` entries.
///
/// An operator is shared while it is applied, so it asks its caller for scratch instead of keeping its own.
pub trait LinearOperator: Sync {
    /// Rows and columns.
    fn shape(&self) -> (usize, usize);

    /// Numbers that [`apply`](Self::apply) needs as scratch.
    fn scratch_len(&self) -> usize {
        0
    }

    /// `y = A x`. What `y` and `scratch` held before must not matter.
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
