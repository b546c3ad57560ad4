//! Elimination order of the unknowns of a KKT matrix in which no pivot vanishes or cancels.
//!
//! A row without compliance has no pivot of its own. Its pivot, `−j A⁻¹ jᵀ`, comes from unknowns eliminated before it.
//! Two rules:
//!
//! 1. *Leaves first.* If a constraint has unknowns that no other constraint uses and that can satisfy its rows alone
//!    (the free end of a chain), these unknowns come first, then its rows. The rest is a smaller problem of the same
//!    kind, in which the constraint's other unknowns carry the mass of the leaf as well. All of its pivots are sums of
//!    terms of one sign: nothing cancels, whatever the masses. This is the articulated-body recursion.
//! 2. Every other row comes right after the last of its unknowns; these unknowns are in an order of minimum degree. Its
//!    pivot then exists if the rows are independent.

use crate::ContactError;
use crate::constraint::ConstraintRows;
use impinge_krylov::block::BlockPattern;
use impinge_krylov::direct::{minimum_degree_order, symmetric_eigen};
use nalgebra::DMatrix;
use nalgebra_sparse::{CooMatrix, CscMatrix};

/// Smallest share of a row that its leaf must carry to come first. An arm of tens of metres is above it; rows that
/// differ by a small angle only are below.
const LEAF_SHARE: f64 = 1e-4;

/// Rows of all groups that act on the same blocks.
struct Bundle {
    groups: Vec<usize>,
    blocks: Vec<u32>,
}

/// Sequence of unknowns: `3 block + axis` for velocities, then `n + row` for the `bilateral` rows.
pub(super) struct Order {
    pub(super) sequence: Vec<usize>,
    /// Whether each row is carried by a leaf: such rows cannot depend on others.
    pub(super) safe: Vec<bool>,
}

/// Orders the unknowns of the KKT matrix of `momentum` and the groups `bilateral` of `rows`.
///
/// # Errors
/// [`ContactError::TooLarge`] if the workspace does not fit in memory.
pub(super) fn eliminate(
    momentum: &BlockPattern,
    rows: &ConstraintRows,
    bilateral: &[usize],
    first_row: &[usize],
) -> Result<Order, ContactError> {
    let mut elimination = Elimination::new(momentum.blocks(), rows, bilateral, first_row);
    elimination.push_leaves();
    elimination.push_rest(momentum)?;
    Ok(elimination.order)
}

/// A running elimination.
struct Elimination<'a> {
    rows: &'a ConstraintRows,
    /// First row of each group.
    first_row: &'a [usize],
    bundles: Vec<Bundle>,
    /// Bundles of each block.
    touching: Vec<Vec<usize>>,
    /// Whether each block is in the sequence.
    gone: Vec<bool>,
    /// Whether each bundle is in the sequence.
    done: Vec<bool>,
    order: Order,
}

impl<'a> Elimination<'a> {
    fn new(
        blocks: usize,
        rows: &'a ConstraintRows,
        bilateral: &[usize],
        first_row: &'a [usize],
    ) -> Self {
        let row_count: usize = bilateral.iter().map(|&g| rows.group(g).offset.len()).sum();
        let bundles = bundle(rows, bilateral, blocks);
        let mut touching: Vec<Vec<usize>> = vec![Vec::new(); blocks];
        for (index, bundle) in bundles.iter().enumerate() {
            for &block in &bundle.blocks {
                touching[block as usize].push(index);
            }
        }
        Self {
            rows,
            first_row,
            touching,
            gone: vec![false; blocks],
            done: vec![false; bundles.len()],
            bundles,
            order: Order {
                sequence: Vec::with_capacity(3 * blocks + row_count),
                safe: vec![false; row_count],
            },
        }
    }

    /// Eliminates leaves and their rows. With a stack, order and cost are linear in the size of a tree.
    fn push_leaves(&mut self) {
        let mut left: Vec<usize> = self.touching.iter().map(Vec::len).collect();
        let mut candidates: Vec<usize> = (0..self.bundles.len()).rev().collect();
        while let Some(index) = candidates.pop() {
            if self.done[index] {
                continue;
            }
            let bundle = &self.bundles[index];
            let own: Vec<u32> = bundle
                .blocks
                .iter()
                .copied()
                .filter(|&b| !self.gone[b as usize] && left[b as usize] == 1)
                .collect();
            if own.is_empty() || !carries(self.rows, bundle, &own) {
                continue;
            }
            for &block in &own {
                self.gone[block as usize] = true;
                self.order.push_block(block as usize);
            }
            self.push_rows(index);
            let bundle = &self.bundles[index];
            for &group in &bundle.groups {
                let first = self.first_row[group];
                self.order.safe[first..first + self.rows.group(group).offset.len()].fill(true);
            }
            for &block in &bundle.blocks {
                left[block as usize] -= 1;
                let touching = &self.touching[block as usize];
                candidates.extend(touching.iter().filter(|&&b| !self.done[b]));
            }
        }
    }

