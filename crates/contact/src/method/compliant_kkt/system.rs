//! The symmetric KKT matrix of momentum and bilateral rows: its pattern, its factors, refined solves.
//!
//! ```text
//! [  A   −jᵀ ] [ v ]   [  b ]
//! [ −j   −C  ] [ λ ] = [ −c ]
//! ```

use super::doubled::Doubled;
use super::order::{Order, eliminate};
use crate::constraint::ConstraintRows;
use crate::method::rows::own_response;
use crate::{ContactError, ContactProblem};
use impinge_krylov::block::BlockPattern;
use impinge_krylov::direct::SparseLdlt;
use nalgebra_sparse::{CscMatrix, pattern::SparsityPattern};
use std::sync::Arc;

/// Compliance of redundant rows in the factors, over `j diag(A)⁻¹ jᵀ`; refinement removes its effect if the rows are
/// compatible.
const REGULARISATION: f64 = 1e-12;

/// Backward error of a solve above which its rows count as dependent, 1e-12 to 1e-6: dependent rows leave a pivot of
/// rounding.
pub const MAX_BACKWARD_ERROR: f64 = 1e-9;

/// Growth of the backward error above which a refinement step is undone.
const WORSE: f64 = 16.0;

/// Positions of the entries of one matrix; valid for problems of the same pattern.
struct Layout {
    momentum: Arc<BlockPattern>,
    constraints: ConstraintRows,
    /// Groups that are bilateral, ascending.
    bilateral: Vec<usize>,
    /// First row of each group among the bilateral ones.
    first_row: Vec<usize>,
    /// Position of entry `(row, column)` of each stored block; those below the diagonal are unused.
    places: Vec<[usize; 9]>,
    order: Order,
}

/// Matrix, factors and vectors of the solves, reused while the pattern stays the same.
#[derive(Default)]
pub(super) struct KktSystem {
    layout: Option<Layout>,
    matrix: Option<CscMatrix<f64>>,
    factors: Option<SparseLdlt>,
    /// Diagonal subtracted from each bilateral row in the factors, not in the matrix.
    regularised: Vec<f64>,
    /// Diagonal of the rows without regularisation.
    kept: Vec<f64>,
    residual: Vec<f64>,
    bound: Vec<f64>,
    /// `Σ_k |K_ik| max |x|`, the maximum over velocities or over forces.
    scale: Vec<f64>,
    sums: Vec<Doubled>,
    best: Vec<f64>,
}

/// Quality of a refined solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Refined {
    /// `max |r_i| / Σ_k |K_ik x_k|`. If that sum is rounding itself, the largest velocity and the largest force replace
    /// the entries of `x`.
    pub(super) backward_error: f64,
    pub(super) steps: u32,
}

impl KktSystem {
    pub(super) fn unknowns(&self) -> usize {
        self.matrix.as_ref().map_or(0, CscMatrix::nrows)
    }

    /// Bilateral groups, and the first row of each group among the bilateral ones.
    pub(super) fn bilateral(&self) -> (&[usize], &[usize]) {
        self.layout
            .as_ref()
            .map_or((&[], &[]), |l| (&l.bilateral, &l.first_row))
    }

