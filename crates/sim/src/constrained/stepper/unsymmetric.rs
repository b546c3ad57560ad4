//! The step with all of the geometric stiffness of rigid bodies, which is not symmetric, by LU factors.
//!
//! ```text
//! [ A + S   −jᵀ ] [ v ]   [  b ]
//! [  −j     −C  ] [ λ ] = [ −c ]        S = ½ h² Σ τ^ in the rotation of each body, τ its moment
//! ```
//!
//! Forces at the arms of a body have the derivative `Σ f^ r^` of their moment by its rotation, with the symmetric part
//! in `A` and the other part `−½ τ^`.
//!
//! # Source
//! Tournier et al. 2015, eq. (22) and Fig. 5; differs from it in: conditions on directions, as in hinges, have their
//! symmetric part only.

use super::super::ConstrainedError;
use super::ConstrainedStepper;
use super::layout::get;
use impinge_contact::constraint::GeometricStiffness;
use impinge_contact::method::compliant_kkt::MAX_BACKWARD_ERROR;
use impinge_contact::{ContactError, ContactReport, Termination};
use impinge_krylov::direct::SparseLu;
use nalgebra::Matrix3;
use nalgebra_sparse::{CooMatrix, CscMatrix};

/// `max |r_i| / (Σ_k |K_ik x_k| + |b_i|)` of `K x = b`; NaN if an unknown is not finite.
fn backward_error(matrix: &CscMatrix<f64>, x: &[f64], rhs: &[f64]) -> f64 {
    let mut residual = rhs.to_vec();
    let mut size: Vec<f64> = rhs.iter().map(|b| b.abs()).collect();
    for (row, column, value) in matrix.triplet_iter() {
        let product = value * x[column];
        residual[row] -= product;
        size[row] += product.abs();
    }
    let shares = residual.iter().zip(&size);
    let shares = shares.map(|(r, size)| if *r == 0.0 { 0.0 } else { r.abs() / size });
    shares.fold(0.0, |most, share| {
        if share > most || share.is_nan() {
            share
        } else {
            most
        }
    })
}

impl ConstrainedStepper {
    /// Solves the problem at hand with `S`. Its impulses `S v` move to the right-hand side, so that the symmetric
    /// problem has the same solution.
    pub(super) fn solve_unsymmetric(&mut self) -> Result<ContactReport, ConstrainedError> {
        let (n, m) = (self.problem.unknowns(), self.problem.constraints.len());
        let rows = &self.problem.constraints;
        if (0..rows.groups()).any(|group| rows.group(group).unilateral) {
            return Err(ContactError::OneSidedRows.into());
        }
        let turned = self.moments();
        let mut entries = CooMatrix::new(n + m, n + m);
        for (row, column, value) in self.problem.momentum.to_csr().triplet_iter() {
            entries.push(row, column, *value);
        }
        for (block, skew) in &turned {
            for row in 0..3 {
                for column in 0..3 {
                    entries.push(3 * block + row, 3 * block + column, skew[(row, column)]);
                }
            }
        }
        let mut x = self.problem.rhs.clone();
        for index in 0..rows.groups() {
            let (group, first) = (rows.group(index), n + rows.first_row(index));
            let count = group.offset.len();
            for row in 0..count {
                let of_row = &group.jacobian[row * group.blocks.len()..];
                for (&block, j) in group.blocks.iter().zip(of_row) {
                    for axis in 0..3 {
                        let unknown = 3 * block as usize + axis;
                        entries.push(first + row, unknown, -j[axis]);
                        entries.push(unknown, first + row, -j[axis]);
                    }
                }
                for column in 0..count {
                    let compliance = group.compliance[row * count + column];
                    entries.push(first + row, first + column, -compliance);
                }
            }
            x.extend(group.offset.iter().map(|offset| -offset));
        }
        let matrix = CscMatrix::from(&entries);
        let rhs = x.clone();
        let unusable = |_| ConstrainedError::Breakdown;
        let mut factors = SparseLu::new(&matrix).map_err(unusable)?;
        factors.factorize(&matrix).map_err(unusable)?;
        factors.solve_in_place(&mut x);
        self.solution.velocity.copy_from_slice(&x[..n]);
        self.solution.constraints.copy_from_slice(&x[n..]);
        for (block, skew) in &turned {
            let impulse = skew * get(&self.solution.velocity, *block);
            for axis in 0..3 {
                self.problem.rhs[3 * block + axis] -= impulse[axis];
            }
        }
        let error = backward_error(&matrix, &x, &rhs);
        Ok(ContactReport {
            termination: if !error.is_finite() {
                Termination::Breakdown
            } else if error <= MAX_BACKWARD_ERROR {
                Termination::Converged
            } else {
                Termination::MaxIterations
            },
            residual: error,
            ..ContactReport::default()
        })
    }

    /// The block of the rotation of each body with `S` in it.
    fn moments(&self) -> Vec<(usize, Matrix3<f64>)> {
        let h = self.problem.time_step;
        if self.settings.geometric_stiffness == GeometricStiffness::None {
            return Vec::new();
        }
        let bodies = self.body_blocks.iter().enumerate();
        bodies
            .filter_map(|(body, blocks)| {
                let of = blocks.as_ref()?;
                let moment = self.sum.moment(body).cross_matrix();
                let skew = of.axes.tr_mul(&(moment * of.axes)) * (0.5 * h * h);
                Some((of.first as usize + 1, skew))
            })
            .collect()
    }
}
