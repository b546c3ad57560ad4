//! Eigenvalues and eigenvectors of a small dense symmetric matrix.

use nalgebra::DMatrix;

/// Eigenvalues, ascending, and orthonormal eigenvectors as columns. Only the lower triangle of `matrix` is read. `None`
/// if an entry is not finite or the iteration does not converge.
///
/// Valid for structural zeros and multiple eigenvalues too.
pub fn symmetric_eigen(matrix: &DMatrix<f64>) -> Option<(Vec<f64>, DMatrix<f64>)> {
    let n = matrix.nrows();
    if matrix.is_empty() {
        return Some((Vec::new(), DMatrix::zeros(0, 0)));
    }
    if !matrix.iter().all(|value| value.is_finite()) {
        return None;
    }
    let eigen = faer::MatRef::from_column_major_slice(matrix.as_slice(), n, n)
        .self_adjoint_eigen(faer::Side::Lower)
        .ok()?;
    let values = eigen.S().column_vector();
    let vectors = eigen.U();
    Some((
        (0..n).map(|i| values[i]).collect(),
        DMatrix::from_fn(n, n, |row, column| vectors[(row, column)]),
    ))
}
