//! No preconditioning.

use super::Preconditioner;

/// `M = I`: no preconditioning, for vectors of any length.
#[derive(Clone, Copy, Debug, Default)]
pub struct Identity;

impl Preconditioner for Identity {
    fn apply(&self, r: &[f64], z: &mut [f64]) {
        z.copy_from_slice(r);
    }
}
