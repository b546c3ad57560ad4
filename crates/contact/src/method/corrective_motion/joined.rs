//! The compliance of bodies that joints connect.
//!
//! Constraint rows `G v + Σ λ = h` are eliminated. With the compliance `C` of the bodies without them,
//!
//! ```text
//! v = u + C Gᵀ λ,   S λ = h − G u,   S = G C Gᵀ + Σ      u: velocity due to all forces but λ
//! C' = C − C Gᵀ S⁻¹ G C                                   compliance of the joined bodies
//! ```
//!
//! So contacts see `C'` in the place of `C`. Rows and contacts hold for any symmetric `C`, momentum for `C = A⁻¹`.
//! One-sided rows are among them where [their state](OneSidedRows) is an equation.

use super::compliance::{Compliance, FreeEquations, FreeMotion, Push, Response};
use super::one_sided_rows::OneSidedRows;
use super::redundant_rows::RedundantRows;
use crate::constraint::ConstraintRows;
use crate::constraint::redundancy::MOST_ROWS;
use crate::{ContactError, ContactProblem};
use impinge_krylov::forest::Forest;
use nalgebra::{DMatrix, DVector, Matrix3};

/// Share of `C` that contacts keep along motions that rows prevent, 1e-12 to 1e-8. Without it, rounding would decide
/// how far a contact moves on a body that joints hold. It is far below the tolerances of gaps.
const LEFT: f64 = 1e-10;

/// A compliance and the constraint rows between its parts.
pub(super) struct JoinedCompliance {
    bodies: Box<dyn Compliance + Send>,
    /// The states of the rows in the next `prepare`.
    pub(super) states: OneSidedRows,
    /// The rows that are eliminated, with their states; `None` after a failure.
    rows: Option<(ConstraintRows, OneSidedRows)>,
    groups: Vec<Group>,
    /// Group of each block and its number in the group; `None` for blocks without rows.
    place_of_block: Vec<Option<(u32, u32)>>,
    scratch: Vec<f64>,
    response: Response,
}

/// Parts that rows connect, directly or through other parts.
#[derive(Default)]
struct Group {
    /// All blocks of its parts.
    blocks: Vec<u32>,
    /// `(constraint, row in it)` of each row.
    rows: Vec<(usize, usize)>,
    /// `C Gᵀ`: a column per row, three entries per block.
    moved: DMatrix<f64>,
    /// Factors of `S`.
    factor: RedundantRows,
}

impl JoinedCompliance {
    pub(super) fn new(bodies: Box<dyn Compliance + Send>) -> Self {
        Self {
            bodies,
            states: OneSidedRows::default(),
            rows: None,
            groups: Vec::new(),
            place_of_block: Vec::new(),
            scratch: Vec::new(),
            response: Vec::new(),
        }
    }

    /// `C`: that of the bodies without rows.
    pub(super) fn bodies(&mut self) -> &mut dyn Compliance {
        &mut *self.bodies
    }

    /// Adds the velocities due to the constraint forces `λ` to `velocity`, so that the rows of `problem` hold.
    /// One-sided rows without force are left out.
    pub(super) fn close(&self, problem: &ContactProblem, velocity: &mut [f64], lambda: &mut [f64]) {
        lambda.fill(0.0);
        for group in &self.groups {
            let rows = group.rows.iter().map(|&(constraint, row)| {
                let of = problem.constraints.group(constraint);
                of.offset[row] - problem.constraints.product(constraint, row, velocity)
            });
            let forces = (group.factor).solve(&DVector::from_iterator(group.rows.len(), rows));
            for (&(constraint, row), force) in group.rows.iter().zip(&forces) {
                lambda[problem.constraints.first_row(constraint) + row] = *force;
            }
            group.add_moved(&forces, velocity);
        }
    }

    /// Computes the groups of `rows`, `C Gᵀ` and the factors of `S`.
    fn join(
        &mut self,
        problem: &ContactProblem,
        rows: &ConstraintRows,
    ) -> Result<(), ContactError> {
        self.groups.clear();
        self.place_of_block.clear();
        if rows.is_empty() {
            return Ok(());
        }
        let mut groups = self.find_groups(problem, rows);
        for group in &mut groups {
            if group.rows.len() > MOST_ROWS {
                self.place_of_block.clear();
                return Err(ContactError::ManyRows {
                    rows: group.rows.len(),
                    most: MOST_ROWS,
                });
            }
            self.factorize(rows, problem.unknowns(), group);
        }
        self.groups = groups;
        Ok(())
    }

