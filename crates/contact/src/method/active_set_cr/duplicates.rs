//! `Z`: number of near-duplicates of each contact, so that the preconditioner does not count their stiffness twice.

use crate::{ContactProblem, method::active_set_cr::DuplicateRule};
use nalgebra::Matrix3;

/// Contacts of every block, in compressed rows; rebuilt in place for each contact set.
#[derive(Debug, Default)]
pub(super) struct BlockContacts {
    starts: Vec<u32>,
    contacts: Vec<u32>,
}

impl BlockContacts {
    fn rebuild(&mut self, problem: &ContactProblem) {
        let blocks = problem.momentum.blocks();
        self.starts.clear();
        self.starts.resize(blocks + 1, 0);
        for contact in 0..problem.contacts() {
            for &block in problem.row(contact).0 {
                self.starts[block as usize + 1] += 1;
            }
        }
        for block in 0..blocks {
            self.starts[block + 1] += self.starts[block];
        }
        self.contacts.clear();
        self.contacts.resize(self.starts[blocks] as usize, 0);
        for contact in 0..problem.contacts() {
            for &block in problem.row(contact).0 {
                let next = &mut self.starts[block as usize];
                self.contacts[*next as usize] = contact as u32;
                *next += 1;
            }
        }
        // Filling advanced every start to the next block's: shift back.
        for block in (1..=blocks).rev() {
            self.starts[block] = self.starts[block - 1];
        }
        self.starts[0] = 0;
    }

    fn of(&self, block: u32) -> &[u32] {
        &self.contacts
            [self.starts[block as usize] as usize..self.starts[block as usize + 1] as usize]
    }
}

/// Workspace of the duplicate count.
#[derive(Debug, Default)]
pub(super) struct DuplicateCounter {
    by_block: BlockContacts,
    /// Contacts that share a block with the present one, itself included.
    others: Vec<u32>,
    /// Whether each contact is among `others`.
    found: Vec<bool>,
}

impl DuplicateCounter {
    /// Fills `z` with `Z ≥ 1`, three equal entries per contact.
    pub(super) fn count(&mut self, problem: &ContactProblem, rule: DuplicateRule, z: &mut [f64]) {
        self.by_block.rebuild(problem);
        self.found.clear();
        self.found.resize(problem.contacts(), false);
        for (contact, z) in z.chunks_exact_mut(3).enumerate() {
            self.gather(problem, contact);
            let alike = |&other: &u32| match rule {
                DuplicateRule::Similarity => similarity(problem, contact, other as usize),
                DuplicateRule::PerPair => similarity_per_pair(problem, contact, other as usize),
            };
            z.fill(self.others.iter().map(alike).sum());
        }
    }

    /// Collects all contacts that share a block with `contact`.
    fn gather(&mut self, problem: &ContactProblem, contact: usize) {
        self.others.clear();
        for &block in problem.row(contact).0 {
            for &other in self.by_block.of(block) {
                if !std::mem::replace(&mut self.found[other as usize], true) {
                    self.others.push(other);
                }
            }
        }
        for &other in &self.others {
            self.found[other as usize] = false;
        }
    }
}

/// [`DuplicateRule::Similarity`] of two contacts that share a block.
fn similarity(problem: &ContactProblem, contact: usize, other: usize) -> f64 {
    similarity_at(problem, contact, other, |_| true).unwrap_or(0.0)
}

/// [`DuplicateRule::PerPair`] of two contacts.
fn similarity_per_pair(problem: &ContactProblem, contact: usize, other: usize) -> f64 {
    let nodes = problem.rest_nodes();
    let is_node = |block: u32| nodes.get(block as usize).is_some_and(Option::is_some);
    let [blocks, others] = [contact, other].map(|at| problem.row(at).0);
    if blocks.iter().copied().any(is_node) {
        return similarity_at(problem, contact, other, is_node).unwrap_or(0.0);
    }
    // Either body may come first.
    let is_same = blocks.len() == others.len() && blocks.iter().all(|block| others.contains(block));
    f64::from(u8::from(is_same))
}

