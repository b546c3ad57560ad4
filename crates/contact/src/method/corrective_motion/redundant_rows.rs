//! Factors of a positive semi-definite matrix of rows, some of which may follow from others.

use nalgebra::{DMatrix, DVector};

/// Pivot over its diagonal entry at which a row follows from the rows before it: well above rounding of the
/// factorisation, well below any real independence of rows.
const DEPENDENT: f64 = 1e-11;

/// `S = L Lᵀ` of the rows that do not follow from earlier ones. The others have no force: they hold as well, if their
/// offsets agree, which the residual of the solution judges.
#[derive(Debug, Default)]
pub(super) struct RedundantRows {
    /// Lower triangle; rows that follow from others are those of the identity.
    lower: DMatrix<f64>,
    redundant: Vec<usize>,
}

impl RedundantRows {
    /// Factorises the lower triangle of `matrix`.
    pub(super) fn new(mut matrix: DMatrix<f64>) -> Self {
        let size = matrix.nrows();
        let mut redundant = Vec::new();
        for row in 0..size {
            let whole = matrix[(row, row)];
            for column in 0..row {
                let (mine, other) = (matrix.row(row), matrix.row(column));
                let known = mine.columns(0, column).dot(&other.columns(0, column));
                let rest = matrix[(row, column)] - known;
                // Redundant columns are zero below the diagonal.
                matrix[(row, column)] = if redundant.contains(&column) {
                    0.0
                } else {
                    rest / matrix[(column, column)]
                };
            }
            let pivot = whole - matrix.row(row).columns(0, row).norm_squared();
            if pivot > DEPENDENT * whole {
                matrix[(row, row)] = pivot.sqrt();
            } else {
                matrix.row_mut(row).columns_mut(0, row).fill(0.0);
                matrix[(row, row)] = 1.0;
                redundant.push(row);
            }
        }
        Self {
            lower: matrix,
            redundant,
        }
    }

    /// `S⁻¹ x`, zero for redundant rows.
    pub(super) fn solve(&self, x: DVector<f64>) -> DVector<f64> {
        let count = x.len();
        let columns = DMatrix::from_vec(count, 1, x.data.into());
        let solved = self.solve_columns(columns);
        DVector::from_vec(solved.data.into())
    }

    /// [`solve`](Self::solve) for each column.
    pub(super) fn solve_columns(&self, mut x: DMatrix<f64>) -> DMatrix<f64> {
        for &row in &self.redundant {
            x.row_mut(row).fill(0.0);
        }
        // All diagonal entries are positive or, for values that are not finite, the residual tells.
        let _ = self.lower.solve_lower_triangular_mut(&mut x);
        let _ = self.lower.tr_solve_lower_triangular_mut(&mut x);
        for &row in &self.redundant {
            x.row_mut(row).fill(0.0);
        }
        x
    }
}
