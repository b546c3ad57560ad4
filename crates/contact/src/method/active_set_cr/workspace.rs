//! The vectors of the iteration, in pairs: momentum part of length `n`, contact part of length `3·contacts`.

use crate::method::masked_rows::RowMask;
use impinge_krylov::vector;
use impinge_krylov::{GuardedConjugateResidual, KrylovVector};

/// One vector of the KKT system. Contact entries of rows that do not take part are zero.
#[derive(Debug, Default, Clone)]
pub(super) struct Pair {
    pub(super) v: Vec<f64>,
    pub(super) m: Vec<f64>,
}

impl Pair {
    pub(super) fn resize(&mut self, unknowns: usize, contacts: usize) {
        self.v.resize(unknowns, 0.0);
        self.m.resize(3 * contacts, 0.0);
    }
}

impl KrylovVector for Pair {
    fn copy_from(&mut self, other: &Self) {
        self.v.copy_from_slice(&other.v);
        self.m.copy_from_slice(&other.m);
    }

    fn dot(&self, other: &Self) -> f64 {
        vector::dot(&self.v, &other.v) + vector::dot(&self.m, &other.m)
    }

    fn axpy(&mut self, a: f64, x: &Self) {
        vector::axpy(a, &x.v, &mut self.v);
        vector::axpy(a, &x.m, &mut self.m);
    }

    fn xpby(&mut self, x: &Self, b: f64) {
        vector::xpby(&x.v, b, &mut self.v);
        vector::xpby(&x.m, b, &mut self.m);
    }

    fn assign_sum(&mut self, x: &Self, a: f64, y: &Self) {
        let parts = [(&mut self.v, &x.v, &y.v), (&mut self.m, &x.m, &y.m)];
        for (out, x, y) in parts {
            for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
                *out = x + a * y;
            }
        }
    }
}

/// Everything the iteration keeps. The product `A v` is not among it: `r_u = b − A v` is recovered from `r_v` by taking
/// the contact impulses out, so a state change costs sparse rows only.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    /// The iteration on `B y = d_rhs`, with the recurrence of staggered projections. The plain `ConjugateResidual` has
    /// another divisor, `zᵀ B z`, which may vanish here.
    pub(super) cr: GuardedConjugateResidual<Pair>,
    /// `(λ, γ)_ref`: the forces that soft rows are soft about, 3 per contact (N).
    pub(super) reference: Vec<f64>,
    /// `(g, s)` of every contact at the latest evaluation (m).
    pub(super) displacement: Vec<f64>,
    /// Which part of every contact's rows takes part.
    pub(super) masks: Vec<RowMask>,
    /// Contacts whose rows take part, ascending.
    pub(super) active: Vec<u32>,
    /// Scratch of the product with `A`.
    pub(super) product: Vec<f64>,
    /// Warm start, restored after a breakdown.
    pub(super) initial_velocity: Vec<f64>,
    pub(super) initial_contacts: Vec<crate::Multipliers>,
}

impl Workspace {
    pub(super) fn resize(&mut self, unknowns: usize, contacts: usize, product: usize) {
        for pair in self.cr.vectors_mut() {
            pair.resize(unknowns, contacts);
        }
        self.displacement.resize(3 * contacts, 0.0);
        self.reference.resize(3 * contacts, 0.0);
        self.masks.resize(contacts, RowMask::default());
        // Contacts of an earlier problem are no rows of this one.
        self.active.clear();
        self.product.resize(product, 0.0);
    }
}
