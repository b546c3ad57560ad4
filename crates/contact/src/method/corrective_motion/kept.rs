//! `W` of the last solve, for the contacts that are still as they were.

use super::built::Rows;
use crate::ContactProblem;
use crate::delassus::BlockRows;
use nalgebra::Matrix3;

/// Marks a contact that is not known.
const UNKNOWN: u32 = u32::MAX;

/// The rows of a problem and the `W` they made, while the compliance stays the same.
///
/// The rounds of a step turn and add few contacts, and of `W` only what these see is new.
#[derive(Default)]
pub(super) struct KeptRows {
    starts: Vec<usize>,
    blocks: Vec<u32>,
    jacobians: Vec<Matrix3<f64>>,
    w: BlockRows,
    /// Of each contact of the problem that is about to be solved, which one it was.
    was: Vec<u32>,
    /// Which contact of that problem each one is.
    is: Vec<u32>,
    order: Vec<u32>,
}

impl KeptRows {
    /// Forgets all.
    pub(super) fn forget(&mut self) {
        self.starts.clear();
        self.was.clear();
        self.is.clear();
    }

    /// Takes in what belongs to `problem`, in the place of what was known.
    pub(super) fn keep(&mut self, problem: &ContactProblem, w: BlockRows) {
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

    /// Finds the contacts of `problem` among those that are known: the same rows on the same nodes, to the last bit.
    pub(super) fn find(&mut self, problem: &ContactProblem) {
        let known = self.starts.len().saturating_sub(1);
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..known as u32);
        order.sort_by_key(|&contact| self.row(contact).0);
        self.is.clear();
        self.is.resize(known, UNKNOWN);
        self.was.clear();
        for contact in 0..problem.contacts() {
            let (blocks, jacobians) = problem.row(contact);
            let first = order.partition_point(|&other| self.row(other).0 < blocks);
            let alike = order[first..].iter().copied();
            let found = alike
                .take_while(|&other| self.row(other).0 == blocks)
                .find(|&other| {
                    self.is[other as usize] == UNKNOWN && self.row(other).1 == jacobians
                });
            if let Some(other) = found {
                self.is[other as usize] = contact as u32;
            }
            self.was.push(found.unwrap_or(UNKNOWN));
        }
        self.order = order;
    }

    /// Whether what these two make of each other is known.
    pub(super) fn knows(&self, first: usize, second: usize) -> bool {
        let known = |contact| self.was.get(contact).is_some_and(|&was| was != UNKNOWN);
        known(first) && known(second)
    }

    /// Copies the blocks of known pairs.
    pub(super) fn copy_into(&self, rows: &mut Rows) {
        for (contact, &was) in self.was.iter().enumerate() {
            if was == UNKNOWN {
                continue;
            }
            let (columns, blocks) = rows.row_mut(contact);
            let (old_columns, old_blocks) = self.w.row(was as usize);
            for (&old, block) in old_columns.iter().zip(old_blocks) {
                // The place of a contact that is gone, UNKNOWN, is behind all columns.
                let now = self.is[old as usize];
                if let Ok(place) = columns.binary_search(&now) {
                    blocks[place] = *block;
                }
            }
        }
    }

    fn row(&self, contact: u32) -> (&[u32], &[Matrix3<f64>]) {
        let range = self.starts[contact as usize]..self.starts[contact as usize + 1];
        (&self.blocks[range.clone()], &self.jacobians[range])
    }
}