    /// Collects the parts that rows connect. Rows that act on no block are a group of their own.
    fn find_groups(&mut self, problem: &ContactProblem, rows: &ConstraintRows) -> Vec<Group> {
        let mut forest = Forest::default();
        forest.reset_to(problem.momentum.pattern());
        let mut has_rows = vec![false; problem.momentum.blocks()];
        let place = |(constraint, row): (usize, usize)| self.states.place(rows, constraint, row);
        for constraint in 0..rows.groups() {
            let of = rows.group(constraint);
            if !(0..of.offset.len()).any(|row| place((constraint, row)).is_some()) {
                continue;
            }
            let blocks = of.blocks;
            for &block in blocks {
                has_rows[block as usize] = true;
                forest.unite(blocks[0], block);
            }
        }
        let mut tree = Vec::new();
        let trees = forest.number_trees(&mut tree, |_| true);
        let (mut groups, mut group_of_tree) = (Vec::new(), vec![None; trees]);
        for (block, _) in has_rows.iter().enumerate().filter(|(_, has)| **has) {
            let group = &mut group_of_tree[tree[block] as usize];
            if group.is_none() {
                *group = Some(groups.len());
                groups.push(Group::default());
            }
        }
        for (block, &tree) in (0_u32..).zip(&tree) {
            let place = group_of_tree[tree as usize].map(|number: usize| {
                let members = &mut groups[number].blocks;
                members.push(block);
                (number as u32, members.len() as u32 - 1)
            });
            self.place_of_block.push(place);
        }
        for constraint in 0..rows.groups() {
            let of = rows.group(constraint);
            let of_group = (0..of.offset.len()).map(|row| (constraint, row));
            let held: Vec<_> = of_group.filter(|&row| place(row).is_some()).collect();
            if held.is_empty() {
                continue;
            }
            let first = of
                .blocks
                .first()
                .map(|&block| tree[block as usize] as usize);
            let group = first
                .and_then(|tree| group_of_tree[tree])
                .unwrap_or(groups.len());
            if group == groups.len() {
                groups.push(Group::default());
            }
            groups[group].rows.extend(held);
        }
        for group in &mut groups {
            group.rows.sort_by_key(|&row| place(row));
        }
        groups
    }

    /// `C Gᵀ` and the factors of `S` of a group.
    fn factorize(&mut self, rows: &ConstraintRows, unknowns: usize, group: &mut Group) {
        let count = group.rows.len();
        group.moved = DMatrix::zeros(3 * group.blocks.len(), count);
        let mut matrix = DMatrix::zeros(count, count);
        for (at, &(constraint, row)) in group.rows.iter().enumerate() {
            self.scratch.clear();
            self.scratch.resize(unknowns, 0.0);
            rows.add_impulse(constraint, row, 1.0, &mut self.scratch);
            self.bodies.apply(&mut self.scratch);
            let mut moved = group.moved.column_mut(at);
            let by_block = moved.as_mut_slice().chunks_exact_mut(3);
            for (&block, moved) in group.blocks.iter().zip(by_block) {
                moved.copy_from_slice(&self.scratch[3 * block as usize..][..3]);
            }
            for (other, &(felt, felt_row)) in group.rows.iter().enumerate().skip(at) {
                let mut entry = rows.product(felt, felt_row, &self.scratch);
                if felt == constraint {
                    let of = rows.group(felt);
                    entry += of.compliance[felt_row * of.offset.len() + row];
                }
                matrix[(at, other)] = entry;
            }
        }
        group.factor = RedundantRows::new(matrix);
    }

