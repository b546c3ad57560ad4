//! `P A Q = L U` of a sparse square matrix; its fill-reducing ordering is kept between factorisations.

use crate::KrylovError;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::lu::{
    LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par};
use nalgebra_sparse::CscMatrix;

/// Sparse LU with partial pivoting of matrices that share one pattern.
///
/// The symbolic part is done once; [`SparseLu::factorize`] may be called again for other values.
pub struct SparseLu {
    symbolic: SymbolicLu<usize>,
    numeric: NumericLu<usize, f64>,
    entries: usize,
    unknowns: usize,
    scratch: MemBuffer,
}

impl SparseLu {
    /// Orders the columns of `matrix` to keep the factors sparse. Only its pattern matters.
    ///
    /// # Errors
    /// [`KrylovError::TooLarge`] if the factors' structure does not fit in memory.
    ///
    /// # Panics
    /// If `matrix` is not square.
    #[track_caller]
    pub fn new(matrix: &CscMatrix<f64>) -> Result<Self, KrylovError> {
        assert_eq!(matrix.nrows(), matrix.ncols(), "the matrix is square");
        let unknowns = matrix.nrows();
        let too_large = |_| KrylovError::TooLarge { unknowns };
        let symbolic = factorize_symbolic_lu(pattern(matrix), LuSymbolicParams::default())
            .map_err(too_large)?;
        let numeric = symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, faer::Spec::default());
        let solve = symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
        let scratch = MemBuffer::try_new(numeric.or(solve))
            .map_err(|_| KrylovError::TooLarge { unknowns })?;
        Ok(Self {
            symbolic,
            numeric: NumericLu::new(),
            entries: matrix.nnz(),
            unknowns,
            scratch,
        })
    }

    /// Factorises `matrix`, which has the pattern given to [`SparseLu::new`].
    ///
    /// # Errors
    /// [`KrylovError::SingularMatrix`] if a column has no usable pivot or an entry is not finite.
    ///
    /// # Panics
    /// If the number of rows or of entries differs from that of the pattern.
    #[track_caller]
    pub fn factorize(&mut self, matrix: &CscMatrix<f64>) -> Result<(), KrylovError> {
        assert_eq!(matrix.nrows(), self.unknowns, "the same size as before");
        assert_eq!(matrix.nnz(), self.entries, "the same pattern as before");
        let unknowns = self.unknowns;
        if !matrix.values().iter().all(|value| value.is_finite()) {
            return Err(KrylovError::SingularMatrix { unknowns });
        }
        let values = SparseColMatRef::new(pattern(matrix), matrix.values());
        self.symbolic
            .factorize_numeric_lu(
                &mut self.numeric,
                values,
                Par::Seq,
                MemStack::new(&mut self.scratch),
                faer::Spec::default(),
            )
            .map(|_| ())
            .map_err(|_| KrylovError::SingularMatrix { unknowns })
    }

    /// Replaces `x` by `A⁻¹ x`. A matrix singular to rounding gives entries that are not finite.
    ///
    /// # Panics
    /// If `x` is not as long as the matrix has rows, or nothing has been factorised.
    #[track_caller]
    pub fn solve_in_place(&mut self, x: &mut [f64]) {
        assert_eq!(x.len(), self.unknowns, "one entry per unknown");
        if x.is_empty() {
            return;
        }
        LuRef::new_unchecked(&self.symbolic, &self.numeric).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, self.unknowns, 1),
            Par::Seq,
            MemStack::new(&mut self.scratch),
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
