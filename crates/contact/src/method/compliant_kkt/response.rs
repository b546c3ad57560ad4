//! `S = j diag(A)⁻¹ jᵀ + C`: response of the rows if every unknown has its own inertia only, factorised.

use crate::ContactProblem;
use crate::constraint::ConstraintRows;
use impinge_krylov::KrylovError;
use impinge_krylov::direct::{SolveScratch, SparseCholesky};
use nalgebra::Vector3;
use nalgebra_sparse::{CooMatrix, CscMatrix};
use std::sync::{Mutex, PoisonError};

/// Share of its own diagonal that is added to `S`, because redundant rows make it singular.
const RIDGE: f64 = 1e-12;

/// `S = L Lᵀ`.
pub(super) struct RowResponse {
    factor: SparseCholesky,
    /// Never contended: the preconditioner is applied by one thread, but its type must be `Sync`.
    scratch: Mutex<SolveScratch>,
}

impl RowResponse {
    /// Factorises `S` for the rows of `problem`; `diagonal` is that of its momentum matrix.
    ///
    /// # Errors
    /// [`KrylovError`] if `S` is not positive definite in floating point.
    pub(super) fn new(problem: &ContactProblem, diagonal: &[f64]) -> Result<Self, KrylovError> {
        let upper = upper_triangle(&problem.constraints, diagonal);
        let mut factor = SparseCholesky::new(&upper)?;
        factor.factorize(&upper)?;
        Ok(Self {
            factor,
            scratch: Mutex::default(),
        })
    }

    /// `x ← S⁻¹ x`.
    pub(super) fn solve_in_place(&self, x: &mut [f64]) {
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        self.factor.solve_with(x, &mut scratch);
    }
}

/// The upper triangle of `S`, with its ridge.
fn upper_triangle(rows: &ConstraintRows, diagonal: &[f64]) -> CscMatrix<f64> {
    // Rows by their blocks: only rows that share a block are coupled.
    let mut on_block: Vec<Vec<(usize, Vector3<f64>)>> = vec![Vec::new(); diagonal.len() / 3];
    let mut upper = CooMatrix::new(rows.len(), rows.len());
    for group in 0..rows.groups() {
        let of = rows.group(group);
        let (first, count) = (rows.first_row(group), of.offset.len());
        for row in 0..count {
            let entries = &of.jacobian[row * of.blocks.len()..];
            for (&block, j) in of.blocks.iter().zip(entries) {
                on_block[block as usize].push((first + row, *j));
            }
            for column in row..count {
                let value = of.compliance[row * count + column];
                upper.push(first + row, first + column, value);
            }
        }
    }
    for (list, own) in on_block.iter().zip(diagonal.chunks_exact(3)) {
        let inverse = Vector3::from_column_slice(own).map(f64::recip);
        for (at, (row, j)) in list.iter().enumerate() {
            let moved = j.component_mul(&inverse);
            for (column, other) in &list[at..] {
                upper.push(*row, *column, moved.dot(other));
            }
        }
    }
    let mut upper = CscMatrix::from(&upper);
    for (row, mut column) in (0..rows.len()).zip(upper.col_iter_mut()) {
        let (places, values) = column.rows_and_values_mut();
        // Entries of a column ascend, so the diagonal is the last of the upper triangle.
        if let (Some(&place), Some(value)) = (places.last(), values.last_mut()) {
            debug_assert_eq!(place, row, "a diagonal entry");
            *value *= 1.0 + RIDGE;
        }
    }
    upper
}
