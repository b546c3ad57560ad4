//! The system of a projection: active rows, their softness, and a diagonal preconditioner.

use crate::ContactProblem;
use crate::method::masked_rows::{MaskedRows, RowMask};
use crate::method::rows::{at, diagonal_compliance};
use nalgebra::Matrix3;

/// The rows of one contact in a projection.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Row {
    pub(super) mask: RowMask,
    /// Softness `E` beyond the elastic part, for the row across a slip (m/N).
    pub(super) softness: f64,
}

/// `B` with its preconditioner `C = diag(D, Z W + E)`.
#[derive(Debug, Default)]
pub(super) struct System {
    pub(super) unknowns: usize,
    /// `1/D`, `n` (1/kg).
    inverse_diagonal: Vec<f64>,
    /// `W = diag(L D⁻¹ Lᵀ)`, 3 per contact (m/N).
    compliance: Vec<f64>,
    /// `Z ∘ W`, 3 per contact (m/N).
    counted: Vec<f64>,
    /// `E`, 3 per contact (m/N).
    pub(super) softness: Vec<f64>,
    pub(super) masks: Vec<RowMask>,
    /// Contacts with active rows, ascending.
    pub(super) active: Vec<u32>,
    /// Weight of the contacts on each block; scratch of the count.
    load: Vec<f64>,
}

impl System {
    /// Computes diagonal estimates for `problem`, without active rows.
    pub(super) fn prepare(&mut self, problem: &ContactProblem) {
        let (n, contacts) = (problem.unknowns(), problem.contacts());
        self.unknowns = n;
        self.inverse_diagonal.resize(n, 0.0);
        problem.momentum.diagonal_into(&mut self.inverse_diagonal);
        for entry in &mut self.inverse_diagonal {
            *entry = entry.recip();
        }
        self.compliance.clear();
        for contact in 0..contacts {
            let inverse = |block| at(&self.inverse_diagonal, block);
            let w = diagonal_compliance(problem, contact, inverse);
            self.compliance.extend_from_slice(w.as_slice());
        }
        self.count_neighbours(problem);
        self.softness.clear();
        self.softness.resize(3 * contacts, 0.0);
        self.masks.clear();
        self.masks.resize(contacts, RowMask::default());
        self.active.clear();
    }

    /// `Z`: number of contacts on the blocks of a contact, each block weighted by its share of the compliance.
    ///
    /// A block's load is the sum of `‖D^{-½} jᵀ‖` over the normal rows `j` there, so `Z W` bounds the row sum of
    /// `L D⁻¹ Lᵀ` by the Cauchy-Schwarz inequality; `m` copies of a contact alone count `m`.
    fn count_neighbours(&mut self, problem: &ContactProblem) {
        let inverse = &self.inverse_diagonal;
        let weight = |block: u32, jacobian: &Matrix3<f64>| {
            let row = jacobian.row(0).transpose();
            row.component_mul(&row).dot(&at(inverse, block)).sqrt()
        };
        self.load.clear();
        self.load.resize(problem.momentum.blocks(), 0.0);
        for contact in 0..problem.contacts() {
            let (blocks, jacobians) = problem.row(contact);
            for (&block, jacobian) in blocks.iter().zip(jacobians) {
                self.load[block as usize] += weight(block, jacobian);
            }
        }
        self.counted.clear();
        for contact in 0..problem.contacts() {
            let (blocks, jacobians) = problem.row(contact);
            let (mut shared, mut own) = (0.0, 0.0);
            for (&block, jacobian) in blocks.iter().zip(jacobians) {
                let part = weight(block, jacobian);
                shared += part * self.load[block as usize];
                own += part * part;
            }
            let count = (shared / own).max(1.0);
            let compliance = &self.compliance[3 * contact..][..3];
            self.counted.extend(compliance.iter().map(|w| count * w));
        }
    }

    /// `W_n` (m/N).
    pub(super) fn normal_compliance(&self, contact: usize) -> f64 {
        self.compliance[3 * contact]
    }

    /// `W_t` (m/N).
    pub(super) fn tangential_compliance(&self, contact: usize) -> f64 {
        self.compliance[3 * contact + 1].max(self.compliance[3 * contact + 2])
    }

    /// `out = C⁻¹ x`.
    pub(super) fn precondition(&self, x: &[f64], out: &mut [f64]) {
        let n = self.unknowns;
        for ((out, x), d) in out.iter_mut().zip(x).zip(&self.inverse_diagonal) {
            *out = x * d;
        }
        for &contact in &self.active {
            let scale = at(&self.counted, contact) + at(&self.softness, contact);
            let value = at(&x[n..], contact).component_div(&scale);
            let value = self.masks[contact as usize].apply(value);
            out[n + 3 * contact as usize..][..3].copy_from_slice(value.as_slice());
        }
    }

    /// `out = B x`: one product with `A`.
    pub(super) fn multiply(
        &self,
        problem: &ContactProblem,
        x: &[f64],
        out: &mut [f64],
        scratch: &mut [f64],
    ) {
        let n = self.unknowns;
        (self.rows()).multiply(problem, x.split_at(n), out.split_at_mut(n), scratch);
    }

    pub(super) fn rows(&self) -> MaskedRows<'_> {
        MaskedRows {
            masks: &self.masks,
            active: &self.active,
            softness: &self.softness,
        }
    }
}