    /// Assembles and factorises the matrix of `problem`. In the factors, every row that may depend on others gets a
    /// small compliance.
    pub(super) fn prepare(&mut self, problem: &ContactProblem) -> Result<(), ContactError> {
        let unknowns = problem.unknowns();
        let fits = self.layout.as_ref().is_some_and(|layout| {
            layout.momentum == *problem.momentum.pattern()
                && layout.constraints.same_pattern(&problem.constraints)
        });
        if !fits {
            self.lay_out(problem)?;
        }
        let (Some(layout), Some(matrix)) = (&self.layout, &mut self.matrix) else {
            return Err(ContactError::TooLarge { unknowns });
        };
        fill(layout, problem, matrix);
        let rows = matrix.nrows() - unknowns;
        self.regularised.clear();
        self.regularised.resize(rows, 0.0);
        let factors = match &mut self.factors {
            Some(factors) => factors,
            None => self.factors.insert(
                SparseLdlt::new(matrix, &layout.order.sequence)
                    .map_err(|_| ContactError::TooLarge { unknowns })?,
            ),
        };
        for &group in &layout.bilateral {
            let first = layout.first_row[group];
            let of = problem.constraints.group(group);
            for row in 0..of.offset.len() {
                if !layout.order.safe[first + row] {
                    let size = own_response(problem, group, row);
                    self.regularised[first + row] = REGULARISATION * size;
                }
            }
        }
        if self.regularised.iter().all(|&shift| shift == 0.0) {
            return factors
                .factorize(matrix)
                .map_err(|_| ContactError::DependentConstraints);
        }
        // Changed in place and restored exactly: a copy of the matrix would need memory in every step.
        let mut kept = std::mem::take(&mut self.kept);
        kept.clear();
        for (row, shift) in self.regularised.iter().enumerate() {
            let diagonal = matrix.pattern().major_offsets()[unknowns + row + 1] - 1;
            kept.push(matrix.values()[diagonal]);
            matrix.values_mut()[diagonal] -= shift;
        }
        let factorised = factors.factorize(matrix);
        for (row, &value) in kept.iter().enumerate() {
            let diagonal = matrix.pattern().major_offsets()[unknowns + row + 1] - 1;
            matrix.values_mut()[diagonal] = value;
        }
        self.kept = kept;
        factorised.map_err(|_| ContactError::DependentConstraints)
    }

    /// Whether a refined solve shows that the rows are independent.
    pub(super) fn is_trusted(refined: &Refined) -> bool {
        refined.backward_error <= MAX_BACKWARD_ERROR
    }

    /// Solves for columns without refinement, for the compliance at the contacts.
    pub(super) fn apply(&mut self, x: &mut [f64]) {
        if let Some(factors) = &mut self.factors {
            factors.solve_in_place(x);
        }
    }

    /// `x = K⁻¹ rhs`, with at most `steps` steps of refinement; residuals are summed in doubled precision.
    pub(super) fn solve(&mut self, rhs: &[f64], x: &mut [f64], steps: u32) -> Refined {
        let mut refined = Refined {
            backward_error: f64::INFINITY,
            steps: 0,
        };
        x.copy_from_slice(rhs);
        self.apply(x);
        loop {
            let error = self.measure(rhs, x);
            // Backward errors reach rounding before small differences of large forces are accurate. Further steps
            // improve these, so only a step that makes errors worse is undone.
            if refined.steps > 0
                && (error > WORSE * refined.backward_error.max(f64::EPSILON) || error.is_nan())
            {
                x.copy_from_slice(&self.best);
                break;
            }
            refined.backward_error = error;
            if refined.steps == steps || !error.is_finite() {
                break;
            }
            self.best.clear();
            self.best.extend_from_slice(x);
            let mut correction = std::mem::take(&mut self.residual);
            self.apply(&mut correction);
            for (x, d) in x.iter_mut().zip(&correction) {
                *x += d;
            }
            self.residual = correction;
            refined.steps += 1;
        }
        refined
    }

    /// Writes `rhs − K x` and returns its size relative to the terms of each row.
    ///
    /// # Source
    /// Arioli, Demmel & Duff 1989, "Solving sparse linear systems with sparse backward error", §2,
    /// <https://doi.org/10.1137/0610013>; differs from it in: one largest entry for velocities and one for forces.
    fn measure(&mut self, rhs: &[f64], x: &[f64]) -> f64 {
        let Some(matrix) = &self.matrix else {
            return f64::NAN;
        };
        let n = matrix.nrows();
        let largest = |part: &[f64]| part.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let (velocities, forces) = x.split_at(n - self.regularised.len());
        let largest = [largest(velocities), largest(forces)];
        let kind = |index: usize| largest[usize::from(index >= velocities.len())];
        self.scale.clear();
        self.scale.resize(n, 0.0);
        self.sums.clear();
        self.sums.extend(rhs.iter().map(|&b| Doubled::new(b)));
        self.bound.clear();
        self.bound.extend(rhs.iter().map(|b| b.abs()));
        for (column, lane) in matrix.col_iter().enumerate() {
            for (&row, &value) in lane.row_indices().iter().zip(lane.values()) {
                self.sums[row].add_product(-value, x[column]);
                self.bound[row] += (value * x[column]).abs();
                self.scale[row] += value.abs() * kind(column);
                if row != column {
                    self.sums[column].add_product(-value, x[row]);
                    self.bound[column] += (value * x[row]).abs();
                    self.scale[column] += value.abs() * kind(row);
                }
            }
        }
        self.residual.clear();
        self.residual
            .extend(self.sums.iter().map(|sum| sum.value()));
        let mut worst = 0.0_f64;
        for row in 0..n {
            // A row whose unknowns should all vanish contains only rounding.
            let rounding = 1e3 * n as f64 * f64::EPSILON * self.scale[row];
            let size = if self.bound[row] > rounding {
                self.bound[row]
            } else {
                self.scale[row]
            };
            let share = if size > 0.0 {
                self.residual[row].abs() / size
            } else {
                0.0
            };
            if share > worst || share.is_nan() {
                worst = share;
            }
        }
        worst
    }

