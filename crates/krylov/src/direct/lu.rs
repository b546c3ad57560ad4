//! `P A Q = L U` of a sparse square matrix; its fill-reducing ordering is kept between factorisations.

use super::setup::{Size, pattern};
use crate::KrylovError;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::lu::{
    LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu,
};
use faer::{Conj, Par};
use nalgebra_sparse::CscMatrix;

/// Sparse LU with partial pivoting of matrices that share one pattern.
///
/// The symbolic part is done once; [`SparseLu::factorize`] may be called again for other values.
pub struct SparseLu {
    symbolic: SymbolicLu<usize>,
    numeric: NumericLu<usize, f64>,
    size: Size,
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
        let size = Size::of(matrix);
        let symbolic = factorize_symbolic_lu(pattern(matrix), LuSymbolicParams::default())
            .map_err(|_| size.too_large())?;
        let numeric = symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, faer::Spec::default());
        let solve = symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
        Ok(Self {
            symbolic,
            numeric: NumericLu::new(),
            size,
            scratch: size.scratch(numeric, solve)?,
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
        let unknowns = self.size.unknowns;
        let error = KrylovError::SingularMatrix { unknowns };
        self.symbolic
            .factorize_numeric_lu(
                &mut self.numeric,
                self.size.finite(matrix).ok_or(error)?,
                Par::Seq,
                MemStack::new(&mut self.scratch),
                faer::Spec::default(),
            )
            .map(|_| ())
            .map_err(|_| error)
    }

    /// Replaces `x` by `A⁻¹ x`. A matrix singular to rounding gives entries that are not finite.
    ///
    /// # Panics
    /// If `x` is not as long as the matrix has rows, or nothing has been factorised.
    #[track_caller]
    pub fn solve_in_place(&mut self, x: &mut [f64]) {
        assert_eq!(x.len(), self.size.unknowns, "one entry per unknown");
        if let Some(x) = self.size.columns(x) {
            LuRef::new_unchecked(&self.symbolic, &self.numeric).solve_in_place_with_conj(
                Conj::No,
                x,
                Par::Seq,
                MemStack::new(&mut self.scratch),
            );
        }
    }
}
