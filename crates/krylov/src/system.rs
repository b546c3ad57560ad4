//! The system that a Krylov method solves.

use crate::operator::LinearOperator;
use crate::preconditioner::Preconditioner;

/// The system `A x = b` with a preconditioner `M⁻¹ ≈ A⁻¹`.
///
/// It only borrows, so it can be rebuilt at every step of an iteration whose operator changes.
#[derive(Clone, Copy)]
pub struct LinearSystem<'a> {
    /// `A`: square and symmetric, `n × n`.
    pub operator: &'a dyn LinearOperator,
    /// `M⁻¹`: symmetric positive definite, `n × n`.
    pub preconditioner: &'a dyn Preconditioner,
    /// `b`, `n` entries.
    pub rhs: &'a [f64],
}

impl LinearSystem<'_> {
    /// Number of unknowns `n`.
    ///
    /// # Panics
    /// If the operator is not square or `b` has another length.
    #[must_use]
    #[track_caller]
    pub fn unknowns(&self) -> usize {
        let n = self.rhs.len();
        let (rows, columns) = self.operator.shape();
        assert!(
            rows == n && columns == n,
            "right-hand side of {n} entries against an operator of {rows} × {columns}"
        );
        n
    }

    /// `r = b − A x`.
    pub(crate) fn residual_into(&self, x: &[f64], r: &mut [f64], scratch: &mut [f64]) {
        self.operator.apply(x, r, scratch);
        crate::vector::xpby(self.rhs, -1.0, r);
    }
}
