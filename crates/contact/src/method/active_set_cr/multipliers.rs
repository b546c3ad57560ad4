//! Constraint rows by the method of multipliers: an outer loop around the iteration, which handles contacts only.
//!
//! A row `j v + C λ = c` is replaced by `j v + (C + D) λ₊ = c + D λ`, and `λ₊` is eliminated:
//!
//! ```text
//! A' = A + jᵀ K j,   b' = b + jᵀ K (c + D λ),   K = (C + D)⁻¹          λ₊ = K (c + D λ − j v)
//! ```
//!
//! The remaining error of a round is `D (λ − λ₊)`. A row with enough compliance of its own (`D = 0`) needs one round, a
//! hard one more rounds for a larger `D`. `D` is a share of `w = j diag(A)⁻¹ jᵀ`, reduced while rounds contract slowly.
//! A one-sided row is in `A'` while `c + D λ − j v > 0` at the start of its round.
//!
//! # Source
//! Hestenes 1969, "Multiplier and Gradient Methods", <https://doi.org/10.1007/BF00927673>; Nocedal & Wright 2006,
//! §17.3.

use super::solver::ActiveSetCr;
use crate::method::rows::{check_with_constraints, merit, own_response};
use crate::method::{ContactReport, ContactResult, Termination};
use crate::{ContactProblem, ContactSolution, residual};
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{DMatrix, DVector, Matrix3};

/// `D/w` of the first round, 1e-4 to 1e-2: a softer row needs more rounds, a harder one more iterations in each.
const FIRST_SHARE: f64 = 1e-3;

/// Wanted ratio of the errors after and before a round, 0.05 to 0.5.
const CONTRACTION: f64 = 0.1;

/// One group of rows in a round.
#[derive(Debug, Clone)]
struct Softened {
    /// `K`.
    stiffness: DMatrix<f64>,
    /// `c + D λ`.
    target: DVector<f64>,
    /// Whether each row is in `A'`.
    active: Vec<bool>,
}

