//! The states of one-sided rows, as of ropes and limits: the row is an equation or has no force.

use crate::method::rows::own_response;
use crate::{ContactProblem, ContactSolution};

/// Largest number of changes of state in one solve over the number of one-sided rows: termination is not proven where
/// rows and contacts act on each other.
const MOST_CHANGES: usize = 4;

/// Which constraint rows hold as equations: all bilateral ones, and some one-sided ones.
///
/// A solve is repeated with one change of state at a time, that of the row with the largest error, as in principal
/// pivoting (Cottle 1968). Where rows contradict each other, as of a long rope beside a short one, the row that changed
/// last holds, because it was violated. Older rows are eliminated after it. An older row that is slack then has no
/// force; one that is violated becomes the row that changed last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OneSidedRows {
    /// Rank of each row, by which they are eliminated: [`BILATERAL`], then one-sided ones, the last change first. 0
    /// for a row without force.
    ranks: Vec<usize>,
    changes_left: usize,
}

/// Rank of a bilateral row.
const BILATERAL: usize = usize::MAX;

impl OneSidedRows {
    /// One-sided rows with a force in `forces` hold.
    pub(super) fn start(&mut self, problem: &ContactProblem, forces: &[f64]) {
        let rows = &problem.constraints;
        self.ranks.clear();
        self.changes_left = 0;
        for group in 0..rows.groups() {
            let (of, first) = (rows.group(group), rows.first_row(group));
            let forces = &forces[first..][..of.offset.len()];
            if of.unilateral {
                self.ranks
                    .extend(forces.iter().map(|&force| usize::from(force > 0.0)));
                self.changes_left += MOST_CHANGES * of.offset.len();
            } else {
                self.ranks.extend(forces.iter().map(|_| BILATERAL));
            }
        }
    }

    /// Whether the row holds as an equation.
    pub(super) fn holds(&self, row: usize) -> bool {
        self.ranks[row] > 0
    }

    /// Rank of the row: larger ones are eliminated first.
    pub(super) fn rank(&self, row: usize) -> usize {
        self.ranks[row]
    }

    /// Whether the states of the rows are equal.
    pub(super) fn same_states(&self, other: &Self) -> bool {
        self.ranks == other.ranks
    }

    /// Changes the state of the one-sided row with the largest error above `tolerance`: a negative excess, or, of a
    /// row that holds, a force below zero times the compliance of the row. Returns whether there is one and a change
    /// is left.
    pub(super) fn change_worst(
        &mut self,
        problem: &ContactProblem,
        solution: &ContactSolution,
        tolerance: f64,
    ) -> bool {
        let of_one_sided = || self.ranks.iter().filter(|&&rank| rank < BILATERAL);
        let last = of_one_sided().max().copied().unwrap_or(0);
        let (mut worst, mut largest) = (None, tolerance);
        for (group, row, number) in all_rows(problem) {
            if !problem.constraints.group(group).unilateral {
                continue;
            }
            let excess = excess(problem, solution, group, row);
            let pushed = -own_compliance(problem, group, row) * solution.constraints[number];
            let (error, rank) = match self.ranks[number] {
                0 => (-excess, last + 1),
                _ if excess >= -tolerance => (pushed, 0),
                // It comes first already: no state of the others lets it hold.
                rank if rank == last && of_one_sided().filter(|&&of| of == last).count() == 1 => {
                    continue;
                }
                _ => (-excess, last + 1),
            };
            if error > largest {
                (worst, largest) = (Some((number, rank)), error);
            }
        }
        match worst {
            Some((row, rank)) if self.changes_left > 0 => {
                self.changes_left -= 1;
                self.ranks[row] = rank;
                true
            }
            _ => false,
        }
    }
}

/// `(constraint, row in it, number of the row)` of all rows.
fn all_rows(problem: &ContactProblem) -> impl Iterator<Item = (usize, usize, usize)> {
    let rows = &problem.constraints;
    (0..rows.groups()).flat_map(|group| {
        let first = rows.first_row(group);
        (0..rows.group(group).offset.len()).map(move |row| (group, row, first + row))
    })
}

/// `j v + Σ λ − h` of a row.
fn excess(problem: &ContactProblem, solution: &ContactSolution, group: usize, row: usize) -> f64 {
    let (rows, of) = (&problem.constraints, problem.constraints.group(group));
    let count = of.offset.len();
    let forces = &solution.constraints[rows.first_row(group)..][..count];
    let softness = &of.compliance[row * count..][..count];
    let yielding: f64 = softness
        .iter()
        .zip(forces)
        .map(|(of, force)| of * force)
        .sum();
    rows.product(group, row, &solution.velocity) + yielding - of.offset[row]
}

/// `j diag(A)⁻¹ jᵀ + Σ` of a row.
fn own_compliance(problem: &ContactProblem, group: usize, row: usize) -> f64 {
    let of = problem.constraints.group(group);
    own_response(problem, group, row) + of.compliance[row * of.offset.len() + row]
}
