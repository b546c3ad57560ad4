//! Factors of a positive semi-definite matrix of rows, some of which may follow from others.

use crate::constraint::redundancy::DEPENDENT;
use nalgebra::{DMatrix, DVector};

/// `S = Uᵀ U` of the rows that do not follow from earlier ones. The others have no force: they hold as well, if their
/// offsets agree, which the residual of the solution judges.
#[derive(Debug, Default)]
pub(super) struct RedundantRows {
    /// Upper triangle; rows that follow from others are those of the identity.
    upper: DMatrix<f64>,
    follows: Vec<bool>,
}

impl RedundantRows {
    /// Factorises the upper triangle of `matrix`.
    pub(super) fn new(mut matrix: DMatrix<f64>) -> Self {
        let size = matrix.ncols();
        let mut follows = vec![false; size];
        for column in 0..size {
            let whole = matrix[(column, column)];
            for row in 0..column {
                let (mine, other) = (matrix.column(column), matrix.column(row));
                let known = mine.rows(0, row).dot(&other.rows(0, row));
                let rest = (matrix[(row, column)] - known) / matrix[(row, row)];
                matrix[(row, column)] = if follows[row] { 0.0 } else { rest };
            }
            let pivot = whole - matrix.column(column).rows(0, column).norm_squared();
            if pivot > DEPENDENT * whole {
                matrix[(column, column)] = pivot.sqrt();
            } else {
                matrix.column_mut(column).rows_mut(0, column).fill(0.0);
                matrix[(column, column)] = 1.0;
                follows[column] = true;
            }
        }
        Self {
            upper: matrix,
            follows,
        }
    }

    /// `S⁻¹ x`, zero for rows that follow from others.
    pub(super) fn solve(&self, x: &DVector<f64>) -> DVector<f64> {
        let columns = DMatrix::from_column_slice(x.len(), 1, x.as_slice());
        self.solve_columns(columns).column(0).into_owned()
    }

    /// [`solve`](Self::solve) for each column.
    pub(super) fn solve_columns(&self, mut x: DMatrix<f64>) -> DMatrix<f64> {
        self.clear(&mut x);
        // No pivot is zero. Where numbers are not finite, the residual of the solution tells.
        let _ = self.upper.tr_solve_upper_triangular_mut(&mut x);
        let _ = self.upper.solve_upper_triangular_mut(&mut x);
        self.clear(&mut x);
        x
    }

    fn clear(&self, x: &mut DMatrix<f64>) {
        for (row, _) in self
            .follows
            .iter()
            .enumerate()
            .filter(|(_, follows)| **follows)
        {
            x.row_mut(row).fill(0.0);
        }
    }
}
