//! The equations of one component: `(M + Σ k Jᵀ R J) δv = r`.

use super::link::{BodyBalance, Link};
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use impinge_krylov::direct::BlockCholesky;
use nalgebra::Matrix3;
use std::sync::Arc;

/// Matrix with entries for the links that it was made for, and its factor.
pub(super) struct System {
    pub(super) pattern: Arc<BlockPattern>,
    pub(super) matrix: SymmetricBlockMatrix,
    pub(super) factor: BlockCholesky,
}

impl System {
    /// A system with entries for `links`, possibly an `earlier` one of the same pattern; `None` if it does not fit in
    /// memory.
    pub(super) fn of(
        balances: &[BodyBalance],
        links: &[Link],
        earlier: Option<Self>,
    ) -> Option<Self> {
        let free = |body: u32| balances[body as usize].is_free();
        let pairs = links.iter().flat_map(|link| {
            let bodies = link.sides().iter().map(|side| side.0);
            let sides = bodies.filter(|&body| free(body));
            let others = sides.clone();
            sides.flat_map(move |i| others.clone().map(move |j| (i, j)))
        });
        let pairs = pairs.filter(|(i, j)| i < j);
        let pattern = Arc::new(BlockPattern::from_pairs(balances.len(), pairs));
        if let Some(same) = earlier.filter(|earlier| are_same(&earlier.pattern, &pattern)) {
            return Some(same);
        }
        Some(Self {
            matrix: SymmetricBlockMatrix::zeros(Arc::clone(&pattern)),
            factor: BlockCholesky::new(&pattern, (0..balances.len()).collect()).ok()?,
            pattern,
        })
    }

    /// Writes `M + Σ k Jᵀ R J`; returns whether the pattern contains all links.
    pub(super) fn fill(
        &mut self,
        balances: &[BodyBalance],
        links: &[Link],
        stiffnesses: &[f64],
    ) -> bool {
        let (matrix, pattern) = (&mut self.matrix, &self.pattern);
        matrix.set_zero();
        let free = |body: u32| balances[body as usize].is_free();
        for (body, balance) in balances.iter().enumerate() {
            let inertia = if balance.is_free() {
                balance.inertia
            } else {
                1.0
            };
            *matrix.diagonal_block_mut(body) = Matrix3::identity() * inertia;
        }
        for (link, &stiffness) in links.iter().zip(stiffnesses) {
            let springs = Matrix3::from_diagonal(&(link.capacity * stiffness));
            for (i, a) in link.sides() {
                for (j, b) in link.sides() {
                    if i > j || !free(*i) || !free(*j) {
                        continue;
                    }
                    let Some(slot) = pattern.slot(*i as usize, *j as usize) else {
                        return false;
                    };
                    *matrix.block_mut(slot) += a.tr_mul(&(springs * b));
                }
            }
        }
        true
    }
}

/// Whether two patterns store the same blocks.
fn are_same(a: &BlockPattern, b: &BlockPattern) -> bool {
    a.blocks() == b.blocks()
        && a.columns() == b.columns()
        && (0..a.blocks()).all(|row| a.row(row) == b.row(row))
}