    fn lay_out(&mut self, problem: &ContactProblem) -> Result<(), ContactError> {
        let constraints = &problem.constraints;
        let momentum = problem.momentum.pattern().clone();
        let unknowns = problem.unknowns();
        let bilateral: Vec<usize> = (0..constraints.groups())
            .filter(|&group| !constraints.group(group).unilateral)
            .collect();
        let mut first_row = vec![usize::MAX; constraints.groups()];
        let mut rows = 0;
        for &group in &bilateral {
            first_row[group] = rows;
            rows += constraints.group(group).offset.len();
        }
        let order = eliminate(&momentum, constraints, &bilateral, &first_row)?;

        // Blocks of each block column, from the top: the pattern stores rows.
        let blocks = momentum.blocks();
        let mut columns: Vec<Vec<(usize, usize)>> = vec![Vec::new(); blocks];
        for row in 0..blocks {
            for slot in momentum.row(row) {
                columns[momentum.columns()[slot] as usize].push((row, slot));
            }
        }
        let mut offsets = vec![0];
        let mut indices = Vec::new();
        let mut places = vec![[usize::MAX; 9]; momentum.slots()];
        for (column, above) in columns.iter().enumerate() {
            for axis in 0..3 {
                for &(row, slot) in above {
                    let last = if row == column { axis } else { 2 };
                    for component in 0..=last {
                        places[slot][3 * axis + component] = indices.len();
                        indices.push(3 * row + component);
                    }
                }
                offsets.push(indices.len());
            }
        }
        for &group in &bilateral {
            let of = constraints.group(group);
            for row in 0..of.offset.len() {
                for &block in of.blocks {
                    indices.extend((0..3).map(|axis| 3 * block as usize + axis));
                }
                let first = unknowns + first_row[group];
                indices.extend(first..=first + row);
                offsets.push(indices.len());
            }
        }
        let size = unknowns + rows;
        let pattern = SparsityPattern::try_from_offsets_and_indices(size, size, offsets, indices)
            .map_err(|_| ContactError::TooLarge { unknowns: size })?;
        let entries = pattern.nnz();
        let matrix = CscMatrix::try_from_pattern_and_values(pattern, vec![0.0; entries])
            .map_err(|_| ContactError::TooLarge { unknowns: size })?;
        self.matrix = Some(matrix);
        self.factors = None;
        self.layout = Some(Layout {
            momentum,
            constraints: constraints.clone(),
            bilateral,
            first_row,
            places,
            order,
        });
        Ok(())
    }
}

/// Writes the entries to the positions of `layout`.
fn fill(layout: &Layout, problem: &ContactProblem, matrix: &mut CscMatrix<f64>) {
    let unknowns = problem.unknowns();
    let (offsets, _, values) = matrix.csc_data_mut();
    for (block, places) in problem.momentum.values().iter().zip(&layout.places) {
        for column in 0..3 {
            for row in 0..3 {
                let place = places[3 * column + row];
                if place != usize::MAX {
                    values[place] = block[(row, column)];
                }
            }
        }
    }
    for &group in &layout.bilateral {
        let of = problem.constraints.group(group);
        let rows = of.offset.len();
        for row in 0..rows {
            let mut at = offsets[unknowns + layout.first_row[group] + row];
            for j in &of.jacobian[row * of.blocks.len()..][..of.blocks.len()] {
                for axis in 0..3 {
                    values[at] = -j[axis];
                    at += 1;
                }
            }
            for above in 0..=row {
                values[at] = -of.compliance[above * rows + row];
                at += 1;
            }
        }
    }
}
