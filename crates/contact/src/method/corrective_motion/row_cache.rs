//! Blocks of the last `W`, reused for contacts that have not changed.

use super::contact_nodes::ContactNodes;
use super::operator_rows::OperatorRows;
use crate::ContactProblem;
use crate::delassus::BlockRows;
use nalgebra::Matrix3;

/// Marks an unknown contact.
const UNKNOWN: u32 = u32::MAX;

/// The rows of the last problem with their `W`, valid while the compliance is the same.
///
/// The collision rounds of a step re-linearise and add few contacts: only their blocks of `W` are new.
#[derive(Default)]
pub(super) struct RowCache {
    starts: Vec<usize>,
    blocks: Vec<u32>,
    jacobians: Vec<Matrix3<f64>>,
    w: BlockRows,
    /// Memory of an earlier `W`.
    spare: BlockRows,
    /// Whether every contact has the same index and nodes, so that `W` has the same pattern.
    in_place: bool,
    /// Former index of each contact of the present problem.
    old_of_new: Vec<u32>,
    /// Present index of each contact of the last problem.
    new_of_old: Vec<u32>,
    order: Vec<u32>,
}

impl RowCache {
    /// Removes all contacts.
    pub(super) fn forget(&mut self) {
        self.starts.clear();
        self.old_of_new.clear();
        self.new_of_old.clear();
        self.in_place = false;
    }

    /// Stores the contacts and the `W` of `problem`.
    pub(super) fn store(&mut self, problem: &ContactProblem, w: BlockRows) {
        self.starts.clear();
        self.starts.push(0);
        self.blocks.clear();
        self.jacobians.clear();
        for contact in 0..problem.contacts() {
            let (blocks, jacobians) = problem.row(contact);
            self.blocks.extend_from_slice(blocks);
            self.jacobians.extend_from_slice(jacobians);
            self.starts.push(self.blocks.len());
        }
        self.w = w;
    }

    /// Finds the known contacts of `problem`: those with exactly the same rows on the same nodes.
    pub(super) fn match_contacts(&mut self, problem: &ContactProblem) {
        let known = self.starts.len().saturating_sub(1);
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..known as u32);
        order.sort_by_key(|&contact| self.row(contact).0);
        self.new_of_old.clear();
        self.new_of_old.resize(known, UNKNOWN);
        self.old_of_new.clear();
        self.old_of_new.resize(problem.contacts(), UNKNOWN);
        // Without contacts, a removed `w` may still be there.
        self.in_place = known > 0 && known == problem.contacts();
        for contact in 0..known.min(problem.contacts()) {
            let (blocks, jacobians) = problem.row(contact);
            let (old_blocks, old_jacobians) = self.row(contact as u32);
            let same_nodes = blocks == old_blocks;
            let same = same_nodes && jacobians == old_jacobians;
            self.in_place &= same_nodes;
            if same {
                self.old_of_new[contact] = contact as u32;
                self.new_of_old[contact] = contact as u32;
            }
        }
        for contact in 0..problem.contacts() {
            // With the same pattern other positions are not searched: a match would have to move.
            if self.in_place || self.old_of_new[contact] != UNKNOWN {
                continue;
            }
            let (blocks, jacobians) = problem.row(contact);
            let first = order.partition_point(|&other| self.row(other).0 < blocks);
            let alike = order[first..].iter().copied();
            let found = alike
                .take_while(|&other| self.row(other).0 == blocks)
                .find(|&other| {
                    self.new_of_old[other as usize] == UNKNOWN && self.row(other).1 == jacobians
                });
            if let Some(other) = found {
                self.new_of_old[other as usize] = contact as u32;
                self.old_of_new[contact] = other;
            }
        }
        self.order = order;
    }

    /// Whether the block of these two contacts is known.
    pub(super) fn knows(&self, first: usize, second: usize) -> bool {
        let known = |contact| {
            self.old_of_new
                .get(contact)
                .is_some_and(|&was| was != UNKNOWN)
        };
        known(first) && known(second)
    }

    /// Rows for the [matched](Self::match_contacts) contacts: blocks of known pairs, zeros elsewhere. The cache is
    /// empty afterwards.
    pub(super) fn take(&mut self, nodes: &ContactNodes) -> OperatorRows {
        self.starts.clear();
        let w = std::mem::take(&mut self.w);
        if self.in_place {
            let mut rows = OperatorRows::reusing(w);
            for (contact, &was) in self.old_of_new.iter().enumerate() {
                if was == UNKNOWN {
                    rows.clear(contact);
                }
            }
            return rows;
        }
        let mut rows = OperatorRows::reusing(std::mem::take(&mut self.spare)).for_contacts(nodes);
        self.copy(&w, &mut rows);
        self.spare = w;
        rows
    }

    /// Copies the blocks of known pairs.
    fn copy(&self, w: &BlockRows, rows: &mut OperatorRows) {
        for (contact, &was) in self.old_of_new.iter().enumerate() {
            if was == UNKNOWN {
                continue;
            }
            let (columns, blocks) = rows.row_mut(contact);
            let (old_columns, old_blocks) = w.row(was as usize);
            let mut place = 0;
            for (&old, block) in old_columns.iter().zip(old_blocks) {
                let now = self.new_of_old[old as usize];
                if now == UNKNOWN {
                    continue;
                }
                // Contacts keep their order unless features were renumbered.
                if place > 0 && columns[place - 1] >= now {
                    place = columns.partition_point(|&column| column < now);
                }
                while columns.get(place).is_some_and(|&column| column < now) {
                    place += 1;
                }
                if columns.get(place) == Some(&now) {
                    blocks[place] = *block;
                    place += 1;
                }
            }
        }
    }

    fn row(&self, contact: u32) -> (&[u32], &[Matrix3<f64>]) {
        let range = self.starts[contact as usize]..self.starts[contact as usize + 1];
        (&self.blocks[range.clone()], &self.jacobians[range])
    }
}