/// `Π (1 − |w_a − w_b|)` over the common blocks of two contacts that are `counted`; `None` without such a block.
fn similarity_at(
    problem: &ContactProblem,
    contact: usize,
    other: usize,
    counted: impl Fn(u32) -> bool,
) -> Option<f64> {
    let [own, their] = [contact, other].map(|at| problem.row(at));
    let factor = |(&block, jacobian)| {
        let place = their.0.iter().position(|&other| other == block)?;
        let weights = [jacobian, &their.1[place]].map(|j| weight(j, problem.time_step));
        counted(block).then(|| 1.0 - (weights[0] - weights[1]).abs())
    };
    own.0
        .iter()
        .zip(own.1)
        .filter_map(factor)
        .reduce(|a, b| a * b)
}

/// `|w|` of a row block: its normal row is `±w Δt n` with `‖n‖ = 1`.
fn weight(jacobian: &Matrix3<f64>, time_step: f64) -> f64 {
    (jacobian.row(0).norm() / time_step).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContactRow, RestNode};
    use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
    use nalgebra::Vector3;

    /// Six blocks without contacts, of which nothing is known.
    fn blocks() -> ContactProblem {
        let mut momentum = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(6, []));
        for block in 0..6 {
            *momentum.diagonal_block_mut(block) = Matrix3::identity();
        }
        ContactProblem::new(0.1, momentum, vec![0.0; 18])
    }

    /// The same; blocks from `first_node` on are nodes, the others are those of rigid bodies.
    fn bodies(first_node: u32) -> ContactProblem {
        let mut problem = blocks();
        let node = |block: u32| RestNode {
            body: block,
            position: Vector3::zeros(),
            mass: 1.0,
        };
        problem.set_rest_nodes((0..6).map(|block| (block >= first_node).then(|| node(block))));
        problem
    }

    /// Adds a contact that acts on blocks with weights.
    fn touch(problem: &mut ContactProblem, entries: &[(u32, f64)]) {
        let entries: Vec<_> = (entries.iter())
            .map(|&(block, weight)| (block, Matrix3::identity() * (weight * problem.time_step)))
            .collect();
        problem.push(&ContactRow {
            entries: &entries,
            offset: Vector3::zeros(),
            friction: 0.5,
        });
    }

    fn counts(problem: &ContactProblem, rule: DuplicateRule) -> Vec<f64> {
        let mut z = vec![0.0; 3 * problem.contacts()];
        DuplicateCounter::default().count(problem, rule, &mut z);
        z.chunks(3).map(|z| z[0]).collect()
    }

    /// Three contacts of two rigid bodies, one of a body with an obstacle, two of a body with nodes; for any arms.
    #[test]
    fn contacts_of_two_rigid_bodies_count_by_their_number() {
        for arm in [0.1, 0.5, 3.0] {
            let mut problem = bodies(4);
            for turns in [0.0, 0.3 * arm] {
                touch(&mut problem, &[(0, 1.0), (1, turns), (2, -1.0), (3, turns)]);
            }
            // A vertex of the other body.
            touch(&mut problem, &[(2, 1.0), (3, arm), (0, -1.0), (1, arm)]);
            touch(&mut problem, &[(0, 1.0), (1, arm)]);
            // A body on nodes: weights of the node that both have in common.
            touch(&mut problem, &[(2, 1.0), (3, arm), (4, -0.75), (5, -0.25)]);
            touch(&mut problem, &[(2, 1.0), (3, 0.0), (4, -1.0)]);
            let expected = [3.0, 3.0, 3.0, 1.0, 1.75, 1.75];
            assert_eq!(counts(&problem, DuplicateRule::PerPair), expected);
        }
    }

    /// Two contacts with three common nodes, and one that shares none.
    #[test]
    fn contacts_of_nodes_count_by_their_weights() {
        let mut problem = bodies(0);
        touch(&mut problem, &[(0, 1.0), (1, -0.5), (2, -0.5)]);
        touch(&mut problem, &[(0, 1.0), (1, -0.25), (2, -0.75)]);
        touch(&mut problem, &[(4, 1.0)]);
        let expected = [1.5625, 1.5625, 1.0];
        for rule in [DuplicateRule::PerPair, DuplicateRule::Similarity] {
            assert_eq!(counts(&problem, rule), expected);
        }
    }
    #[test]
    fn blocks_of_which_nothing_is_known_are_those_of_rigid_bodies() {
        let mut problem = blocks();
        touch(&mut problem, &[(0, 1.0), (1, -0.5)]);
        touch(&mut problem, &[(0, 1.0), (1, -0.25)]);
        assert_eq!(counts(&problem, DuplicateRule::PerPair), [2.0, 2.0]);
    }
}
