//! The exact compliance `A⁻¹`: one sparse factorisation per body.

use crate::ContactError;
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use impinge_krylov::direct::SparseCholesky;
use nalgebra::Matrix3;
use nalgebra_sparse::CscMatrix;
use std::sync::Arc;

/// `A⁻¹` by Cholesky factors of the blocks of unknowns that `A` connects, which are the bodies.
///
/// Factors are kept until the values of `A` change: the rounds of a step share them. The orderings are kept until its
/// pattern changes.
#[derive(Default)]
pub(super) struct ExactCompliance {
    pattern: Option<Arc<BlockPattern>>,
    factorised: Vec<Matrix3<f64>>,
    /// Part and place in it of every block.
    place_of_block: Vec<(u32, u32)>,
    parts: Vec<Part>,
}

/// One connected set of blocks.
pub(super) struct Part {
    /// Its blocks, ascending.
    pub(super) blocks: Vec<usize>,
    /// Per local column, the local rows above or on the diagonal and their slots in `A`.
    columns: Vec<Vec<(usize, usize)>>,
    upper: CscMatrix<f64>,
    cholesky: SparseCholesky,
}

impl ExactCompliance {
    /// Factorises `a` unless that has been done.
    ///
    /// # Errors
    /// [`ContactError::IndefiniteMomentum`] if it is not positive definite.
    pub(super) fn prepare(&mut self, a: &SymmetricBlockMatrix) -> Result<(), ContactError> {
        let same_pattern = self.pattern.as_ref().is_some_and(|pattern| {
            Arc::ptr_eq(pattern, a.pattern())
                || (pattern.row_offsets() == a.pattern().row_offsets()
                    && pattern.columns() == a.pattern().columns())
        });
        if same_pattern && self.factorised == a.values() {
            return Ok(());
        }
        // A failure on the way must not leave factors that look valid.
        self.factorised.clear();
        if !same_pattern {
            self.analyse(a.pattern())?;
        }
        for part in &mut self.parts {
            part.factorise(a)?;
        }
        self.factorised.extend_from_slice(a.values());
        Ok(())
    }

    /// The parts, to be solved with.
    pub(super) fn parts_mut(&mut self) -> &mut [Part] {
        &mut self.parts
    }

    /// Part of a block, and its place there.
    pub(super) fn place(&self, block: u32) -> (usize, usize) {
        let (part, local) = self.place_of_block[block as usize];
        (part as usize, local as usize)
    }

    fn analyse(&mut self, pattern: &Arc<BlockPattern>) -> Result<(), ContactError> {
        self.pattern = None;
        self.parts.clear();
        let groups = connected(pattern);
        self.place_of_block = vec![(0, 0); pattern.blocks()];
        for (part, blocks) in groups.iter().enumerate() {
            for (local, &block) in blocks.iter().enumerate() {
                self.place_of_block[block] = (part as u32, local as u32);
            }
        }
        for blocks in groups {
            let mut columns = vec![Vec::new(); blocks.len()];
            for (local, &block) in blocks.iter().enumerate() {
                for slot in pattern.row(block) {
                    let column = pattern.columns()[slot];
                    columns[self.place_of_block[column as usize].1 as usize].push((local, slot));
                }
            }
            self.parts.push(Part::new(blocks, columns)?);
        }
        self.pattern = Some(Arc::clone(pattern));
        Ok(())
    }
}

/// Sets of blocks that the pattern connects, ordered by their first.
fn connected(pattern: &BlockPattern) -> Vec<Vec<usize>> {
    fn root(parents: &mut [usize], mut block: usize) -> usize {
        while parents[block] != block {
            parents[block] = parents[parents[block]];
            block = parents[block];
        }
        block
    }
    let mut parents: Vec<usize> = (0..pattern.blocks()).collect();
    for row in 0..pattern.blocks() {
        for slot in pattern.row(row) {
            let (a, b) = (
                root(&mut parents, row),
                root(&mut parents, pattern.columns()[slot] as usize),
            );
            // The smaller becomes the root: the order of parts follows from the blocks alone.
            parents[a.max(b)] = a.min(b);
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut group_of_root = vec![usize::MAX; pattern.blocks()];
    for block in 0..pattern.blocks() {
        let root = root(&mut parents, block);
        if group_of_root[root] == usize::MAX {
            group_of_root[root] = groups.len();
            groups.push(Vec::new());
        }
        groups[group_of_root[root]].push(block);
    }
    groups
}

impl Part {
    fn new(blocks: Vec<usize>, columns: Vec<Vec<(usize, usize)>>) -> Result<Self, ContactError> {
        let mut starts = vec![0];
        let mut rows = Vec::new();
        for (column, above) in columns.iter().enumerate() {
            for axis in 0..3 {
                for &(row, _) in above {
                    let count = if row == column { axis + 1 } else { 3 };
                    rows.extend((0..count).map(|k| 3 * row + k));
                }
                starts.push(rows.len());
            }
        }
        let size = 3 * blocks.len();
        let values = vec![0.0; rows.len()];
        let upper = CscMatrix::try_from_csc_data(size, size, starts, rows, values)
            .expect("rows ascend within each column");
        let cholesky = SparseCholesky::new(&upper).map_err(|_| ContactError::TooLarge {
            unknowns: upper.nrows(),
        })?;
        Ok(Self {
            blocks,
            columns,
            upper,
            cholesky,
        })
    }

    fn factorise(&mut self, a: &SymmetricBlockMatrix) -> Result<(), ContactError> {
        let mut entries = self.upper.values_mut().iter_mut();
        for (column, above) in self.columns.iter().enumerate() {
            for axis in 0..3 {
                for &(row, slot) in above {
                    let count = if row == column { axis + 1 } else { 3 };
                    let block = &a.values()[slot];
                    for (entry, k) in entries.by_ref().take(count).zip(0..) {
                        *entry = block[(k, axis)];
                    }
                }
            }
        }
        self.cholesky
            .factorize(&self.upper)
            .map_err(|_| ContactError::IndefiniteMomentum {
                block: self.blocks[0],
            })
    }

    /// Replaces the columns of `x` by `A⁻¹ x`, in the places of this part.
    pub(super) fn solve_in_place(&mut self, x: &mut [f64]) {
        self.cholesky.solve_in_place(x);
    }
}
