//! `C⁻¹`: diagonal, or the block inverse with both diagonal estimates (spec 6.1).

use super::{
    duplicates::DuplicateCounter,
    rows::{at, displacement, masked},
    settings::{DuplicateRule, PreconditionerKind},
};
use crate::{ContactProblem, Multipliers};
use nalgebra::Vector3;

/// Diagonal estimates of one contact set and the application of `C⁻¹`.
#[derive(Debug, Default)]
pub(super) struct Preconditioner {
    pub(super) kind: PreconditionerKind,
    /// `1/D`, length `n` (1/kg).
    inverse_diagonal: Vec<f64>,
    /// `W = diag(L D⁻¹ Lᵀ)`, 3 per contact (m/N).
    compliance: Vec<f64>,
    /// `1/S_d = 1/(Z ∘ W)`, 3 per contact (N/m).
    inverse_scaled: Vec<f64>,
    duplicates: DuplicateCounter,
}

impl Preconditioner {
    /// Recomputes every estimate for `problem`.
    pub(super) fn prepare(
        &mut self,
        problem: &ContactProblem,
        kind: PreconditionerKind,
        rule: DuplicateRule,
    ) {
        self.kind = kind;
        self.inverse_diagonal.resize(problem.unknowns(), 0.0);
        problem.momentum.diagonal_into(&mut self.inverse_diagonal);
        for entry in &mut self.inverse_diagonal {
            *entry = entry.recip();
        }

        self.compliance.clear();
        for contact in 0..problem.contacts() {
            let (blocks, jacobians) = problem.row(contact);
            let mut w = Vector3::<f64>::zeros();
            for (&block, jacobian) in blocks.iter().zip(jacobians) {
                w += jacobian.component_mul(jacobian) * at(&self.inverse_diagonal, block);
            }
            self.compliance.extend_from_slice(w.as_slice());
        }

        self.inverse_scaled.resize(3 * problem.contacts(), 1.0);
        self.duplicates.count(
            problem,
            rule,
            &self.inverse_diagonal,
            &self.compliance,
            &mut self.inverse_scaled,
        );
        for (z, w) in self.inverse_scaled.iter_mut().zip(&self.compliance) {
            *z = (*z * w).recip();
        }
    }

    /// `W_n` (m/N).
    #[inline]
    pub(super) fn normal_compliance(&self, contact: usize) -> f64 {
        self.compliance[3 * contact]
    }

    /// `W_t`: the larger of the two tangential rows' (m/N).
    #[inline]
    pub(super) fn tangential_compliance(&self, contact: usize) -> f64 {
        self.compliance[3 * contact + 1].max(self.compliance[3 * contact + 2])
    }

    /// `z = C⁻¹ r` over the rows that take part.
    pub(super) fn apply(
        &self,
        problem: &ContactProblem,
        contacts: &[Multipliers],
        active: &[u32],
        r: (&[f64], &[f64]),
        z: (&mut [f64], &mut [f64]),
    ) {
        let (r_v, r_m) = r;
        let (z_v, z_m) = z;
        for ((z, r), d) in z_v.iter_mut().zip(r_v).zip(&self.inverse_diagonal) {
            *z = r * d;
        }
        match self.kind {
            PreconditionerKind::Diagonal => {
                for &contact in active {
                    for row in 3 * contact as usize..3 * contact as usize + 3 {
                        z_m[row] = r_m[row] * self.inverse_scaled[row];
                    }
                }
            }
            PreconditionerKind::Full => {
                self.apply_full(problem, contacts, active, (r_v, r_m), (z_v, z_m));
            }
        }
    }

    /// `t = S_d⁻¹(L w − c)`, result `(w − D⁻¹ Lᵀ t, t)` with `w = D⁻¹ a` already in `z_v`.
    fn apply_full(
        &self,
        problem: &ContactProblem,
        contacts: &[Multipliers],
        active: &[u32],
        (r_v, r_m): (&[f64], &[f64]),
        (z_v, z_m): (&mut [f64], &mut [f64]),
    ) {
        for &contact in active {
            let contact = contact as usize;
            let (blocks, jacobians) = problem.row(contact);
            // `L w` must see every `w` as it was: it is formed anew from `a`, not read from the half-finished result.
            let mut moved = Vector3::zeros();
            for (&block, jacobian) in blocks.iter().zip(jacobians) {
                moved +=
                    jacobian * at(r_v, block).component_mul(&at(&self.inverse_diagonal, block));
            }
            let t = -(moved + at(r_m, contact as u32))
                .component_mul(&at(&self.inverse_scaled, contact as u32));
            let t = masked(contacts[contact].state, t);
            for (&block, jacobian) in blocks.iter().zip(jacobians) {
                let change = jacobian
                    .tr_mul(&t)
                    .component_mul(&at(&self.inverse_diagonal, block));
                let z = &mut z_v[3 * block as usize..][..3];
                z[0] += change[0];
                z[1] += change[1];
                z[2] += change[2];
            }
            z_m[3 * contact..][..3].copy_from_slice(t.as_slice());
        }
    }

    /// `g` and `s` of one contact: `[J; J_t] v − c` (m).
    #[inline]
    pub(super) fn gap_and_slip(
        problem: &ContactProblem,
        contact: usize,
        v: &[f64],
    ) -> Vector3<f64> {
        displacement(problem, contact, v) - problem.offset(contact)
    }
}
