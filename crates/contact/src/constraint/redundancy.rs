//! Redundant and inconsistent rows, found and named at the start.

use super::ConstraintRows;
use nalgebra::DMatrix;

/// Largest number of rows whose redundancy is checked, or that are eliminated together, because the matrix is dense:
/// 1500 rows take 18 MB.
pub const MOST_ROWS: usize = 1500;

/// Remainder of a row after projection onto the others, relative to its norm, below which the row is redundant. Well
/// above rounding of the factorisation, well below any real independence of rows.
pub(crate) const DEPENDENT: f64 = 1e-9;

/// A rigid row that depends on others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DependentRow {
    /// Group of the row.
    pub group: usize,
    /// Row within it.
    pub row: usize,
    /// Difference between its offset and the offset that the other rows imply (the unit of its `φ`): 0 if it is
    /// consistent.
    pub misfit: f64,
}

/// Finds the redundant bilateral rows without compliance by a pivoted Cholesky factorisation of `j D⁻¹ jᵀ`.
///
/// `inverse_mass` holds the diagonal of `D⁻¹`, one entry per unknown. The result is empty above [`MOST_ROWS`] rows.
///
/// # Cost
/// `rows³/3` operations.
pub fn dependent_rows(rows: &ConstraintRows, inverse_mass: &[f64]) -> Vec<DependentRow> {
    let mut list = Vec::new();
    for group in 0..rows.groups() {
        let of = rows.group(group);
        let count = of.offset.len();
        if !of.unilateral {
            let hard = |row: &usize| of.compliance[row * count + row] == 0.0;
            list.extend((0..count).filter(hard).map(|row| (group, row)));
        }
    }
    let size = list.len();
    if size > MOST_ROWS {
        return Vec::new();
    }
    // Scaled to a unit diagonal; offsets have the same scale.
    let mut dense = DMatrix::<f64>::zeros(inverse_mass.len(), size);
    let mut offset = vec![0.0; size];
    let mut scale = vec![0.0; size];
    for (at, &(group, row)) in list.iter().enumerate() {
        let of = rows.group(group);
        for (&block, j) in of.blocks.iter().zip(&of.jacobian[row * of.blocks.len()..]) {
            for axis in 0..3 {
                let unknown = 3 * block as usize + axis;
                dense[(unknown, at)] = j[axis] * inverse_mass[unknown].sqrt();
            }
        }
        scale[at] = dense.column(at).norm();
        offset[at] = of.offset[row];
        if scale[at] > 0.0 {
            offset[at] /= scale[at];
            dense.column_mut(at).scale_mut(scale[at].recip());
        }
    }
    let mut gram = dense.tr_mul(&dense);
    let mut done = vec![false; size];
    let mut dependent = Vec::new();
    for _ in 0..size {
        let left = (0..size).filter(|&i| !done[i]);
        let Some(pivot) =
            left.max_by(|&a, &b| gram[(a, a)].total_cmp(&gram[(b, b)]).then(b.cmp(&a)))
        else {
            break;
        };
        done[pivot] = true;
        let value = gram[(pivot, pivot)];
        if value < DEPENDENT {
            let (group, row) = list[pivot];
            dependent.push(DependentRow {
                group,
                row,
                misfit: offset[pivot] * scale[pivot],
            });
            continue;
        }
        for i in 0..size {
            if done[i] {
                continue;
            }
            let share = gram[(i, pivot)] / value;
            if share == 0.0 {
                continue;
            }
            for k in 0..size {
                if !done[k] {
                    gram[(i, k)] -= share * gram[(pivot, k)];
                }
            }
            offset[i] -= share * offset[pivot];
        }
    }
    dependent.sort_by_key(|d| (d.group, d.row));
    dependent
}
