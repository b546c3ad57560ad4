//! Islands: the parts of a problem that share no unknown, each a problem of its own.
//!
//! Blocks of one body, and those that the momentum matrix, a contact or a constraint couples, are in one island.
//! Islands can be solved by themselves, in any order, each to its own norm of the residual: the solution of one does
//! not depend on any number of another.

use crate::block::of_blocks;
use crate::compliance::{TurnedBodies, TurnedBody};
use crate::constraint::ConstraintGroup;
use crate::{ContactProblem, ContactSolution};
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use impinge_krylov::forest::Forest;
use nalgebra::Matrix3;
use std::sync::Arc;

/// The islands of a problem. Their matrices are kept from problem to problem.
#[derive(Debug, Default)]
pub struct Islands {
    /// The pattern that `body_of_block` belongs to.
    pattern: Option<Arc<BlockPattern>>,
    /// Body, or bodies that the matrix couples, that each block is in, and their number.
    body_of_block: Vec<u32>,
    bodies: usize,
    forest: Forest,
    island_of_body: Vec<u32>,
    /// Place of each block among those of its island.
    places: Vec<u32>,
    parts: Vec<Island>,
    count: usize,
}

impl Islands {
    /// Finds the islands of a problem, in the order of their first blocks. Contacts and constraints without an unknown
    /// are put into the first, so that its solver reports them.
    ///
    /// Blocks with the same `body` are in one island, whether the matrix couples them or not.
    pub fn find(&mut self, problem: &ContactProblem, body: impl Fn(usize) -> usize) {
        self.find_bodies(problem, body);
        self.forest.reset(self.bodies);
        for contact in 0..problem.contacts() {
            self.connect(problem.row(contact).0);
        }
        for group in 0..problem.constraints.groups() {
            self.connect(problem.constraints.group(group).blocks);
        }
        self.count = self.forest.number_trees(&mut self.island_of_body, |_| true);
        if self.parts.len() < self.count {
            self.parts.resize_with(self.count, Island::default);
        }
        for island in &mut self.parts[..self.count] {
            island.clear();
        }
        self.places.clear();
        for block in 0..self.body_of_block.len() {
            let island = self.of_block(block as u32);
            let blocks = &mut self.parts[island].blocks;
            self.places.push(blocks.len() as u32);
            blocks.push(block as u32);
        }
        for contact in 0..problem.contacts() {
            if let Some(island) = self.of_blocks(problem.row(contact).0) {
                self.parts[island].contacts.push(contact as u32);
            }
        }
        for group in 0..problem.constraints.groups() {
            if let Some(island) = self.of_blocks(problem.constraints.group(group).blocks) {
                self.parts[island].groups.push(group as u32);
            }
        }
    }

    /// Finds the bodies, and blocks that the matrix couples, if its pattern is another one than before.
    fn find_bodies(&mut self, problem: &ContactProblem, body: impl Fn(usize) -> usize) {
        let pattern = problem.momentum.pattern();
        let known = self.pattern.as_ref();
        if known.is_some_and(|known| Arc::ptr_eq(known, pattern)) {
            return;
        }
        self.pattern = Some(Arc::clone(pattern));
        self.parts.clear();
        self.forest.reset_to(pattern);
        let mut first_of_body: Vec<Option<u32>> = Vec::new();
        for block in 0..pattern.blocks() {
            let body = body(block);
            if first_of_body.len() <= body {
                first_of_body.resize(body + 1, None);
            }
            match first_of_body[body] {
                Some(first) => self.forest.unite(first, block as u32),
                None => first_of_body[body] = Some(block as u32),
            }
        }
        self.bodies = self.forest.number_trees(&mut self.body_of_block, |_| true);
    }

    fn connect(&mut self, blocks: &[u32]) {
        if let [first, others @ ..] = blocks {
            let body = |block: &u32| self.body_of_block[*block as usize];
            let first = body(first);
            for other in others.iter().map(body) {
                self.forest.unite(first, other);
            }
        }
    }

    /// The island that holds all of `blocks`; the first if there are none.
    fn of_blocks(&self, blocks: &[u32]) -> Option<usize> {
        match blocks.first() {
            Some(&block) => Some(self.of_block(block)),
            None => (self.count > 0).then_some(0),
        }
    }

    /// The island of a block.
    pub fn of_block(&self, block: u32) -> usize {
        self.island_of_body[self.body_of_block[block as usize] as usize] as usize
    }

    /// Number of islands.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The bodies of every island, in its numbers.
    #[must_use]
    pub fn bodies(&self, bodies: &TurnedBodies) -> Vec<TurnedBodies> {
        let none = TurnedBodies {
            time_step: bodies.time_step,
            bodies: Vec::new(),
        };
        let mut of_islands = vec![none; self.count];
        for body in &bodies.bodies {
            if let Some(island) = self.of_blocks(&body.blocks) {
                let places = body.blocks.iter().map(|&block| self.places[block as usize]);
                of_islands[island].bodies.push(TurnedBody {
                    blocks: places.collect(),
                    ..body.clone()
                });
            }
        }
        of_islands
    }

