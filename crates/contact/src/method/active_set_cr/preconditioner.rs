//! `C⁻¹`: diagonal, or the block inverse with both diagonal estimates.

use super::{
    duplicates::DuplicateCounter,
    settings::{DuplicateRule, PreconditionerKind},
};
use crate::method::{
    masked_rows::MaskedRows,
    rows::{at, diagonal_compliance},
};
use crate::{ContactProblem, block::add, problem::CONTACTS_PER_TASK};
use impinge_krylov::preconditioner::Preconditioner as MomentumPreconditioner;
use nalgebra::Vector3;
use rayon::prelude::*;
use std::fmt;

/// A preconditioner of the momentum rows from another crate, in the place of `D⁻¹`.
#[derive(Default)]
pub(super) struct OfMomentum(pub(super) Option<Box<dyn MomentumPreconditioner + Send>>);

impl fmt::Debug for OfMomentum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "one" } else { "none" })
    }
}

/// Diagonal estimates of one contact set and the application of `C⁻¹`.
#[derive(Debug, Default)]
pub(super) struct Preconditioner {
    pub(super) kind: PreconditionerKind,
    /// Revision of the matrix of the diagonal.
    revision: Option<u64>,
    /// `diag(A)`, length `n` (kg), and its inverse (1/kg).
    diagonal: Vec<f64>,
    inverse_diagonal: Vec<f64>,
    /// `W = diag(L D⁻¹ Lᵀ)`, 3 per contact (m/N).
    compliance: Vec<f64>,
    /// `E`: softness of the rows, 3 per contact (m/N).
    softness: Vec<f64>,
    /// `Z ∘ W`, 3 per contact (m/N).
    scaled: Vec<f64>,
    /// `E/W` of the softness that lets nearly conflicting rows be satisfied together.
    relative_softness: f64,
    /// `1/S_d = 1/(Z ∘ W + E)`, 3 per contact (N/m).
    inverse_scaled: Vec<f64>,
    duplicates: DuplicateCounter,
    /// Whether duplicates of the present problem have been counted.
    counted: bool,
    pub(super) of_momentum: OfMomentum,
}

impl Preconditioner {
    /// Recomputes the estimates that depend on single contacts only.
    pub(super) fn prepare(
        &mut self,
        problem: &ContactProblem,
        kind: PreconditionerKind,
        softness: f64,
    ) {
        // The block inverse is made of the diagonal.
        let kind = match self.of_momentum.0 {
            Some(_) => PreconditionerKind::Diagonal,
            None => kind,
        };
        self.kind = kind;
        self.relative_softness = softness;
        self.counted = false;
        // All solves of a step have one matrix.
        let revision = Some(problem.momentum.revision());
        if std::mem::replace(&mut self.revision, revision) != revision {
            self.diagonal.resize(problem.unknowns(), 0.0);
            problem.momentum.diagonal_into(&mut self.diagonal);
            self.inverse_diagonal.clear();
            let inverse = self.diagonal.iter().map(|entry| entry.recip());
            self.inverse_diagonal.extend(inverse);
            if let Some(preconditioner) = &mut self.of_momentum.0 {
                preconditioner.prepare(&problem.momentum);
            }
        }
        let inverse = &self.inverse_diagonal;
        let compliance_of = |(contact, out): (usize, &mut [f64])| {
            let w = diagonal_compliance(problem, contact, |block| at(inverse, block));
            out.copy_from_slice(w.as_slice());
        };
        self.compliance.resize(3 * problem.contacts(), 0.0);
        (self.compliance.par_chunks_exact_mut(3).enumerate())
            .with_min_len(CONTACTS_PER_TASK)
            .for_each(compliance_of);
    }

    /// `diag(A)` (kg).
    pub(super) fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// `1/diag(A)` (1/kg).
    pub(super) fn inverse_diagonal(&self) -> &[f64] {
        &self.inverse_diagonal
    }

    /// `D⁻¹ x` of one block.
    #[inline]
    fn apply_inverse_diagonal(&self, block: u32, x: &Vector3<f64>) -> Vector3<f64> {
        x.component_mul(&at(&self.inverse_diagonal, block))
    }

