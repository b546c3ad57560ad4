//! A correction on a coarse grid, for matrices of finely meshed bodies.
//!
//! A diagonal preconditioner reduces errors that change from node to node. Errors that are smooth remain: their number
//! of iterations grows with the number of nodes along an edge of the body. On a grid with far fewer unknowns a direct
//! solve removes them:
//!
//! ```text
//! z += P (Pᵀ A P)⁻¹ Pᵀ r
//! ```
//!
//! `P` interpolates trilinearly from the corners of cubic cells to the blocks within. It reproduces translations,
//! rotations and uniform strains. The sum with a diagonal preconditioner is a two-level method (Bramble, Pasciak and
//! Xu, "Parallel multilevel preconditioners", Mathematics of Computation 55, 1990, with two levels).
//!
//! Blocks may be *excluded*: their rows of `P` are zero, so the correction neither moves nor sees them.

#![expect(
    clippy::inline_always,
    reason = "what is not inlined would not be compiled for the processor at hand"
)]

mod cells;
mod galerkin;

use crate::block::SymmetricBlockMatrix;
use crate::direct::BlockCholesky;
use crate::{BlockPattern, KrylovError};
use cells::Cells;
use galerkin::Galerkin;
use nalgebra::Vector3;

/// Addition to the diagonal of `PᵀAP` over its entries (1), 1e-10 to 1e-6: blocks in one plane leave combinations of
/// corners without effect, on which the matrix is singular.
const ADDITION: f64 = 1e-8;

/// The correction of one matrix pattern.
pub struct CoarseGrid {
    cells: Cells,
    galerkin: Galerkin,
    /// `PᵀAP`, a block per corner.
    matrix: SymmetricBlockMatrix,
    factor: BlockCholesky,
    /// `Pᵀr`, later the corners' part of the correction.
    corners: Vec<f64>,
}

impl CoarseGrid {
    /// Grids of the bodies of a matrix with `pattern`.
    ///
    /// `place` gives the body of a block and its position (m), or `None` for a block without correction. The cells of a
    /// body are `edges` times as long as its mean distance of coupled blocks.
    ///
    /// # Errors
    /// [`KrylovError::TooLarge`] if the factor does not fit in memory.
    pub fn new(
        pattern: &BlockPattern,
        place: impl Fn(usize) -> Option<(u32, Vector3<f64>)>,
        edges: f64,
    ) -> Result<Self, KrylovError> {
        let cells = Cells::new(pattern, place, edges);
        let galerkin = Galerkin::new(pattern, &cells);
        let coarse = galerkin.pattern(&cells);
        let corners = coarse.blocks();
        Ok(Self {
            factor: BlockCholesky::new(&coarse, (0..corners).collect())?,
            matrix: SymmetricBlockMatrix::zeros(coarse),
            corners: vec![0.0; 3 * corners],
            cells,
            galerkin,
        })
    }

    /// Number of corners, the blocks of `PᵀAP`.
    #[must_use]
    pub fn corners(&self) -> usize {
        self.matrix.blocks()
    }

    /// Factorises `PᵀAP` for a matrix with the pattern given to [`new`](Self::new), without the `excluded` blocks.
    ///
    /// # Errors
    /// [`KrylovError::NotPositiveDefinite`] if it is not positive definite or not finite.
    ///
    /// # Panics
    /// If the matrix has fewer blocks or slots.
    pub fn prepare(
        &mut self,
        matrix: &SymmetricBlockMatrix,
        excluded: impl IntoIterator<Item = u32>,
    ) -> Result<(), KrylovError> {
        self.cells.exclude(excluded);
        let Self {
            cells, galerkin, ..
        } = self;
        let coarse = &mut self.matrix;
        vectorized(
            #[inline(always)]
            || galerkin.project(matrix, cells, coarse),
        );
        for corner in 0..self.matrix.blocks() {
            let block = self.matrix.diagonal_block_mut(corner);
            for axis in 0..3 {
                let entry = &mut block[(axis, axis)];
                // A corner whose blocks are all excluded has no unknown.
                *entry = if *entry == 0.0 {
                    1.0
                } else {
                    *entry * (1.0 + ADDITION)
                };
            }
        }
        self.factor.factorize(&self.matrix)
    }

    /// Computes `P (PᵀAP)⁻¹ Pᵀ r` and passes its entries to `out`, for all blocks with a place.
    pub fn correct(
        &mut self,
        r: impl Fn(usize) -> Vector3<f64>,
        out: impl FnMut(usize, Vector3<f64>),
    ) {
        let Self {
            cells,
            factor,
            corners,
            ..
        } = self;
        vectorized(
            #[inline(always)]
            || cells.restrict(r, corners),
        );
        factor.solve_in_place(corners);
        vectorized(
            #[inline(always)]
            || cells.interpolate(corners, out),
        );
    }
}

/// Does `work`, compiled for the processor at hand. Additions keep their order and are never fused: every processor gets
/// the same bits.
fn vectorized<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = pulp::x86::V3::try_new() {
        return avx2.vectorize(
            #[inline(always)]
            || work(),
        );
    }
    work()
}
