//! Cheap approximate inverses that cut the number of iterations.

mod block_jacobi;
mod identity;
mod jacobi;

pub use block_jacobi::BlockJacobi;
pub use identity::Identity;
pub use jacobi::Jacobi;

/// A symmetric positive definite map `M⁻¹` that resembles the inverse of a matrix.
///
/// It must stay the same map, and linear, from a restart of a method to the next.
pub trait Preconditioner: Sync {
    /// `z = M⁻¹ r`. What `z` held before must not matter.
    ///
    /// # Panics
    /// Implementations may panic if `r` or `z` has the wrong length.
    fn apply(&self, r: &[f64], z: &mut [f64]);
}
