//! MINRES on the KKT matrix, with a block diagonal preconditioner of momentum and rows.
//!
//! ```text
//! P = diag(diag(A), S),  S = j diag(A)⁻¹ jᵀ + C
//! ```
//!
//! With a diagonal `A` and hard rows, `P⁻¹K` has three eigenvalues and MINRES ends after three steps (Murphy, Golub and
//! Wathen 2000, "A Note on Preconditioning for Indefinite Linear Systems"). Geometric stiffness in `A` needs a few more
//! steps. The diagonal of `S` alone ([`RowPreconditioner::Diagonal`]) does not couple rows: waves along them then need
//! hundreds of steps.

use super::response::RowResponse;
use super::settings::RowPreconditioner;
use crate::constraint::ConstraintRows;
use crate::method::rows::own_response;
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

/// `P⁻¹`.
struct OwnResponses {
    /// `1/A_ii`.
    momentum: Vec<f64>,
    rows: Rows,
}

enum Rows {
    Factor(Box<RowResponse>),
    /// `1/S_ii`: by choice, or if `S` has no factor in floating point.
    Diagonal(Vec<f64>),
}

impl OwnResponses {
    fn new(problem: &ContactProblem, choice: RowPreconditioner) -> Self {
        let rows = &problem.constraints;
        let mut momentum = vec![0.0; problem.unknowns()];
        problem.momentum.diagonal_into(&mut momentum);
        let factor = match choice {
            RowPreconditioner::Coupled => RowResponse::new(problem, &momentum).ok(),
            RowPreconditioner::Diagonal => None,
        };
        let rows = factor.map_or_else(
            || {
                let diagonal = (0..rows.groups()).flat_map(|group| {
                    let of = rows.group(group);
                    let count = of.offset.len();
                    (0..count).map(move |row| {
                        let compliance = of.compliance[row * count + row];
                        (own_response(problem, group, row) + compliance).recip()
                    })
                });
                Rows::Diagonal(diagonal.collect())
            },
            |factor| Rows::Factor(Box::new(factor)),
        );
        for entry in &mut momentum {
            *entry = entry.recip();
        }
        Self { momentum, rows }
    }
}

impl Preconditioner for OwnResponses {
    fn apply(&self, r: &[f64], z: &mut [f64]) {
        let n = self.momentum.len();
        let (top, bottom) = z.split_at_mut(n);
        for ((z, r), d) in top.iter_mut().zip(r).zip(&self.momentum) {
            *z = r * d;
        }
        match &self.rows {
            Rows::Factor(response) => {
                bottom.copy_from_slice(&r[n..]);
                response.solve_in_place(bottom);
            }
            Rows::Diagonal(diagonal) => {
                for ((z, r), d) in bottom.iter_mut().zip(&r[n..]).zip(diagonal) {
                    *z = r * d;
                }
            }
        }
    }
}

/// Solves `problem`, which has bilateral rows only, from the warm start in `solution`.
pub(super) fn minres(
    problem: &ContactProblem,
    solution: &mut ContactSolution,
    preconditioner: RowPreconditioner,
    rule: &StoppingRule,
) -> KrylovReport {
    let rows = &problem.constraints;
    let n = problem.unknowns();
    let operator = KktOperator {
        momentum: &problem.momentum,
        rows,
    };
    let mut rhs = problem.rhs.clone();
    for group in 0..rows.groups() {
        rhs.extend(rows.group(group).offset.iter().map(|offset| -offset));
    }
    let preconditioner = OwnResponses::new(problem, preconditioner);
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
