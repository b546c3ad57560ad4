//! The scalar diagonal as preconditioner.

use super::Preconditioner;
use crate::error::KrylovError;

/// `M = diag(A)`.
#[derive(Clone, Debug, Default)]
pub struct Jacobi {
    inverse_diagonal: Vec<f64>,
}

impl Jacobi {
    /// The preconditioner of a matrix with this diagonal.
    ///
    /// # Errors
    /// [`KrylovError::NonPositiveDiagonal`] if an entry is not positive and finite.
    pub fn new(diagonal: &[f64]) -> Result<Self, KrylovError> {
        let mut jacobi = Self::default();
        jacobi.update(diagonal)?;
        Ok(jacobi)
    }

    /// Takes another diagonal; allocates only to grow.
    ///
    /// # Errors
    /// [`KrylovError::NonPositiveDiagonal`] if an entry is not positive and finite; the preconditioner is then
    /// unchanged.
    pub fn update(&mut self, diagonal: &[f64]) -> Result<(), KrylovError> {
        for (row, &value) in diagonal.iter().enumerate() {
            if !(value > 0.0 && value.is_finite() && value.recip().is_finite()) {
                return Err(KrylovError::NonPositiveDiagonal { row, value });
            }
        }
        self.inverse_diagonal.clear();
        self.inverse_diagonal
            .extend(diagonal.iter().map(|value| value.recip()));
        Ok(())
    }
}

impl Preconditioner for Jacobi {
    fn apply(&self, r: &[f64], z: &mut [f64]) {
        let n = self.inverse_diagonal.len();
        assert!(
            r.len() == n && z.len() == n,
            "vectors that do not fit a diagonal of {n} entries"
        );
        for ((z, r), inverse) in z.iter_mut().zip(r).zip(&self.inverse_diagonal) {
            *z = inverse * r;
        }
    }
}
