//! Redundant and inconsistent rows, found and named at the start.

use super::ConstraintRows;
use nalgebra::{DMatrix, Vector3};
use std::collections::BTreeMap;

/// Largest number of rows whose redundancy is checked, or that are eliminated together, because the matrix is dense:
/// 1500 rows take 18 MB.
pub const MOST_ROWS: usize = 1500;

/// Squared remainder of a row after projection onto the others, relative to its squared norm, below which the row is
/// redundant: a remainder of 3e-5. Well above rounding of the factorisation, well below any real independence of rows.
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

/// Finds the redundant bilateral rows without compliance by a pivoted Cholesky factorisation of `j jᵀ`; `None` above
/// [`MOST_ROWS`] rows. All unknowns must be velocities (m/s).
///
/// Masses do not enter: with them, a row between a heavy and a light body could look redundant, as the heavy one hardly
/// moves.
///
/// # Cost
/// `rows³/3` operations.
pub fn dependent_rows(rows: &ConstraintRows) -> Option<Vec<DependentRow>> {
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
        return None;
    }
    let Products {
        mut gram,
        mut offset,
        scale,
    } = Products::new(rows, &list);
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
    Some(dependent)
}

/// Products of rows scaled to unit norm.
struct Products {
    /// `j jᵀ`.
    gram: DMatrix<f64>,
    /// Offsets in the same scale.
    offset: Vec<f64>,
    /// Norms of the rows; 1 for a row of zeros.
    scale: Vec<f64>,
}

impl Products {
    /// The products of the rows in `list`, as groups and rows within them.
    fn new(rows: &ConstraintRows, list: &[(usize, usize)]) -> Self {
        let mut by_block: BTreeMap<u32, Vec<(usize, Vector3<f64>)>> = BTreeMap::new();
        let mut squares = vec![0.0; list.len()];
        for (at, &(group, row)) in list.iter().enumerate() {
            let of = rows.group(group);
            for (&block, j) in of.blocks.iter().zip(&of.jacobian[row * of.blocks.len()..]) {
                squares[at] += j.norm_squared();
                by_block.entry(block).or_default().push((at, *j));
            }
        }
        let scale: Vec<f64> = (squares.iter())
            .map(|&square: &f64| if square > 0.0 { square.sqrt() } else { 1.0 })
            .collect();
        // Only rows that share a block have a product.
        let mut gram = DMatrix::<f64>::zeros(list.len(), list.len());
        for entries in by_block.values() {
            for (i, a) in entries {
                for (k, b) in entries {
                    gram[(*i, *k)] += (a / scale[*i]).dot(&(b / scale[*k]));
                }
            }
        }
        let offset = (list.iter().zip(&scale))
            .map(|(&(group, row), scale)| rows.group(group).offset[row] / scale)
            .collect();
        Self {
            gram,
            offset,
            scale,
        }
    }
}
