//! A preconditioner from another crate, with the checks of its contract.

use super::shared::Shared;
use impinge_krylov::{block::SymmetricBlockMatrix, preconditioner::Preconditioner};

/// Records results that are not finite, or against the residual.
pub(super) struct CheckedPreconditioner(pub(super) Shared<dyn Preconditioner + Send>);

impl Preconditioner for CheckedPreconditioner {
    fn prepare(&mut self, matrix: &SymmetricBlockMatrix) {
        self.0.lock().inner.prepare(matrix);
    }

    fn apply(&self, r: &[f64], z: &mut [f64]) {
        let mut slot = self.0.lock();
        slot.inner.apply(r, z);
        if !z.iter().all(|z| z.is_finite()) {
            slot.breaks("gave a number that is not finite");
            // The solve ends without harm, and the step reports the problem.
            z.copy_from_slice(r);
            return;
        }
        let product: f64 = r.iter().zip(z.iter()).map(|(r, z)| r * z).sum();
        if product <= 0.0 && r.iter().any(|r| *r != 0.0) {
            slot.breaks(format!(
                "is not positive definite: r · M⁻¹ r = {product:e} for an r that is not zero"
            ));
            z.copy_from_slice(r);
        }
    }
}