    /// The islands, with the place of every block in its island.
    pub fn parts_mut(&mut self) -> (&mut [Island], &[u32]) {
        (&mut self.parts[..self.count], &self.places)
    }

    /// The islands.
    pub fn parts(&self) -> &[Island] {
        &self.parts[..self.count]
    }
}

/// One island: its blocks, contacts and constraints, and the problem that they are.
#[derive(Debug, Default)]
pub struct Island {
    blocks: Vec<u32>,
    contacts: Vec<u32>,
    groups: Vec<u32>,
    problem: Option<OwnProblem>,
    /// The start of a solve, later its solution, in the numbers of the island.
    solution: ContactSolution,
}

/// The problem of an island, and where its matrix comes from.
#[derive(Debug)]
struct OwnProblem {
    problem: ContactProblem,
    /// The blocks that it was made for, and the slot in the whole matrix of each slot.
    blocks: Vec<u32>,
    slots: Vec<usize>,
    /// The values that were copied ([`SymmetricBlockMatrix::revision`]).
    revision: Option<u64>,
}

impl Island {
    fn clear(&mut self) {
        self.blocks.clear();
        self.contacts.clear();
        self.groups.clear();
    }

    /// Its blocks in the whole problem, ascending.
    pub fn blocks(&self) -> &[u32] {
        &self.blocks
    }

    /// Its contacts in the whole problem, ascending.
    pub fn contacts(&self) -> &[u32] {
        &self.contacts
    }

    /// Takes its part of a problem and of the start of a solve, and returns both; `places` are those of
    /// [`Islands::parts_mut`].
    ///
    /// # Panics
    /// If the islands were found for another problem.
    pub fn load(
        &mut self,
        problem: &ContactProblem,
        start: &ContactSolution,
        places: &[u32],
    ) -> (&ContactProblem, &mut ContactSolution) {
        let blocks = &self.blocks;
        let kept = self.problem.take().filter(|kept| kept.blocks == *blocks);
        let mut kept = kept.unwrap_or_else(|| OwnProblem::new(problem, blocks));
        kept.copy_matrix(&problem.momentum);
        let own_problem = &mut kept.problem;
        own_problem.time_step = problem.time_step;
        own_problem.rhs = of_blocks(&problem.rhs, blocks);
        own_problem.weigh_part(problem, blocks);

        own_problem.clear_contacts();
        self.solution.velocity = of_blocks(&start.velocity, blocks);
        self.solution.contacts.clear();
        let mut entries: Vec<(u32, Matrix3<f64>)> = Vec::new();
        for &contact in &self.contacts {
            let contact = contact as usize;
            let (blocks, jacobians) = problem.row(contact);
            entries.clear();
            let local = blocks.iter().map(|&block| places[block as usize]);
            entries.extend(local.zip(jacobians.iter().copied()));
            own_problem.push_part((problem, contact), &entries, problem.offset(contact));
            self.solution.contacts.push(start.contacts[contact]);
        }

        own_problem.constraints.clear();
        self.solution.constraints.clear();
        let mut local = Vec::new();
        for &group in &self.groups {
            let group = group as usize;
            let of_group = problem.constraints.group(group);
            local.clear();
            local.extend(of_group.blocks.iter().map(|&block| places[block as usize]));
            own_problem.constraints.push(&ConstraintGroup {
                blocks: &local,
                ..of_group
            });
            let first = problem.constraints.first_row(group);
            let rows = first..first + of_group.offset.len();
            (self.solution.constraints).extend_from_slice(&start.constraints[rows]);
        }
        let kept = self.problem.insert(kept);
        (&kept.problem, &mut self.solution)
    }

    /// Puts its solution into that of the whole.
    pub fn store(&self, problem: &ContactProblem, solution: &mut ContactSolution) {
        (self.solution).store_in(&self.blocks, &self.contacts, solution);
        let mut forces = self.solution.constraints.iter();
        for &group in &self.groups {
            let rows = problem.constraints.group(group as usize).offset.len();
            let first = problem.constraints.first_row(group as usize);
            for (own, force) in solution.constraints[first..][..rows]
                .iter_mut()
                .zip(forces.by_ref())
            {
                *own = *force;
            }
        }
    }
}

impl OwnProblem {
    fn new(whole: &ContactProblem, blocks: &[u32]) -> Self {
        let (pattern, slots) = whole.momentum.pattern().principal(blocks);
        let momentum = SymmetricBlockMatrix::zeros(pattern);
        let rhs = vec![0.0; momentum.len()];
        let mut problem = ContactProblem::new(whole.time_step, momentum, rhs);
        let nodes = whole.rest_nodes();
        if !nodes.is_empty() {
            let node = |&block: &u32| nodes.get(block as usize).copied().flatten();
            problem.set_rest_nodes(blocks.iter().map(node));
        }
        Self {
            problem,
            blocks: blocks.to_vec(),
            slots,
            revision: None,
        }
    }

