//! `P A Pᵀ = L Lᵀ` of a sparse positive definite matrix; the ordering is kept between factorisations.

use crate::KrylovError;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};
use nalgebra_sparse::CscMatrix;

/// Most right-hand sides of one solve: the factor is read once for all of them.
pub const MOST_RIGHT_HAND_SIDES: usize = 8;

/// Sparse Cholesky factorisation of matrices that share one pattern, given by their upper triangle.
///
/// The symbolic part is done once; [`SparseCholesky::factorize`] may be called again for other values.
pub struct SparseCholesky {
    symbolic: SymbolicCholesky<usize>,
    factor: Vec<f64>,
    entries: usize,
    unknowns: usize,
    scratch: MemBuffer,
}

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
        assert_eq!(upper.nrows(), upper.ncols(), "the matrix is square");
        let unknowns = upper.nrows();
        let symbolic = factorize_symbolic_cholesky(
            pattern(upper),
            Side::Upper,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        )
        .map_err(|_| KrylovError::TooLarge { unknowns })?;
        let numeric =
            symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, faer::Spec::default());
        let solve = symbolic.solve_in_place_scratch::<f64>(MOST_RIGHT_HAND_SIDES, Par::Seq);
        let scratch = MemBuffer::try_new(numeric.or(solve))
            .map_err(|_| KrylovError::TooLarge { unknowns })?;
        Ok(Self {
            factor: vec![0.0; symbolic.len_val()],
            symbolic,
            entries: upper.nnz(),
            unknowns,
            scratch,
        })
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
        assert_eq!(upper.nrows(), self.unknowns, "the same size as before");
        assert_eq!(upper.nnz(), self.entries, "the same pattern as before");
        let unknowns = self.unknowns;
        if !upper.values().iter().all(|value| value.is_finite()) {
            return Err(KrylovError::NotPositiveDefinite { unknowns });
        }
        self.symbolic
            .factorize_numeric_llt(
                &mut self.factor,
                SparseColMatRef::new(pattern(upper), upper.values()),
                Side::Upper,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut self.scratch),
                faer::Spec::default(),
            )
            .map(|_| ())
            .map_err(|_| KrylovError::NotPositiveDefinite { unknowns })
    }

    /// Replaces the columns of `x`, one after the other in memory, by `A⁻¹ x`.
    ///
    /// # Panics
    /// If `x` does not hold whole columns, or more than [`MOST_RIGHT_HAND_SIDES`].
    #[track_caller]
    pub fn solve_in_place(&mut self, x: &mut [f64]) {
        let factor = Factor {
            symbolic: &self.symbolic,
            values: &self.factor,
            unknowns: self.unknowns,
        };
        factor.solve(x, &mut self.scratch);
    }

    /// [`solve_in_place`](Self::solve_in_place) for shared factors.
    ///
    /// # Panics
    /// As [`solve_in_place`](Self::solve_in_place).
    #[track_caller]
    pub fn solve_with(&self, x: &mut [f64], scratch: &mut SolveScratch) {
        let need = self
            .symbolic
            .solve_in_place_scratch::<f64>(MOST_RIGHT_HAND_SIDES, Par::Seq);
        let factor = Factor {
            symbolic: &self.symbolic,
            values: &self.factor,
            unknowns: self.unknowns,
        };
        match &mut scratch.buffer {
            Some(buffer) if need.size_bytes() <= scratch.bytes => factor.solve(x, buffer),
            grown => {
                scratch.bytes = need.size_bytes();
                factor.solve(x, grown.insert(MemBuffer::new(need)));
            }
        }
    }
}

/// The factor as a solve reads it.
struct Factor<'a> {
    symbolic: &'a SymbolicCholesky<usize>,
    values: &'a [f64],
    unknowns: usize,
}

impl Factor<'_> {
    #[track_caller]
    fn solve(&self, x: &mut [f64], scratch: &mut MemBuffer) {
        if self.unknowns == 0 {
            return;
        }
        let columns = x.len() / self.unknowns;
        assert!(
            x.len() == columns * self.unknowns && columns <= MOST_RIGHT_HAND_SIDES,
            "whole columns, at most {MOST_RIGHT_HAND_SIDES}"
        );
        LltRef::new(self.symbolic, self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, self.unknowns, columns),
            Par::Seq,
            MemStack::new(scratch),
        );
    }
}

fn pattern(matrix: &CscMatrix<f64>) -> SymbolicSparseColMatRef<'_, usize> {
    SymbolicSparseColMatRef::new_checked(
        matrix.nrows(),
        matrix.ncols(),
        matrix.col_offsets(),
        None,
        matrix.row_indices(),
    )
}
