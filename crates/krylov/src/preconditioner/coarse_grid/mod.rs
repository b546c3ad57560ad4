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
//! `P` interpolates trilinearly from the corners of box-shaped cells to the blocks within. Without exclusions it
//! reproduces translations, rotations and uniform strains. The sum with a diagonal preconditioner is a method with two
//! levels (Bramble, Pasciak and Xu, "Parallel multilevel preconditioners", Mathematics of Computation 55, 1990,
//! <https://doi.org/10.1090/S0025-5718-1990-1023042-6>).
//!
//! Blocks may be *excluded*: their rows of `P` are zero, so the correction neither moves nor sees them.
//!
//! Cost: a preparation takes about as long as ten products with the matrix, a correction a fifth of a product, on one
//! thread. Results do not depend on the number of threads. The direct solve may round differently on other processors.

#![expect(
    clippy::inline_always,
    reason = "functions that are not inlined would not be compiled for the processor at hand"
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

/// Corners over blocks above which a grid is not coarse (1), 1/32 to 1/4: a direct solve would take longer than the
/// iterations that it saves. Solid bodies have 1/50 with cells of six edges; rods, and bodies with few large elements
/// among many small ones, have more.
const MOST_CORNERS: f64 = 1.0 / 8.0;

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
    /// `position` gives the body of a block and its position (m), or `None` for a block without correction. The cells
    /// of a body are about `edges` times as long as its mean distance of coupled blocks. `None` if there would be more
    /// than a corner for eight such blocks: the grid would not be coarse.
    ///
    /// # Errors
    /// [`KrylovError::TooLarge`] if the factor does not fit in memory.
    pub fn new(
        pattern: &BlockPattern,
        position: impl Fn(usize) -> Option<(u32, Vector3<f64>)>,
        edges: f64,
    ) -> Result<Option<Self>, KrylovError> {
        let cells = Cells::new(pattern, position, edges);
        if cells.corner_count() as f64 > MOST_CORNERS * cells.block_count() as f64 {
            return Ok(None);
        }
        let galerkin = Galerkin::new(pattern, &cells);
        let coarse = galerkin.pattern(&cells);
        let corners = coarse.blocks();
        Ok(Some(Self {
            factor: BlockCholesky::new(&coarse, (0..corners).collect())?,
            matrix: SymmetricBlockMatrix::zeros(coarse),
            corners: vec![0.0; 3 * corners],
            cells,
            galerkin,
        }))
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
    /// After an error the grid is unusable until it is prepared again.
    ///
    /// # Panics
    /// If the matrix has another pattern, or an excluded block does not exist.
    #[track_caller]
    pub fn prepare(
        &mut self,
        matrix: &SymmetricBlockMatrix,
        excluded: impl IntoIterator<Item = u32>,
    ) -> Result<(), KrylovError> {
        let pattern = matrix.pattern();
        assert!(self.galerkin.is_of(pattern), "a matrix of another pattern");
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

    /// Computes `P (PᵀAP)⁻¹ Pᵀ r` and passes its entries to `out`, for all blocks with a position. The grid has to be
    /// [prepared](Self::prepare); otherwise the result has no meaning.
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

/// Does `work`, compiled for the processor at hand. Additions keep their order and are never fused: every processor
/// gets the same bits.
fn vectorized<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = pulp::x86::V3::try_new() {
        return avx2.vectorize(work);
    }
    work()
}