    /// `C` of one part of the bodies for the impulses and the nodes of `part` of the joined bodies.
    fn respond_without_rows(&mut self, group: usize, pushed: &[Push], felt: &[usize]) -> Response {
        let blocks = &self.groups[group].blocks;
        let bodies = &self.bodies;
        let place = |local: usize| bodies.place(blocks[local]);
        let placed = |(local, jacobian): &Push| {
            place(*local).map(|(part, place)| (part, (place, *jacobian)))
        };
        let pushes: Vec<(usize, Push)> = pushed.iter().filter_map(placed).collect();
        let nodes: Vec<Option<(usize, usize)>> = felt.iter().map(|&local| place(local)).collect();
        let mut parts: Vec<usize> = pushes.iter().map(|(part, _)| *part).collect();
        parts.sort_unstable();
        parts.dedup();
        let mut moved = vec![Matrix3::zeros(); felt.len()];
        for part in parts {
            let at = |node: &&Option<(usize, usize)>| node.is_some_and(|(of, _)| of == part);
            let here: Vec<usize> = nodes
                .iter()
                .filter(at)
                .flatten()
                .map(|&(_, place)| place)
                .collect();
            if here.is_empty() {
                continue;
            }
            let of_part = pushes.iter().filter(|(of, _)| *of == part);
            let of_part: Vec<Push> = of_part.map(|(_, push)| *push).collect();
            self.bodies
                .respond(part, &of_part, &here, &mut self.response);
            let moved = moved.iter_mut().zip(&nodes).filter(|(_, node)| at(node));
            for ((moved, _), response) in moved.zip(&self.response) {
                *moved = *response;
            }
        }
        moved
    }
}

impl Group {
    /// Adds `C Gᵀ λ` to the velocities of all unknowns.
    fn add_moved(&self, forces: &DVector<f64>, velocity: &mut [f64]) {
        let moved = &self.moved * forces;
        for (&block, moved) in self.blocks.iter().zip(moved.as_slice().chunks_exact(3)) {
            for (v, moved) in velocity[3 * block as usize..][..3].iter_mut().zip(moved) {
                *v += moved;
            }
        }
    }
}

impl Compliance for JoinedCompliance {
    fn prepare(&mut self, problem: &ContactProblem, repair: bool) -> Result<bool, ContactError> {
        let changed = self.bodies.prepare(problem, repair)?;
        let same = |(rows, states): &(ConstraintRows, OneSidedRows)| {
            rows.same_rows(&problem.constraints) && states.same_states(&self.states)
        };
        if !changed && self.rows.as_ref().is_some_and(same) {
            return Ok(false);
        }
        // After a failure nothing must count as prepared.
        self.rows = None;
        let rows = problem.constraints.clone();
        self.join(problem, &rows)?;
        self.rows = Some((rows, self.states.clone()));
        Ok(true)
    }

    fn know_bodies(&mut self, bodies: &std::sync::Arc<crate::compliance::TurnedBodies>) {
        self.bodies.know_bodies(bodies);
    }

    fn parts(&self) -> usize {
        self.bodies.parts() + self.groups.len()
    }

    fn place(&self, block: u32) -> Option<(usize, usize)> {
        let place = self.bodies.place(block)?;
        match self.place_of_block.get(block as usize) {
            Some(&Some((group, local))) => {
                Some((self.bodies.parts() + group as usize, local as usize))
            }
            _ => Some(place),
        }
    }

    fn respond(&mut self, part: usize, pushed: &[Push], felt: &[usize], response: &mut Response) {
        let Some(number) = part.checked_sub(self.bodies.parts()) else {
            return self.bodies.respond(part, pushed, felt, response);
        };
        let free = self.respond_without_rows(number, pushed, felt);
        let group = &self.groups[number];
        // G C Jᵀ, by the symmetry of C.
        let mut gaps = DMatrix::zeros(group.rows.len(), 3);
        for (local, jacobian) in pushed {
            gaps += group
                .moved
                .fixed_rows::<3>(3 * local)
                .tr_mul(&jacobian.transpose());
        }
        let forces = group.factor.solve_columns(gaps);
        response.clear();
        response.extend(free.iter().zip(felt).map(|(free, &local)| {
            let by_rows: Matrix3<f64> = (group.moved.fixed_rows::<3>(3 * local) * &forces)
                .fixed_columns::<3>(0)
                .into();
            free - by_rows * (1.0 - LEFT)
        }));
    }

    fn free_motion(&mut self, of: FreeEquations<'_>, velocity: &mut [f64]) -> FreeMotion {
        self.bodies.free_motion(of, velocity)
    }

    fn apply(&mut self, x: &mut [f64]) {
        self.bodies.apply(x);
        let Some((rows, _)) = &self.rows else {
            return;
        };
        for group in &self.groups {
            let gaps =
                (group.rows.iter()).map(|&(constraint, row)| -rows.product(constraint, row, x));
            let forces = DVector::from_iterator(group.rows.len(), gaps);
            group.add_moved(&group.factor.solve(&forces), x);
        }
    }

    fn is_exact(&self) -> bool {
        self.bodies.is_exact()
    }
}
