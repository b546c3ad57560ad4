//! Common set-up of the sparse factors: pattern, symbolic factorisation, memory.

use crate::KrylovError;
use faer::dyn_stack::{MemBuffer, StackReq};
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{MatMut, Par, Side};
use nalgebra_sparse::CscMatrix;

/// Most right-hand sides of one solve: the factor is read once for all of them.
pub const MOST_RIGHT_HAND_SIDES: usize = 8;

/// Size of the matrices of one factor, which share their pattern.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub(super) unknowns: usize,
    entries: usize,
}

impl Size {
    #[track_caller]
    pub(super) fn of(matrix: &CscMatrix<f64>) -> Self {
        assert_eq!(matrix.nrows(), matrix.ncols(), "the matrix is square");
        Self {
            unknowns: matrix.nrows(),
            entries: matrix.nnz(),
        }
    }

    /// `matrix` in the form of `faer`; `None` if an entry is not finite.
    #[track_caller]
    pub(super) fn finite(self, matrix: &CscMatrix<f64>) -> Option<SparseColMatRef<'_, usize, f64>> {
        assert_eq!(
            matrix.nrows(),
            self.unknowns,
            "the size of the pattern that was ordered"
        );
        assert_eq!(
            matrix.nnz(),
            self.entries,
            "the entries of the pattern that was ordered"
        );
        let finite = matrix.values().iter().all(|value| value.is_finite());
        finite.then(|| SparseColMatRef::new(pattern(matrix), matrix.values()))
    }

    /// Memory for a numeric factorisation and for solves.
    pub(super) fn scratch(
        self,
        numeric: StackReq,
        solve: StackReq,
    ) -> Result<MemBuffer, KrylovError> {
        MemBuffer::try_new(numeric.or(solve)).map_err(|_| self.too_large())
    }

    pub(super) fn too_large(self) -> KrylovError {
        let unknowns = self.unknowns;
        KrylovError::TooLarge { unknowns }
    }

    /// The right-hand sides in `x` as columns; `None` for a matrix without rows.
    #[track_caller]
    pub(super) fn columns(self, x: &mut [f64]) -> Option<MatMut<'_, f64>> {
        let columns = x.len().checked_div(self.unknowns)?;
        assert!(
            x.len() == columns * self.unknowns && columns <= MOST_RIGHT_HAND_SIDES,
            "whole columns, at most {MOST_RIGHT_HAND_SIDES}"
        );
        Some(MatMut::from_column_major_slice_mut(
            x,
            self.unknowns,
            columns,
        ))
    }
}

/// Symbolic factorisation of a symmetric matrix, with memory for the numeric one.
pub(super) struct SymmetricSetup {
    pub(super) size: Size,
    pub(super) symbolic: SymbolicCholesky<usize>,
    pub(super) factor: Vec<f64>,
    pub(super) scratch: MemBuffer,
}

impl SymmetricSetup {
    /// Set-up for matrices with the pattern of `upper`; `numeric` is the memory that their factorisation needs.
    #[track_caller]
    pub(super) fn new(
        upper: &CscMatrix<f64>,
        ordering: SymmetricOrdering<'_, usize>,
        parameters: CholeskySymbolicParams<'_>,
        numeric: impl FnOnce(&SymbolicCholesky<usize>) -> StackReq,
    ) -> Result<Self, KrylovError> {
        let size = Size::of(upper);
        let symbolic =
            factorize_symbolic_cholesky(pattern(upper), Side::Upper, ordering, parameters)
                .map_err(|_| size.too_large())?;
        let solve = symbolic.solve_in_place_scratch::<f64>(MOST_RIGHT_HAND_SIDES, Par::Seq);
        Ok(Self {
            scratch: size.scratch(numeric(&symbolic), solve)?,
            factor: vec![0.0; symbolic.len_val()],
            symbolic,
            size,
        })
    }
}

pub(super) fn pattern(matrix: &CscMatrix<f64>) -> SymbolicSparseColMatRef<'_, usize> {
    SymbolicSparseColMatRef::new_checked(
        matrix.nrows(),
        matrix.ncols(),
        matrix.col_offsets(),
        None,
        matrix.row_indices(),
    )
}
