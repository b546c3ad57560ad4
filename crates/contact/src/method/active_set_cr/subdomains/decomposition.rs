//! Choice of the bodies that are solved alone, and of the subdomains that they form.

use crate::{ContactProblem, ContactSolution, ContactState, problem::CONTACTS_PER_TASK};
use impinge_krylov::forest::{Forest, NONE};
use impinge_krylov::{block::BlockPattern, vector};
use rayon::prelude::*;
use std::sync::Arc;

/// Share of the squared tolerance (1) that the bodies outside all subdomains may use.
const LEFT_ALONE: f64 = 0.25;

/// The bodies of a matrix, those chosen for a solve, and their subdomains.
///
/// A body is a set of blocks without coupling to others in the matrix: a deformable or a rigid body, or several that
/// share nodes.
#[derive(Debug, Default)]
pub(super) struct Decomposition {
    /// Pattern of the matrix of the bodies.
    pattern: Option<Arc<BlockPattern>>,
    body_of_block: Vec<u32>,
    bodies: usize,
    /// `‖w r‖²` of each body (N²s²).
    squares: Vec<f64>,
    /// Bodies by their squares, ascending.
    order: Vec<u32>,
    /// Whether each contact violates its law.
    broken: Vec<bool>,
    /// Whether each body needs a solve.
    unconverged: Vec<bool>,
    /// These bodies and their neighbours.
    chosen: Vec<bool>,
    forest: Forest,
    subdomain_of_body: Vec<u32>,
    blocks: Vec<Vec<u32>>,
    contacts: Vec<Vec<u32>>,
    /// Number of each block in its subdomain.
    place: Vec<u32>,
}

/// Momentum residual of the whole problem, and its bound.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoundedResidual<'a> {
    /// `r` (N·s).
    pub(super) residual: &'a [f64],
    /// Bound on `‖w r‖²` (N²s²).
    pub(super) square: f64,
}

impl Decomposition {
    /// Finds the bodies of a matrix, if its pattern has changed.
    pub(super) fn find_bodies(&mut self, problem: &ContactProblem) {
        let pattern = problem.momentum.pattern();
        let known = self.pattern.as_ref();
        if known.is_some_and(|known| Arc::ptr_eq(known, pattern)) {
            return;
        }
        self.pattern = Some(Arc::clone(pattern));
        self.forest.reset_to(pattern);
        self.bodies = self.forest.number_trees(&mut self.body_of_block, |_| true);
    }

    pub(super) fn bodies(&self) -> usize {
        self.bodies
    }

    /// Chooses the bodies to solve; returns the part of `‖w r‖²` of the others, or `None` if no body needs a solve.
    ///
    /// These are the fewest bodies without which the rest of the residual is small, bodies of contacts that violate a
    /// law, and the neighbours of both.
    pub(super) fn choose(
        &mut self,
        problem: &ContactProblem,
        solution: &ContactSolution,
        momentum: BoundedResidual<'_>,
        breaks_law: impl Fn(usize) -> bool + Send + Sync,
    ) -> Option<f64> {
        (0..problem.contacts())
            .into_par_iter()
            .with_min_len(CONTACTS_PER_TASK)
            .map(breaks_law)
            .collect_into_vec(&mut self.broken);
        self.squares.clear();
        self.squares.resize(self.bodies, 0.0);
        let residuals = momentum.residual.chunks_exact(3);
        for (block, (r, &body)) in residuals.zip(&self.body_of_block).enumerate() {
            let weight = problem.momentum_weight(block);
            self.squares[body as usize] += weight * weight * vector::dot(r, r);
        }
        let whole: f64 = self.squares.iter().sum();
        if whole < momentum.square && !self.broken.contains(&true) {
            return None;
        }
        self.find_unconverged(problem, momentum.square);
        self.chosen.clone_from(&self.unconverged);
        for (contact, multipliers) in solution.contacts.iter().enumerate() {
            if multipliers.state == ContactState::Inactive && !self.broken[contact] {
                continue;
            }
            let (unconverged, body_of_block) = (&self.unconverged, &self.body_of_block);
            let bodies = (problem.row(contact).0.iter())
                .map(|&block| body_of_block[block as usize] as usize);
            if bodies.clone().any(|body| unconverged[body]) {
                bodies.for_each(|body| self.chosen[body] = true);
            }
        }
        let left = self.squares.iter().zip(&self.chosen);
        Some(left.filter(|&(_, &chosen)| !chosen).map(|(r, _)| r).sum())
    }

    fn find_unconverged(&mut self, problem: &ContactProblem, tolerance: f64) {
        self.order.clear();
        self.order.extend(0..self.bodies as u32);
        let square = |&body: &u32| self.squares[body as usize];
        self.order
            .sort_unstable_by(|a, b| square(a).total_cmp(&square(b)).then(a.cmp(b)));
        self.unconverged.clear();
        self.unconverged.resize(self.bodies, false);
        let mut left = 0.0;
        for &body in &self.order {
            left += self.squares[body as usize];
            self.unconverged[body as usize] = left > LEFT_ALONE * tolerance;
        }
        for (contact, _) in self
            .broken
            .iter()
            .enumerate()
            .filter(|&(_, broken)| *broken)
        {
            for &block in problem.row(contact).0 {
                self.unconverged[self.body_of_block[block as usize] as usize] = true;
            }
        }
    }

    /// Connects the chosen bodies to subdomains without contacts between each other; returns their number.
    pub(super) fn connect(&mut self, problem: &ContactProblem) -> usize {
        self.forest.reset(self.bodies);
        for contact in 0..problem.contacts() {
            let mut chosen = (problem.row(contact).0.iter())
                .map(|&block| self.body_of_block[block as usize])
                .filter(|&body| self.chosen[body as usize]);
            if let Some(first) = chosen.next() {
                chosen.for_each(|other| self.forest.unite(first, other));
            }
        }
        let chosen = &self.chosen;
        let count = self
            .forest
            .number_trees(&mut self.subdomain_of_body, |body| chosen[body as usize]);
        for lists in [&mut self.blocks, &mut self.contacts] {
            lists.iter_mut().for_each(Vec::clear);
            if lists.len() < count {
                lists.resize_with(count, Vec::new);
            }
        }
        self.place.clear();
        for (block, &body) in self.body_of_block.iter().enumerate() {
            let subdomain = self.subdomain_of_body[body as usize];
            self.place
                .push(match self.blocks.get_mut(subdomain as usize) {
                    Some(blocks) if subdomain != NONE => {
                        blocks.push(block as u32);
                        blocks.len() as u32 - 1
                    }
                    _ => NONE,
                });
        }
        for contact in 0..problem.contacts() {
            let mut subdomains = (problem.row(contact).0.iter())
                .map(|&block| self.subdomain_of_body[self.body_of_block[block as usize] as usize]);
            if let Some(subdomain) = subdomains.find(|&subdomain| subdomain != NONE) {
                self.contacts[subdomain as usize].push(contact as u32);
            }
        }
        count
    }

    /// Blocks of a subdomain, ascending.
    pub(super) fn blocks(&self, subdomain: usize) -> &[u32] {
        &self.blocks[subdomain]
    }

    /// Contacts of a subdomain, including those with other bodies.
    pub(super) fn contacts(&self, subdomain: usize) -> &[u32] {
        &self.contacts[subdomain]
    }

    /// Number of a block in its subdomain, if it is in one.
    pub(super) fn place(&self, block: u32) -> Option<u32> {
        let place = self.place[block as usize];
        (place != NONE).then_some(place)
    }
}