impl ActiveSetCr {
    /// Solves a problem with constraint rows.
    pub(super) fn solve_with_rows(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> ContactResult {
        self.settings.validate()?;
        check_with_constraints(problem, solution)?;
        let strict = self.settings;
        let mut report = ContactReport::default();
        let start = solution.clone();
        let (mut share, mut before) = (FIRST_SHARE, f64::INFINITY);
        let plain = with_room(problem);
        let mut inner = ContactSolution::default();
        for rounds in 0..strict.max_iterations {
            if self.interrupt.is_raised() {
                break;
            }
            let (softened, softer) = soften(problem, &plain, solution, share);
            inner.velocity.clone_from(&solution.velocity);
            inner.contacts.clone_from(&solution.contacts);
            // A round counts as an iteration: rounds without any must end too.
            let spent = report.iterations + rounds;
            self.settings.max_iterations = strict.max_iterations.saturating_sub(spent);
            let round = self.solve_checked(&softer, &mut inner);
            report.add_effort(&round);
            report.extra_products += 1;
            report.termination = round.termination;
            if round.termination == Termination::Breakdown {
                solution.clone_from(&start);
                break;
            }
            std::mem::swap(&mut solution.velocity, &mut inner.velocity);
            std::mem::swap(&mut solution.contacts, &mut inner.contacts);
            take_forces(problem, &softened, solution);
            let judged = residual(problem, solution);
            report.residual = judged.momentum;
            let done = merit(&judged, &strict.tolerances, false) < 1.0;
            if done || round.termination != Termination::Converged {
                break;
            }
            report.termination = Termination::MaxIterations;
            if judged.constraint > CONTRACTION * before {
                // Below, rounding of the row's motion outweighs its force.
                share = (share * CONTRACTION).max(f64::EPSILON.sqrt());
            }
            before = judged.constraint;
        }
        self.settings = strict;
        Ok(report)
    }
}

/// The problem without its rows; its momentum matrix has entries for the unknowns that rows couple.
fn with_room(problem: &ContactProblem) -> ContactProblem {
    let mut plain = problem.clone();
    plain.constraints.clear();
    let groups = 0..problem.constraints.groups();
    let coupled = || {
        groups.clone().flat_map(|group| {
            let blocks = problem.constraints.group(group).blocks;
            let pairs = blocks.iter().enumerate();
            pairs.flat_map(move |(at, &a)| blocks[at..].iter().map(move |&b| (a.min(b), a.max(b))))
        })
    };
    let stored = problem.momentum.pattern();
    if coupled().all(|(a, b)| stored.slot(a as usize, b as usize).is_some()) {
        return plain;
    }
    let old = (0..problem.momentum.blocks()).flat_map(|row| {
        stored
            .row(row)
            .map(move |slot| (row as u32, stored.columns()[slot]))
    });
    let pattern = BlockPattern::from_pairs(problem.momentum.blocks(), old.chain(coupled()));
    let mut momentum = SymmetricBlockMatrix::zeros(pattern);
    for row in 0..problem.momentum.blocks() {
        for slot in stored.row(row) {
            let column = stored.columns()[slot] as usize;
            add(&mut momentum, row, column, &problem.momentum.values()[slot]);
        }
    }
    plain.momentum = momentum;
    plain
}

/// Adds to a block; a block below the diagonal is added transposed above it.
fn add(matrix: &mut SymmetricBlockMatrix, row: usize, column: usize, block: &Matrix3<f64>) {
    let (row, column, block) = if row <= column {
        (row, column, *block)
    } else {
        (column, row, block.transpose())
    };
    if let Some(slot) = matrix.pattern().slot(row, column) {
        *matrix.block_mut(slot) += block;
    }
}

/// The problem of a round for the forces of `solution`.
fn soften(
    problem: &ContactProblem,
    plain: &ContactProblem,
    solution: &ContactSolution,
    share: f64,
) -> (Vec<Softened>, ContactProblem) {
    let mut softer = plain.clone();
    let mut list = Vec::with_capacity(problem.constraints.groups());
    for index in 0..problem.constraints.groups() {
        let softened = soften_group(problem, solution, share, index);
        let group = problem.constraints.group(index);
        let (rows, count) = (group.offset.len(), group.blocks.len());
        for row in 0..rows {
            for column in 0..rows {
                let factor = softened.stiffness[(row, column)];
                if factor == 0.0 || !(softened.active[row] && softened.active[column]) {
                    continue;
                }
                for (a, &block) in group.blocks.iter().enumerate() {
                    let j = group.jacobian[row * count + a] * factor;
                    let at = 3 * block as usize;
                    for axis in 0..3 {
                        softer.rhs[at + axis] += j[axis] * softened.target[column];
                    }
                    for (b, &other) in group.blocks.iter().enumerate() {
                        if block <= other {
                            let outer = j * group.jacobian[column * count + b].transpose();
                            add(&mut softer.momentum, block as usize, other as usize, &outer);
                        }
                    }
                }
            }
        }
        list.push(softened);
    }
    (list, softer)
}

fn soften_group(
    problem: &ContactProblem,
    solution: &ContactSolution,
    share: f64,
    index: usize,
) -> Softened {
    let group = problem.constraints.group(index);
    let rows = group.offset.len();
    let first = problem.constraints.first_row(index);
    let lambda = &solution.constraints[first..first + rows];
    let mut compliance = DMatrix::from_row_slice(rows, rows, group.compliance);
    let mut target = DVector::from_column_slice(group.offset);
    let mut active = vec![true; rows];
    for row in 0..rows {
        let more = (share * own_response(problem, index, row) - compliance[(row, row)]).max(0.0);
        let force = if group.unilateral {
            lambda[row].max(0.0)
        } else {
            lambda[row]
        };
        compliance[(row, row)] += more;
        target[row] += more * force;
        if group.unilateral {
            // Each row of a group is active or not by itself; the coupling of the last round is used.
            for column in (0..rows).filter(|&column| column != row) {
                target[row] -= compliance[(row, column)] * lambda[column];
            }
            let motion = problem.constraints.product(index, row, &solution.velocity);
            active[row] = target[row] > motion;
        }
    }
    if group.unilateral {
        compliance = DMatrix::from_diagonal(&compliance.diagonal());
    }
    // `D > 0` wherever `C` is singular.
    let stiffness = (compliance.clone().cholesky())
        .map_or_else(|| DMatrix::zeros(rows, rows), |factor| factor.inverse());
    Softened {
        stiffness,
        target,
        active,
    }
}

/// Takes `λ₊` of the rows in `A'`.
fn take_forces(problem: &ContactProblem, softened: &[Softened], solution: &mut ContactSolution) {
    for (index, of) in softened.iter().enumerate() {
        let rows = of.active.len();
        let first = problem.constraints.first_row(index);
        let left = DVector::from_fn(rows, |row, _| {
            let motion = problem.constraints.product(index, row, &solution.velocity);
            of.target[row] - motion
        });
        let force = &of.stiffness * left;
        for row in 0..rows {
            solution.constraints[first + row] = if of.active[row] { force[row] } else { 0.0 };
        }
    }
}
