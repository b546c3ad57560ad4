//! Block Gauss-Seidel on `A v = b + Ĵᵀf`; products with the triangles of `A` are kept from pass to pass.
//!
//! It shares no code with the sweep over contacts: blocks have no laws, and each belongs to both triangles.

use crate::{ContactError, ContactProblem};
use impinge_krylov::block::SymmetricBlockMatrix;
use nalgebra::{Matrix3, Vector3};

/// `A = Lo + D₃ + Up`, and the products of its triangles with the present velocity.
#[derive(Debug, Default)]
pub(super) struct BlockGaussSeidel {
    /// `D₃⁻¹`, one per block (1/kg).
    pub(super) inverse_diagonal: Vec<Matrix3<f64>>,
    /// `v`, one per block (m/s).
    pub(super) velocity: Vec<Vector3<f64>>,
    /// `Lo v` (N·s).
    lower: Vec<Vector3<f64>>,
    /// `Up v` (N·s).
    upper: Vec<Vector3<f64>>,
}

impl BlockGaussSeidel {
    /// Inverts the diagonal blocks and loads a velocity.
    pub(super) fn start(
        &mut self,
        problem: &ContactProblem,
        velocity: &[f64],
    ) -> Result<(), ContactError> {
        let momentum = &problem.momentum;
        self.inverse_diagonal.clear();
        for block in 0..momentum.blocks() {
            let inverse = momentum
                .diagonal_block(block)
                .cholesky()
                .map(|c| c.inverse());
            // A block with a positive diagonal may be indefinite.
            self.inverse_diagonal
                .push(inverse.ok_or(ContactError::SingularMomentum {
                    index: 3 * block,
                    value: momentum.diagonal_block(block).determinant(),
                })?);
        }
        self.velocity.clear();
        self.velocity
            .extend(velocity.chunks_exact(3).map(Vector3::from_column_slice));
        self.lower.resize(momentum.blocks(), Vector3::zeros());
        self.upper.resize(momentum.blocks(), Vector3::zeros());
        self.multiply_lower(momentum);
        self.multiply_upper(momentum);
        Ok(())
    }

    /// `Lo v`: half a product with `A`.
    fn multiply_lower(&mut self, momentum: &SymmetricBlockMatrix) {
        self.lower.fill(Vector3::zeros());
        for row in 0..momentum.blocks() {
            self.add_lower(momentum, row);
        }
    }

    /// Adds the part of `Lo v` due to one block.
    fn add_lower(&mut self, momentum: &SymmetricBlockMatrix, row: usize) {
        let pattern = momentum.pattern();
        for slot in pattern.row(row).skip(1) {
            let column = pattern.columns()[slot] as usize;
            self.lower[column] += momentum.block(slot).tr_mul(&self.velocity[row]);
        }
    }

    /// `Up v`: half a product with `A`.
    fn multiply_upper(&mut self, momentum: &SymmetricBlockMatrix) {
        for row in 0..momentum.blocks() {
            self.update_upper(momentum, row);
        }
    }

    /// `Up v` in one block.
    fn update_upper(&mut self, momentum: &SymmetricBlockMatrix, row: usize) {
        let pattern = momentum.pattern();
        let mut sum = Vector3::zeros();
        for slot in pattern.row(row).skip(1) {
            let column = pattern.columns()[slot] as usize;
            sum += momentum.block(slot) * self.velocity[column];
        }
        self.upper[row] = sum;
    }

    /// Solves one block for the present products.
    fn relax(&mut self, row: usize, impulse: Vector3<f64>) {
        let rest = impulse - self.lower[row] - self.upper[row];
        self.velocity[row] = self.inverse_diagonal[row] * rest;
    }

    /// `A v` in one block.
    pub(super) fn product(&self, momentum: &SymmetricBlockMatrix, block: usize) -> Vector3<f64> {
        self.lower[block]
            + self.upper[block]
            + momentum.diagonal_block(block) * self.velocity[block]
    }

    /// `v ← (D₃ + Lo)⁻¹(b + Ĵᵀf − Up v)` with `impulse = b + Ĵᵀf`: one product with `A`, its halves shared with
    /// [`product`](Self::product).
    pub(super) fn forwards(
        &mut self,
        momentum: &SymmetricBlockMatrix,
        impulse: impl Fn(usize) -> Vector3<f64>,
    ) {
        self.lower.fill(Vector3::zeros());
        for row in 0..momentum.blocks() {
            self.relax(row, impulse(row));
            self.add_lower(momentum, row);
        }
        self.multiply_upper(momentum);
    }

    /// `v ← (D₃ + Up)⁻¹(b + Ĵᵀf − Lo v)`.
    pub(super) fn backwards(
        &mut self,
        momentum: &SymmetricBlockMatrix,
        impulse: impl Fn(usize) -> Vector3<f64>,
    ) {
        for row in (0..momentum.blocks()).rev() {
            self.update_upper(momentum, row);
            self.relax(row, impulse(row));
        }
        self.multiply_lower(momentum);
    }
}