    fn copy_matrix(&mut self, whole: &SymmetricBlockMatrix) {
        let revision = Some(whole.revision());
        if self.revision != revision {
            let values = self.problem.momentum.values_mut();
            for (value, &slot) in values.iter_mut().zip(&self.slots) {
                *value = *whole.block(slot);
            }
            self.revision = revision;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ContactRow;
    use crate::method::{ContactSolver, active_set_cr::ActiveSetCr};
    use nalgebra::Vector3;

    /// Six particles: a contact joins the first and the fourth, a rod the second and the last; the others are alone.
    fn problem() -> ContactProblem {
        let mut momentum = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(6, [(2, 3)]));
        for block in 0..6 {
            *momentum.diagonal_block_mut(block) = Matrix3::identity() * (1.0 + block as f64);
        }
        let rhs = (0..18).map(|i| (1.3 * f64::from(i)).sin()).collect();
        let mut problem = ContactProblem::new(1e-2, momentum, rhs);
        let rows = Matrix3::identity() * 1e-2;
        problem.push(&ContactRow {
            entries: &[(0, rows), (3, -rows)],
            offset: Vector3::new(1e-1, 0.0, 0.0),
            friction: 0.3,
        });
        problem.push(&ContactRow {
            entries: &[(4, rows)],
            offset: Vector3::new(-1e-3, 0.0, 0.0),
            friction: 0.3,
        });
        problem.scale_displacements(1, [2.0, 4.0]);
        problem.constraints.push(&ConstraintGroup {
            blocks: &[1, 5],
            jacobian: &[Vector3::x(), -Vector3::x()],
            offset: &[0.1],
            compliance: &[1e-3],
            unilateral: false,
        });
        problem
    }

    #[test]
    fn what_is_coupled_is_one_island() {
        let problem = problem();
        let mut islands = Islands::default();
        islands.find(&problem, |block| block);
        let blocks: Vec<_> = islands.parts().iter().map(Island::blocks).collect();
        assert_eq!(blocks, [&[0, 2, 3][..], &[1, 5], &[4]]);
        let contacts: Vec<_> = islands.parts().iter().map(Island::contacts).collect();
        assert_eq!(contacts, [&[0][..], &[], &[1]]);
        assert_eq!(islands.of_block(5), 1);
    }

    /// A loaded solution is stored unchanged, and each number of the whole is in the island that it belongs to.
    #[test]
    fn islands_hold_the_numbers_of_the_whole() {
        let problem = problem();
        let mut start = ContactSolution::at_rest(&problem);
        for (i, v) in start.velocity.iter_mut().enumerate() {
            *v = (0.7 * i as f64).cos();
        }
        start.contacts[0].lambda = 3.0;
        start.contacts[1].lambda = 5.0;
        start.constraints[0] = 7.0;
        let mut islands = Islands::default();
        // Islands that were found before keep nothing of another problem.
        islands.find(&problem, |block| block);
        islands.find(&problem, |block| block);
        let mut copy = ContactSolution::at_rest(&problem);
        let (parts, places) = islands.parts_mut();
        for island in parts.iter_mut() {
            let (own, solution) = island.load(&problem, &start, places);
            assert_eq!(own.contacts(), solution.contacts.len());
            assert_eq!(own.constraints.len(), solution.constraints.len());
            own.validate().expect("a problem of its own");
            let blocks = island.blocks().to_vec();
            for (place, &block) in blocks.iter().enumerate() {
                let own = island.problem.as_ref().expect("loaded");
                let whole = problem.momentum.diagonal_block(block as usize);
                assert_eq!(own.problem.momentum.diagonal_block(place), whole);
            }
            island.store(&problem, &mut copy);
        }
        assert_eq!(copy, start);
    }

    /// Islands that are solved by themselves solve the whole.
    #[test]
    fn the_solutions_of_islands_solve_the_whole() {
        let mut problem = problem();
        problem.constraints.clear();
        let mut solution = ContactSolution::at_rest(&problem);
        let mut islands = Islands::default();
        islands.find(&problem, |block| block);
        let start = solution.clone();
        let (parts, places) = islands.parts_mut();
        for island in parts.iter_mut() {
            let (own, own_solution) = island.load(&problem, &start, places);
            let mut solver =
                ActiveSetCr::new(crate::method::active_set_cr::ActiveSetCrSettings::default());
            solver.solve(own, own_solution).expect("sound");
            island.store(&problem, &mut solution);
        }
        let judged = crate::residual(&problem, &solution);
        assert!(judged.meets(&crate::Tolerances::default()), "{judged:?}");
        assert!(solution.contacts[0].lambda > 0.0);
    }
}