    /// Counts near-duplicate contacts, as [`apply`](Self::apply) requires; once per problem.
    pub(super) fn count_duplicates(&mut self, problem: &ContactProblem, rule: DuplicateRule) {
        if std::mem::replace(&mut self.counted, true) {
            return;
        }
        self.inverse_scaled.resize(3 * problem.contacts(), 1.0);
        (self.duplicates).count(problem, rule, &mut self.inverse_scaled);
        for (z, w) in self.inverse_scaled.iter_mut().zip(&self.compliance) {
            *z *= w;
        }
        self.scaled.clone_from(&self.inverse_scaled);
        self.softness.clear();
        self.softness.resize(3 * problem.contacts(), 0.0);
        for contact in 0..problem.contacts() {
            self.soften(contact, 0.0);
        }
    }

    /// Sets `E` of one contact; `sliding` is the softness of the row across its slip (m/N), or 0.
    pub(super) fn soften(&mut self, contact: usize, sliding: f64) {
        let tangential = self.relative_softness * self.tangential_compliance(contact) + sliding;
        let normal = self.relative_softness * self.normal_compliance(contact);
        for (row, softness) in [normal, tangential, tangential].into_iter().enumerate() {
            let row = 3 * contact + row;
            self.softness[row] = softness;
            self.inverse_scaled[row] = (self.scaled[row] + softness).recip();
        }
    }

    /// Tangential softness of a contact about its reference force (m/N).
    pub(super) fn elastic_softness(&self, contact: usize) -> f64 {
        self.relative_softness * self.tangential_compliance(contact)
    }

