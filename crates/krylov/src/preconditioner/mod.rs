//! Cheap approximate inverses that reduce the number of iterations.

use crate::block::SymmetricBlockMatrix;

mod block_jacobi;
#[cfg(feature = "direct")]
mod coarse_grid;
mod identity;
mod jacobi;

pub use block_jacobi::BlockJacobi;
#[cfg(feature = "direct")]
pub use coarse_grid::CoarseGrid;
pub use identity::Identity;
pub use jacobi::Jacobi;

/// A symmetric positive definite map `M⁻¹` that resembles the inverse of a matrix.
///
/// It must be linear, and constant between two restarts of a method. Results that depend on `r` and the matrix alone
/// keep a simulation repeatable.
pub trait Preconditioner: Sync {
    /// Tells it the matrix of the systems to come, `n × n`; by default nothing changes with it.
    ///
    /// Whoever owns both calls this whenever the matrix changes: [`solve`](fn@crate::solve) only borrows them.
    fn prepare(&mut self, matrix: &SymmetricBlockMatrix) {
        let _ = matrix;
    }

    /// `z = M⁻¹ r`. The result must not depend on the previous contents of `z`.
    ///
    /// # Panics
    /// Implementations may panic if `r` or `z` has the wrong length.
    fn apply(&self, r: &[f64], z: &mut [f64]);
}
