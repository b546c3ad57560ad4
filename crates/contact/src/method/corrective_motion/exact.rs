//! The exact compliance `A⁻¹`: one sparse factorisation per body.

use super::compliance::{Compliance, FreeEquations, FreeMotion, Push, Response};
use super::matrix_snapshot::MatrixSnapshot;
use crate::{ContactError, ContactProblem};
use impinge_krylov::block::BlockPattern;
use impinge_krylov::direct::BlockCholesky;
use impinge_krylov::forest::Forest;
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
    /// Part and number in it of every block.
    place_of_block: Vec<(u32, u32)>,
    parts: Vec<BlockCholesky>,
    scratch: Vec<f64>,
}

impl ExactCompliance {
    fn analyse(&mut self, pattern: &Arc<BlockPattern>) -> Result<(), ContactError> {
        self.pattern = None;
        self.parts.clear();
        let (mut forest, mut part_of_block) = (Forest::default(), Vec::new());
        forest.reset_to(pattern);
        let mut groups = vec![Vec::new(); forest.number_trees(&mut part_of_block, |_| true)];
        self.place_of_block.clear();
        for (block, part) in part_of_block.into_iter().enumerate() {
            let blocks = &mut groups[part as usize];
            self.place_of_block.push((part, blocks.len() as u32));
            blocks.push(block);
        }
        for blocks in groups {
            let unknowns = 3 * blocks.len();
            let factor = BlockCholesky::new(pattern, blocks)
                .map_err(|_| ContactError::TooLarge { unknowns })?;
            self.parts.push(factor);
        }
        self.pattern = Some(Arc::clone(pattern));
        Ok(())
    }
}

impl Compliance for ExactCompliance {
    fn prepare(&mut self, problem: &ContactProblem, _repair: bool) -> Result<bool, ContactError> {
        let a = &problem.momentum;
        let same_pattern = self.pattern.as_ref() == Some(a.pattern());
        if same_pattern && self.factorised.matches(a) {
            return Ok(false);
        }
        // After a failure the factors must not count as valid.
        self.factorised.forget();
        if !same_pattern {
            self.analyse(a.pattern())?;
        }
        for part in &mut self.parts {
            let block = part.blocks()[0];
            part.factorize(a)
                .map_err(|_| ContactError::IndefiniteMomentum { block })?;
        }
        self.factorised.take(a);
        Ok(true)
    }

    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn place(&self, block: u32) -> Option<(usize, usize)> {
        let (part, local) = self.place_of_block[block as usize];
        Some((part as usize, local as usize))
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

    fn takes_rows(&self) -> bool {
        true
    }

    fn is_exact(&self) -> bool {
        true
    }
}
