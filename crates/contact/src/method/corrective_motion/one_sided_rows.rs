//! The states of one-sided rows, as of ropes and limits: the row is an equation or has no force.

use crate::constraint::ConstraintRows;
use crate::method::rows::own_response;
use crate::{ContactProblem, ContactSolution};
use std::cmp::Reverse;

/// Place of a row in the order of elimination.
pub(super) type Place = (bool, Reverse<usize>);

/// Largest number of changes of state in one solve over the number of one-sided rows, 2 to 20. Rows seldom change
/// twice, but termination is not proven where rows and contacts act on each other. A larger value only delays the end
/// of impossible solves.
const MOST_CHANGES: usize = 4;

/// Which constraint rows hold as equations: all bilateral ones, and some one-sided ones.
///
/// A solve is repeated with one change of state at a time, that of the row with the largest error, as in principal
/// pivoting (Cottle 1968). Where rows contradict each other, as of a long rope beside a short one, the row that changed
/// last holds, because it was violated. Older rows are eliminated after it. An older row that is slack then has no
/// force; one that is violated becomes the row that changed last.
#[derive(Debug, Clone, Default)]
pub(super) struct OneSidedRows {
    /// Of each one-sided row that holds, the number of the change that made it hold, from 1 on; 0 for all other rows.
    ranks: Vec<usize>,
    changes_left: usize,
}

impl OneSidedRows {
    /// One-sided rows with a force in `forces` hold.
    pub(super) fn start(&mut self, problem: &ContactProblem, forces: &[f64]) {
        self.ranks.clear();
        self.ranks.resize(forces.len(), 0);
        self.changes_left = 0;
        for (_, _, number) in one_sided(problem) {
            self.ranks[number] = usize::from(forces[number] > 0.0);
            self.changes_left += MOST_CHANGES;
        }
    }

    /// The place of a row in the order of elimination, if it is an equation: bilateral rows come first, then the row
    /// that changed last.
    pub(super) fn place(&self, rows: &ConstraintRows, group: usize, row: usize) -> Option<Place> {
        let is_one_sided = rows.group(group).unilateral;
        let rank = self.ranks[rows.first_row(group) + row];
        (!is_one_sided || rank > 0).then_some((is_one_sided, Reverse(rank)))
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
        let last = self.ranks.iter().max().copied().unwrap_or(0);
        let is_last_alone = self.ranks.iter().filter(|&&rank| rank == last).count() == 1;
        let (mut worst, mut largest) = (None, tolerance);
        for (group, row, number) in one_sided(problem) {
            let excess = excess(problem, solution, group, row);
            let pushed = -own_compliance(problem, group, row) * solution.constraints[number];
            let (error, rank) = match self.ranks[number] {
                0 => (-excess, last + 1),
                _ if excess >= -tolerance => (pushed, 0),
                // It comes first already: no state of the others lets it hold.
                rank if rank == last && is_last_alone => continue,
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

/// `(constraint, row in it, number of the row)` of the one-sided rows.
fn one_sided(problem: &ContactProblem) -> impl Iterator<Item = (usize, usize, usize)> {
    let rows = &problem.constraints;
    let constraints = (0..rows.groups()).filter(|&group| rows.group(group).unilateral);
    constraints.flat_map(|group| {
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
