//! The values of the last momentum matrix, for comparison.

use impinge_krylov::block::SymmetricBlockMatrix;
use nalgebra::Matrix3;

/// Stored values, if there are any.
#[derive(Default)]
pub(super) struct MatrixSnapshot {
    values: Vec<Matrix3<f64>>,
    /// Revision of the last matrix with these values.
    revision: Option<u64>,
}

impl MatrixSnapshot {
    /// Whether `matrix` has the stored values. The rounds of a step share one matrix, which its revision shows. The
    /// steps of a linear material may have an equal matrix that was assembled again.
    pub(super) fn matches(&mut self, matrix: &SymmetricBlockMatrix) -> bool {
        let same = self.revision == Some(matrix.revision()) || self.values == matrix.values();
        if same {
            self.revision = Some(matrix.revision());
        }
        same
    }

    /// Stores the values of `matrix`.
    pub(super) fn take(&mut self, matrix: &SymmetricBlockMatrix) {
        self.values.clear();
        self.values.extend_from_slice(matrix.values());
        self.revision = Some(matrix.revision());
    }

    /// Removes the stored values.
    pub(super) fn forget(&mut self) {
        self.values.clear();
        self.revision = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_krylov::block::BlockPattern;

    #[test]
    fn equal_values_are_known_and_changed_ones_are_not() {
        let mut snapshot = MatrixSnapshot::default();
        let mut matrix = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(2, [(0, 1)]));
        assert!(!snapshot.matches(&matrix));
        snapshot.take(&matrix);
        assert!(snapshot.matches(&matrix) && snapshot.matches(&matrix.clone()));
        matrix.values_mut()[1][(0, 2)] = 1.0;
        assert!(!snapshot.matches(&matrix));
        matrix.values_mut()[1][(0, 2)] = 0.0;
        assert!(snapshot.matches(&matrix), "the same values once more");
        snapshot.forget();
        assert!(!snapshot.matches(&matrix));
    }
}