    /// `E`, 3 per contact (m/N).
    #[inline]
    pub(super) fn softness(&self) -> &[f64] {
        &self.softness
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

    /// `z = C⁻¹ r` over the active rows.
    pub(super) fn apply(
        &self,
        problem: &ContactProblem,
        rows: MaskedRows<'_>,
        r: (&[f64], &[f64]),
        z: (&mut [f64], &mut [f64]),
    ) {
        let (r_v, r_m) = r;
        let (z_v, z_m) = z;
        if let Some(preconditioner) = &self.of_momentum.0 {
            preconditioner.apply(r_v, z_v);
        } else {
            for ((z, r), d) in z_v.iter_mut().zip(r_v).zip(&self.inverse_diagonal) {
                *z = r * d;
            }
        }
        match self.kind {
            PreconditionerKind::Diagonal => {
                for &contact in rows.active {
                    let scaled = at(r_m, contact).component_mul(&at(&self.inverse_scaled, contact));
                    let z = rows.masks[contact as usize].apply(scaled);
                    z_m[3 * contact as usize..][..3].copy_from_slice(z.as_slice());
                }
            }
            PreconditionerKind::Full => self.apply_full(problem, rows, (r_v, r_m), (z_v, z_m)),
        }
    }

    /// `t = S_d⁻¹(L w − c)`, result `(w − D⁻¹ Lᵀ t, t)` with `w = D⁻¹ a` already in `z_v`.
    fn apply_full(
        &self,
        problem: &ContactProblem,
        rows: MaskedRows<'_>,
        (r_v, r_m): (&[f64], &[f64]),
        (z_v, z_m): (&mut [f64], &mut [f64]),
    ) {
        for &contact in rows.active {
            let contact = contact as usize;
            let (blocks, jacobians) = problem.row(contact);
            // `L w` needs every `w` before its update, so `w` is computed from `a`, not read from the partial result.
            let mut moved = Vector3::zeros();
            for (&block, jacobian) in blocks.iter().zip(jacobians) {
                moved += jacobian * self.apply_inverse_diagonal(block, &at(r_v, block));
            }
            let t = -(moved + at(r_m, contact as u32))
                .component_mul(&at(&self.inverse_scaled, contact as u32));
            let t = rows.masks[contact].apply(t);
            for (&block, jacobian) in blocks.iter().zip(jacobians) {
                let change = self.apply_inverse_diagonal(block, &jacobian.tr_mul(&t));
                add(z_v, block, &change);
            }
            z_m[3 * contact..][..3].copy_from_slice(t.as_slice());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::masked_rows::RowMask;
    use crate::{ContactRow, ContactState};
    use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
    use nalgebra::{DMatrix, DVector, Matrix3};

    /// Two blocks, and `copies` of one contact between them.
    fn problem(copies: usize) -> ContactProblem {
        let mut momentum = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(2, [(0, 1)]));
        *momentum.diagonal_block_mut(0) = Matrix3::new(2.0, 0.3, 0.0, 0.3, 3.0, 0.1, 0.0, 0.1, 5.0);
        *momentum.diagonal_block_mut(1) = Matrix3::from_diagonal(&Vector3::new(1.0, 4.0, 2.0));
        let mut problem = ContactProblem::new(1e-3, momentum, vec![0.0; 6]);
        let frame = crate::frame::ContactFrame::around(Vector3::new(1.0, 2.0, -2.0) / 3.0).rows();
        for _ in 0..copies {
            problem.push(&ContactRow {
                entries: &[(0, 1e-3 * frame), (1, -0.7e-3 * frame)],
                offset: Vector3::zeros(),
                friction: 0.5,
            });
        }
        problem
    }

    /// `C⁻¹` by columns.
    fn applied(
        preconditioner: &Preconditioner,
        problem: &ContactProblem,
        contacts: &[ContactState],
    ) -> DMatrix<f64> {
        let active: Vec<u32> = (0..contacts.len() as u32)
            .filter(|&c| contacts[c as usize] != ContactState::Inactive)
            .collect();
        let masks: Vec<RowMask> = contacts
            .iter()
            .map(|&state| RowMask::of(state, None))
            .collect();
        let size = 6 + 3 * contacts.len();
        let mut out = DMatrix::zeros(size, size);
        for column in 0..size {
            let mut r = DVector::<f64>::zeros(size);
            r[column] = 1.0;
            // In the iteration, inactive rows are always 0.
            for (contact, mask) in masks.iter().enumerate() {
                let rows = 6 + 3 * contact;
                let kept = mask.apply(Vector3::new(r[rows], r[rows + 1], r[rows + 2]));
                r.fixed_rows_mut::<3>(rows).copy_from(&kept);
            }
            let (r_v, r_m) = r.as_slice().split_at(6);
            let mut z = vec![0.0; size];
            let (z_v, z_m) = z.split_at_mut(6);
            let rows = MaskedRows {
                masks: &masks,
                active: &active,
                softness: &[],
            };
            preconditioner.apply(problem, rows, (r_v, r_m), (z_v, z_m));
            out.set_column(column, &DVector::from_vec(z));
        }
        out
    }

    /// The block inverse agrees with dense matrices.
    #[test]
    fn full_is_the_block_formula() {
        let problem = problem(3);
        let diagonal = DMatrix::from_fn(6, 6, |i, k| {
            let entry = |block| problem.momentum.diagonal_block(block)[(i % 3, i % 3)];
            if i == k { 1.0 / entry(i / 3) } else { 0.0 }
        });
        compare_with_the_formula(&problem, &diagonal);
    }

    /// Compares `C⁻¹` of three equal contacts with that of `D⁻¹ = inverse`.
    fn compare_with_the_formula(problem: &ContactProblem, inverse: &DMatrix<f64>) {
        let states = [
            ContactState::Sticking,
            ContactState::Inactive,
            ContactState::Sliding,
        ];
        let mut preconditioner = Preconditioner::default();
        preconditioner.prepare(problem, PreconditionerKind::Full, 0.0);
        preconditioner.count_duplicates(problem, DuplicateRule::Similarity);

        let mut l = DMatrix::<f64>::zeros(9, 6);
        let mut inverse_s = DMatrix::<f64>::zeros(9, 9);
        for (contact, &state) in states.iter().enumerate() {
            let mask = RowMask::of(state, None).apply(Vector3::repeat(1.0));
            let (blocks, jacobians) = problem.row(contact);
            for (&block, jacobian) in blocks.iter().zip(jacobians) {
                l.fixed_view_mut::<3, 3>(3 * contact, 3 * block as usize)
                    .copy_from(&(-Matrix3::from_diagonal(&mask) * jacobian));
            }
            for row in 0..3 {
                // All three contacts are equal, so each counts three times, in any state.
                let mut w = 0.0;
                let (blocks, jacobians) = problem.row(contact);
                for (&block, jacobian) in blocks.iter().zip(jacobians) {
                    let own = inverse.fixed_view::<3, 3>(3 * block as usize, 3 * block as usize);
                    w += (jacobian.row(row) * own * jacobian.row(row).transpose())[0];
                }
                inverse_s[(3 * contact + row, 3 * contact + row)] = mask[row] / (3.0 * w);
            }
        }
        let mut expected = DMatrix::zeros(15, 15);
        let coupling = &inverse_s * &l * inverse;
        expected
            .view_mut((0, 0), (6, 6))
            .copy_from(&(inverse - inverse * l.transpose() * &coupling));
        expected.view_mut((6, 0), (9, 6)).copy_from(&coupling);
        expected
            .view_mut((0, 6), (6, 9))
            .copy_from(&coupling.transpose());
        expected.view_mut((6, 6), (9, 9)).copy_from(&-&inverse_s);
        let found = applied(&preconditioner, problem, &states);
        // Entries range from 1/kg to N/m.
        assert!((&found - &expected).amax() < 1e-12 * expected.amax());
        let upper = found.view((0, 0), (6, 6)) - expected.view((0, 0), (6, 6));
        assert!(upper.amax() < 1e-12);
    }

    /// For five copies in one state: the smallest eigenvalue of the upper left block of `D^½ C⁻¹ D^½`, with copies
    /// counted by a rule, and with `Z = 1`.
    fn smallest_eigenvalues(
        problem: &ContactProblem,
        state: ContactState,
        rule: DuplicateRule,
    ) -> [f64; 2] {
        let contacts = vec![state; problem.contacts()];
        let mut preconditioner = Preconditioner::default();
        preconditioner.prepare(problem, PreconditionerKind::Full, 0.0);
        preconditioner.count_duplicates(problem, rule);
        let smallest = |preconditioner: &Preconditioner| {
            let upper = applied(preconditioner, problem, &contacts)
                .view((0, 0), (6, 6))
                .into_owned();
            let scale = DMatrix::from_diagonal(
                &DVector::from_column_slice(&preconditioner.inverse_diagonal)
                    .map(|d| d.sqrt().recip()),
            );
            (&scale * upper * &scale).symmetric_eigenvalues().min()
        };
        let counted = smallest(&preconditioner);
        for (inverse, w) in preconditioner
            .inverse_scaled
            .iter_mut()
            .zip(&preconditioner.compliance)
        {
            *inverse = w.recip();
        }
        [counted, smallest(&preconditioner)]
    }

    /// Counted copies leave the upper left block semi-definite, by either rule; uncounted copies give the eigenvalue `1
    /// − m`.
    #[test]
    fn counted_copies_leave_no_negative_eigenvalue() {
        const COPIES: usize = 5;
        let anisotropic = problem(COPIES);
        // Rows of one contact are orthogonal if `D⁻¹` is isotropic in each block.
        let mut isotropic = problem(COPIES);
        for (block, mass) in [2.0, 3.0].into_iter().enumerate() {
            *isotropic.momentum.diagonal_block_mut(block) = Matrix3::from_diagonal_element(mass);
        }
        for (name, problem, state) in [
            ("normal rows only", &anisotropic, ContactState::Sliding),
            ("all rows", &isotropic, ContactState::Sticking),
        ] {
            for rule in [DuplicateRule::Similarity, DuplicateRule::PerPair] {
                let [counted, uncounted] = smallest_eigenvalues(problem, state, rule);
                assert!(counted >= -1e-12, "{name}, {rule:?}: {counted:e}");
                let expected = 1.0 - COPIES as f64;
                assert!((uncounted - expected).abs() < 1e-12, "{name}: {uncounted}");
            }
        }
    }
}
