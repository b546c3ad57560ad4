//! The 3×3 diagonal blocks as preconditioner.

use nalgebra::{Cholesky, Matrix3};
use rayon::prelude::*;

use super::Preconditioner;
use crate::block::SymmetricBlockMatrix;
use crate::error::KrylovError;
use crate::vector;

/// `M` = the 3×3 diagonal blocks of a matrix.
///
/// Suited to nodes in space: unlike scalar Jacobi, it does not depend on the orientation of the axes.
#[derive(Clone, Debug, Default)]
pub struct BlockJacobi {
    inverses: Vec<Matrix3<f64>>,
}

impl BlockJacobi {
    /// Blocks per parallel task.
    const PIECE: usize = 8192;

    /// The preconditioner of a matrix.
    ///
    /// # Errors
    /// [`KrylovError::IndefiniteBlock`] if a diagonal block is not positive definite.
    pub fn new(matrix: &SymmetricBlockMatrix) -> Result<Self, KrylovError> {
        let mut block_jacobi = Self::default();
        block_jacobi.update(matrix)?;
        Ok(block_jacobi)
    }

    /// Takes the diagonal blocks of another matrix; allocates only to grow.
    ///
    /// # Errors
    /// [`KrylovError::IndefiniteBlock`] if a diagonal block is not positive definite. The preconditioner is then
    /// invalid until another update succeeds.
    pub fn update(&mut self, matrix: &SymmetricBlockMatrix) -> Result<(), KrylovError> {
        self.inverses.clear();
        for block in 0..matrix.blocks() {
            let inverse = positive_inverse(matrix.diagonal_block(block))
                .ok_or(KrylovError::IndefiniteBlock { block })?;
            self.inverses.push(inverse);
        }
        Ok(())
    }

    /// The inverse of each diagonal block.
    #[must_use]
    pub fn inverses(&self) -> &[Matrix3<f64>] {
        &self.inverses
    }
}

impl Preconditioner for BlockJacobi {
    fn apply(&self, r: &[f64], z: &mut [f64]) {
        let n = 3 * self.inverses.len();
        assert!(
            r.len() == n && z.len() == n,
            "vectors that do not fit {} blocks",
            self.inverses.len()
        );
        let (r, z) = (r.as_chunks().0, z.as_chunks_mut().0);
        if vector::pays(n) {
            z.par_chunks_mut(Self::PIECE)
                .zip(r.par_chunks(Self::PIECE))
                .zip(self.inverses.par_chunks(Self::PIECE))
                .for_each(|((z, r), inverses)| multiply_blocks(inverses, r, z));
        } else {
            multiply_blocks(&self.inverses, r, z);
        }
    }
}

fn multiply_blocks(blocks: &[Matrix3<f64>], x: &[[f64; 3]], y: &mut [[f64; 3]]) {
    for ((block, x), y) in blocks.iter().zip(x).zip(y) {
        let [c0, c1, c2] = &block.data.0;
        for k in 0..3 {
            y[k] = c0[k] * x[0] + c1[k] * x[1] + c2[k] * x[2];
        }
    }
}

/// The inverse of a block, exactly symmetric, or `None` if the block is not positive definite.
fn positive_inverse(block: &Matrix3<f64>) -> Option<Matrix3<f64>> {
    let inverse = Cholesky::new(*block)?.inverse();
    let inverse = (inverse + inverse.transpose()) * 0.5;
    inverse
        .iter()
        .all(|entry| entry.is_finite())
        .then_some(inverse)
}
