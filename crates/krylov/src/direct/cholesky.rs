//! `P A Pᵀ = L Lᵀ` of a sparse positive definite matrix; the ordering is kept between factorisations.

use super::setup::{MOST_RIGHT_HAND_SIDES, Size, SymmetricSetup};
use crate::KrylovError;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{CholeskySymbolicParams, LltRef, SymmetricOrdering};
use faer::{Conj, Par, Side};
use nalgebra_sparse::CscMatrix;

/// Sparse Cholesky factorisation of matrices that share one pattern, given by their upper triangle.
///
/// The symbolic part is done once; [`SparseCholesky::factorize`] may be called again for other values.
pub struct SparseCholesky(SymmetricSetup);

/// Scratch for solves with shared factors: [`SparseCholesky::solve_with`].
///
/// One value serves factors of any size, one after the other; it grows to the need of the largest.
#[derive(Default)]
pub struct SolveScratch {
    buffer: Option<MemBuffer>,
    bytes: usize,
}

impl SparseCholesky {
    /// Orders the unknowns of `upper` by approximate minimum degree. Only its pattern matters.
    ///
    /// # Errors
    /// [`KrylovError::TooLarge`] if the factor does not fit in memory.
    ///
    /// # Panics
    /// If `upper` is not square.
    #[track_caller]
    pub fn new(upper: &CscMatrix<f64>) -> Result<Self, KrylovError> {
        SymmetricSetup::new(
            upper,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
            |symbolic| {
                symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, faer::Spec::default())
            },
        )
        .map(Self)
    }

    /// Factorises the matrix with the upper triangle `upper`, of the pattern given to [`SparseCholesky::new`].
    ///
    /// # Errors
    /// [`KrylovError::NotPositiveDefinite`] if a pivot is not positive or an entry not finite.
    ///
    /// # Panics
    /// If the number of rows or of entries differs from that of the pattern.
    #[track_caller]
    pub fn factorize(&mut self, upper: &CscMatrix<f64>) -> Result<(), KrylovError> {
        let setup = &mut self.0;
        let unknowns = setup.size.unknowns;
        let error = KrylovError::NotPositiveDefinite { unknowns };
        let upper = setup.size.finite(upper).ok_or(error)?;
        if unknowns == 0 {
            return Ok(());
        }
        setup
            .symbolic
            .factorize_numeric_llt(
                &mut setup.factor,
                upper,
                Side::Upper,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut setup.scratch),
                faer::Spec::default(),
            )
            .map(|_| ())
            .map_err(|_| error)
    }

    /// Replaces the columns of `x`, one after the other in memory, by `A⁻¹ x`.
    ///
    /// # Panics
    /// If `x` does not hold whole columns, or more than [`MOST_RIGHT_HAND_SIDES`].
    #[track_caller]
    pub fn solve_in_place(&mut self, x: &mut [f64]) {
        let setup = &mut self.0;
        let factor = LltRef::new(&setup.symbolic, &setup.factor);
        solve(setup.size, factor, x, &mut setup.scratch);
    }

    /// [`solve_in_place`](Self::solve_in_place) for shared factors.
    ///
    /// # Panics
    /// As [`solve_in_place`](Self::solve_in_place).
    #[track_caller]
    pub fn solve_with(&self, x: &mut [f64], scratch: &mut SolveScratch) {
        let (size, symbolic) = (self.0.size, &self.0.symbolic);
        let need = symbolic.solve_in_place_scratch::<f64>(MOST_RIGHT_HAND_SIDES, Par::Seq);
        let factor = LltRef::new(symbolic, &self.0.factor);
        match &mut scratch.buffer {
            Some(buffer) if need.size_bytes() <= scratch.bytes => solve(size, factor, x, buffer),
            grown => {
                scratch.bytes = need.size_bytes();
                solve(size, factor, x, grown.insert(MemBuffer::new(need)));
            }
        }
    }
}

#[track_caller]
fn solve(size: Size, factor: LltRef<'_, usize, f64>, x: &mut [f64], scratch: &mut MemBuffer) {
    if let Some(x) = size.columns(x) {
        factor.solve_in_place_with_conj(Conj::No, x, Par::Seq, MemStack::new(scratch));
    }
}