    /// Eliminates the other blocks by minimum degree, each row as early as possible.
    fn push_rest(&mut self, momentum: &BlockPattern) -> Result<(), ContactError> {
        let sequence = least_degree_first(momentum, &self.bundles, &self.gone)?;
        let gone = &self.gone;
        let mut waiting: Vec<usize> = (self.bundles.iter())
            .map(|b| b.blocks.iter().filter(|&&x| !gone[x as usize]).count())
            .collect();
        for index in 0..self.bundles.len() {
            if !self.done[index] && waiting[index] == 0 {
                self.push_rows(index);
            }
        }
        for block in sequence {
            self.order.push_block(block);
            for place in 0..self.touching[block].len() {
                let index = self.touching[block][place];
                if self.done[index] {
                    continue;
                }
                waiting[index] -= 1;
                if waiting[index] == 0 {
                    self.push_rows(index);
                }
            }
        }
        Ok(())
    }

    /// Eliminates the rows of a bundle.
    fn push_rows(&mut self, index: usize) {
        let unknowns = 3 * self.gone.len();
        for &group in &self.bundles[index].groups {
            let count = self.rows.group(group).offset.len();
            let first = self.first_row[group];
            let rows = (first..first + count).map(|row| unknowns + row);
            self.order.sequence.extend(rows);
        }
        self.done[index] = true;
    }
}

impl Order {
    fn push_block(&mut self, block: usize) {
        self.sequence.extend((0..3).map(|axis| 3 * block + axis));
    }
}

/// The blocks that are not `gone`, in an order of minimum degree in the graph of `momentum` and `bundles`.
fn least_degree_first(
    momentum: &BlockPattern,
    bundles: &[Bundle],
    gone: &[bool],
) -> Result<Vec<usize>, ContactError> {
    let blocks = momentum.blocks();
    let rest: Vec<usize> = (0..blocks).filter(|&block| !gone[block]).collect();
    let mut place = vec![usize::MAX; blocks];
    for (at, &block) in rest.iter().enumerate() {
        place[block] = at;
    }
    let mut pairs = CooMatrix::new(rest.len(), rest.len());
    let mut couple = |a: usize, b: usize| {
        if place[a] != usize::MAX && place[b] != usize::MAX {
            pairs.push(place[a].min(place[b]), place[a].max(place[b]), 1.0);
        }
    };
    for row in 0..blocks {
        for slot in momentum.row(row) {
            couple(row, momentum.columns()[slot] as usize);
        }
    }
    for bundle in bundles {
        for (i, &a) in bundle.blocks.iter().enumerate() {
            for &b in &bundle.blocks[i..] {
                couple(a as usize, b as usize);
            }
        }
    }
    let sequence =
        minimum_degree_order(&CscMatrix::from(&pairs)).map_err(|_| ContactError::TooLarge {
            unknowns: 3 * blocks,
        })?;
    Ok(sequence.into_iter().map(|at| rest[at]).collect())
}

/// Bundles groups on the same blocks, such as the two directions of a hinge.
///
/// Groups on a part of these blocks are not included. A link to a fixed point acts on one of the two ends of its
/// neighbour. The particle between the links carries both only if they are not in line, and their pivots cancel.
fn bundle(rows: &ConstraintRows, bilateral: &[usize], blocks: usize) -> Vec<Bundle> {
    let mut bundles: Vec<Bundle> = Vec::new();
    let mut starting_at: Vec<Vec<usize>> = vec![Vec::new(); blocks];
    for &group in bilateral {
        let own = rows.group(group).blocks;
        // Compliant rows between fixed points have no blocks, so they are never bundled.
        if let Some(&first) = own.first() {
            let alike = &mut starting_at[first as usize];
            if let Some(&index) = alike.iter().find(|&&index| bundles[index].blocks == own) {
                bundles[index].groups.push(group);
                continue;
            }
            alike.push(bundles.len());
        }
        bundles.push(Bundle {
            groups: vec![group],
            blocks: own.to_vec(),
        });
    }
    bundles
}

/// Whether the rows of a bundle are independent on the blocks `own` alone.
fn carries(rows: &ConstraintRows, bundle: &Bundle, own: &[u32]) -> bool {
    let count: usize = bundle
        .groups
        .iter()
        .map(|&g| rows.group(g).offset.len())
        .sum();
    if count > 3 * own.len() {
        return false;
    }
    let mut dense = DMatrix::<f64>::zeros(count, 3 * own.len());
    let mut size = vec![0.0; count];
    let mut at = 0;
    for &index in &bundle.groups {
        let group = rows.group(index);
        for row in 0..group.offset.len() {
            for (&block, j) in group
                .blocks
                .iter()
                .zip(&group.jacobian[row * group.blocks.len()..])
            {
                size[at] += j.norm_squared();
                if let Ok(place) = own.binary_search(&block) {
                    for axis in 0..3 {
                        dense[(at, 3 * place + axis)] = j[axis];
                    }
                }
            }
            at += 1;
        }
    }
    let mut gram = &dense * dense.transpose();
    for i in 0..count {
        for j in 0..count {
            gram[(i, j)] /= (size[i] * size[j]).sqrt();
        }
    }
    symmetric_eigen(&gram).is_some_and(|(values, _)| values[0] > LEAF_SHARE)
}
