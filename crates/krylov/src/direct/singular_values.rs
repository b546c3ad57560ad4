//! Singular values of a dense matrix.

use nalgebra::DMatrix;

/// Singular values of `matrix`, largest first; `None` if an entry is not finite or the iteration does not converge.
///
/// # Cost
/// About `3 n³` operations for a square matrix of `n` rows, and a copy of it.
pub fn singular_values(matrix: &DMatrix<f64>) -> Option<Vec<f64>> {
    if matrix.is_empty() {
        return Some(Vec::new());
    }
    if !matrix.iter().all(|value| value.is_finite()) {
        return None;
    }
    faer::MatRef::from_column_major_slice(matrix.as_slice(), matrix.nrows(), matrix.ncols())
        .singular_values()
        .ok()
}
