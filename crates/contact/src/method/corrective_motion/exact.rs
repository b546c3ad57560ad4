//! The exact compliance `A⁻¹`: one sparse factorisation per body, of all or of some bodies.

use super::compliance::{Compliance, FreeEquations, FreeMotion, Push, Response};
use super::matrix_snapshot::MatrixSnapshot;
use crate::{ContactError, ContactProblem};
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use impinge_krylov::direct::BlockCholesky;
use impinge_krylov::forest::{Forest, NONE};
use nalgebra::Matrix3;
use std::sync::Arc;

/// `A⁻¹` by Cholesky factors of the connected blocks of unknowns, which are the bodies.
///
/// Factors are kept until the values of `A` change, so the rounds of a step share them. Orderings are kept until its
/// pattern changes.
#[derive(Default)]
pub(super) struct ExactCompliance {
    pattern: Option<Arc<BlockPattern>>,
    factorised: MatrixSnapshot,
    /// Blocks that are left to another compliance; empty if there are none.
    left_out: Vec<bool>,
    /// Part of every block, [`NONE`] for those left out, and its number in the part.
    place_of_block: Vec<(u32, u32)>,
    parts: Vec<BlockCholesky>,
    scratch: Vec<f64>,
}

impl ExactCompliance {
    /// Prepares the compliance of all blocks but those `left_out`, whose coupling with others is ignored. Empty: none.
    /// Returns whether it has changed.
    pub(super) fn prepare_others(
        &mut self,
        a: &SymmetricBlockMatrix,
        left_out: &[bool],
    ) -> Result<bool, ContactError> {
        let same_blocks = self.pattern.as_ref() == Some(a.pattern()) && self.left_out == left_out;
        if same_blocks && self.factorised.matches(a) {
            return Ok(false);
        }
        // After a failure the factors must not count as valid.
        self.factorised.forget();
        if !same_blocks {
            self.analyse(a.pattern(), left_out)?;
        }
        for part in &mut self.parts {
            let block = part.blocks()[0];
            part.factorize(a)
                .map_err(|_| ContactError::IndefiniteMomentum { block })?;
        }
        self.factorised.take(a);
        Ok(true)
    }

    fn analyse(
        &mut self,
        pattern: &Arc<BlockPattern>,
        left_out: &[bool],
    ) -> Result<(), ContactError> {
        self.pattern = None;
        self.parts.clear();
        let wanted = |block: u32| !left_out.get(block as usize).is_some_and(|&left| left);
        let (mut forest, mut part_of_block) = (Forest::default(), Vec::new());
        forest.reset(pattern.blocks());
        for row in (0..pattern.blocks() as u32).filter(|&row| wanted(row)) {
            let columns = &pattern.columns()[pattern.row(row as usize)];
            for &column in columns.iter().filter(|&&column| wanted(column)) {
                forest.unite(row, column);
            }
        }
        let mut groups = vec![Vec::new(); forest.number_trees(&mut part_of_block, wanted)];
        self.place_of_block.clear();
        for (block, part) in part_of_block.into_iter().enumerate() {
            let mut place = (NONE, 0);
            if part != NONE {
                let blocks = &mut groups[part as usize];
                place = (part, blocks.len() as u32);
                blocks.push(block);
            }
            self.place_of_block.push(place);
        }
        for blocks in groups {
            let unknowns = 3 * blocks.len();
            let factor = BlockCholesky::new(pattern, blocks)
                .map_err(|_| ContactError::TooLarge { unknowns })?;
            self.parts.push(factor);
        }
        self.left_out.clear();
        self.left_out.extend_from_slice(left_out);
        self.pattern = Some(Arc::clone(pattern));
        Ok(())
    }
}

impl Compliance for ExactCompliance {
    fn prepare(&mut self, problem: &ContactProblem, _repair: bool) -> Result<bool, ContactError> {
        self.prepare_others(&problem.momentum, &[])
    }

    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn place(&self, block: u32) -> Option<(usize, usize)> {
        let (part, local) = self.place_of_block[block as usize];
        (part != NONE).then_some((part as usize, local as usize))
    }

    fn respond(&mut self, part: usize, pushed: &[Push], felt: &[usize], response: &mut Response) {
        let factor = &mut self.parts[part];
        let size = 3 * factor.blocks().len();
        self.scratch.clear();
        self.scratch.resize(3 * size, 0.0);
        for (local, jacobian) in pushed {
            for row in 0..3 {
                for axis in 0..3 {
                    self.scratch[row * size + 3 * local + axis] += jacobian[(row, axis)];
                }
            }
        }
        factor.solve_in_place(&mut self.scratch);
        let moved = &self.scratch;
        response.clear();
        response.extend(
            felt.iter()
                .map(|local| Matrix3::from_fn(|axis, row| moved[row * size + 3 * local + axis])),
        );
    }

    fn free_motion(&mut self, of: FreeEquations<'_>, velocity: &mut [f64]) -> FreeMotion {
        velocity.copy_from_slice(of.rhs);
        self.apply(velocity);
        FreeMotion {
            products: 1,
            residual: 0.0,
            converged: true,
        }
    }

    fn apply(&mut self, x: &mut [f64]) {
        for part in &mut self.parts {
            self.scratch.clear();
            for &block in part.blocks() {
                self.scratch.extend_from_slice(&x[3 * block..][..3]);
            }
            if self.scratch.iter().all(|&x| x == 0.0) {
                continue;
            }
            part.solve_in_place(&mut self.scratch);
            for (&block, value) in part.blocks().iter().zip(self.scratch.chunks_exact(3)) {
                x[3 * block..][..3].copy_from_slice(value);
            }
        }
    }

    fn is_exact(&self) -> bool {
        true
    }
}
