//! MINRES on the KKT matrix, scaled by the diagonals (spec 7.3).

use super::system::own_response;
use crate::constraint::ConstraintRows;
use crate::{ContactProblem, ContactSolution};
use impinge_krylov::block::SymmetricBlockMatrix;
use impinge_krylov::{
    KrylovReport, LinearOperator, LinearSystem, Minres, Preconditioner, StoppingRule, solve,
};

/// `[A −jᵀ; −j −C]` as products.
struct KktOperator<'a> {
    momentum: &'a SymmetricBlockMatrix,
    rows: &'a ConstraintRows,
}

impl LinearOperator for KktOperator<'_> {
    fn shape(&self) -> (usize, usize) {
        let size = self.momentum.len() + self.rows.len();
        (size, size)
    }

    fn scratch_len(&self) -> usize {
        self.momentum.scratch_len()
    }

    fn apply(&self, x: &[f64], y: &mut [f64], scratch: &mut [f64]) {
        let n = self.momentum.len();
        let (v, lambda) = x.split_at(n);
        let (top, bottom) = y.split_at_mut(n);
        self.momentum.multiply(v, top, scratch);
        for group in 0..self.rows.groups() {
            let of = self.rows.group(group);
            let (first, count) = (self.rows.first_row(group), of.offset.len());
            for row in 0..count {
                self.rows.add_impulse(group, row, -lambda[first + row], top);
                let yielded: f64 = (0..count)
                    .map(|k| of.compliance[row * count + k] * lambda[first + k])
                    .sum();
                bottom[first + row] = -self.rows.product(group, row, v) - yielded;
            }
        }
    }
}

/// `1/A_ii`, and `1/(j diag(A)⁻¹ jᵀ + C)_ii` for the rows.
struct Diagonal(Vec<f64>);

impl Preconditioner for Diagonal {
    fn apply(&self, r: &[f64], z: &mut [f64]) {
        for ((z, r), d) in z.iter_mut().zip(r).zip(&self.0) {
            *z = r * d;
        }
    }
}

/// Solves `problem`, which has bilateral rows only, from the warm start in `solution`.
pub(super) fn minres(
    problem: &ContactProblem,
    solution: &mut ContactSolution,
    rule: &StoppingRule,
) -> KrylovReport {
    let rows = &problem.constraints;
    let n = problem.unknowns();
    let operator = KktOperator {
        momentum: &problem.momentum,
        rows,
    };
    let mut diagonal = vec![0.0; n];
    problem.momentum.diagonal_into(&mut diagonal);
    let mut rhs = problem.rhs.clone();
    for group in 0..rows.groups() {
        let of = rows.group(group);
        let count = of.offset.len();
        for row in 0..count {
            diagonal.push(own_response(problem, group, row) + of.compliance[row * count + row]);
            rhs.push(-of.offset[row]);
        }
    }
    let preconditioner = Diagonal(diagonal.iter().map(|d| d.recip()).collect());
    let system = LinearSystem {
        operator: &operator,
        preconditioner: &preconditioner,
        rhs: &rhs,
    };
    let mut x = solution.velocity.clone();
    x.extend_from_slice(&solution.constraints);
    let report = solve(&mut Minres::new(), &system, &mut x, rule);
    solution.velocity.copy_from_slice(&x[..n]);
    solution.constraints.copy_from_slice(&x[n..]);
    report
}
