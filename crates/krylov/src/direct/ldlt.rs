//! `P A Pᵀ = L D Lᵀ` of a sparse symmetric matrix whose pivots may have either sign, in a given order.

use crate::KrylovError;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::amd;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, SymbolicCholesky, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};
use nalgebra_sparse::CscMatrix;

use super::MOST_RIGHT_HAND_SIDES;

/// Operations per entry of the factor, relative to the threshold of `faer`, above which columns are factorised in dense
/// panels. Valid between a quarter and a half: above, KKT matrices of sheets lose speed; below, those of chains.
const PANELS_FROM: SupernodalThreshold = SupernodalThreshold(0.25);

/// Sparse `L D Lᵀ` with diagonal `D` and without pivoting, of matrices that share one pattern, given by their upper
/// triangle.
///
/// Any order works for a quasi-definite matrix `[H B; Bᵀ −C]`, `H` and `C` positive definite (Vanderbei 1995,
/// <https://doi.org/10.1137/0805005>). For other matrices, give an order in which no pivot vanishes.
pub struct SparseLdlt {
    symbolic: SymbolicCholesky<usize>,
    factor: Vec<f64>,
    entries: usize,
    unknowns: usize,
    scratch: MemBuffer,
}

impl SparseLdlt {
    /// Analyses the pattern of `upper` for elimination in the given order: `order[k]` is eliminated `k`th.
    ///
    /// # Errors
    /// [`KrylovError::TooLarge`] if the factor does not fit in memory.
    ///
    /// # Panics
    /// If `upper` is not square or `order` is not a permutation of its rows.
    #[track_caller]
    pub fn new(upper: &CscMatrix<f64>, order: &[usize]) -> Result<Self, KrylovError> {
        assert_eq!(upper.nrows(), upper.ncols(), "the matrix is square");
        let unknowns = upper.nrows();
        assert_eq!(order.len(), unknowns, "one place in the order per unknown");
        let mut inverse = vec![usize::MAX; unknowns];
        for (place, &unknown) in order.iter().enumerate() {
            inverse[unknown] = place;
        }
        let symbolic = factorize_symbolic_cholesky(
            pattern(upper),
            Side::Upper,
            SymmetricOrdering::Custom(PermRef::new_checked(order, &inverse, unknowns)),
            CholeskySymbolicParams {
                supernodal_flop_ratio_threshold: PANELS_FROM,
                ..CholeskySymbolicParams::default()
            },
        )
        .map_err(|_| KrylovError::TooLarge { unknowns })?;
        let numeric =
            symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, faer::Spec::default());
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

    /// Factorises the matrix with the upper triangle `upper`, of the pattern given to [`SparseLdlt::new`].
    ///
    /// # Errors
    /// [`KrylovError::SingularMatrix`] if a pivot is zero or an entry not finite.
    ///
    /// # Panics
    /// If the number of rows or of entries differs from that of the pattern.
    #[track_caller]
    pub fn factorize(&mut self, upper: &CscMatrix<f64>) -> Result<(), KrylovError> {
        assert_eq!(upper.nrows(), self.unknowns, "the same size as before");
        assert_eq!(upper.nnz(), self.entries, "the same pattern as before");
        let unknowns = self.unknowns;
        if unknowns == 0 {
            return Ok(());
        }
        if !upper.values().iter().all(|value| value.is_finite()) {
            return Err(KrylovError::SingularMatrix { unknowns });
        }
        self.symbolic
            .factorize_numeric_ldlt(
                &mut self.factor,
                SparseColMatRef::new(pattern(upper), upper.values()),
                Side::Upper,
                LdltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut self.scratch),
                faer::Spec::default(),
            )
            .map(|_| ())
            .map_err(|_| KrylovError::SingularMatrix { unknowns })
    }

    /// Replaces the columns of `x`, one after the other in memory, by `A⁻¹ x`. A matrix singular to rounding gives
    /// entries that are not finite, or far too large.
    ///
    /// # Panics
    /// If `x` does not hold whole columns, or more than [`MOST_RIGHT_HAND_SIDES`].
    #[track_caller]
    pub fn solve_in_place(&mut self, x: &mut [f64]) {
        if self.unknowns == 0 {
            return;
        }
        let columns = x.len() / self.unknowns;
        assert!(
            x.len() == columns * self.unknowns && columns <= MOST_RIGHT_HAND_SIDES,
            "whole columns, at most {MOST_RIGHT_HAND_SIDES}"
        );
        LdltRef::new(&self.symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, self.unknowns, columns),
            Par::Seq,
            MemStack::new(&mut self.scratch),
        );
    }
}

/// A fill-reducing order of elimination for matrices with the pattern of `upper`, by approximate minimum degree.
///
/// # Errors
/// [`KrylovError::TooLarge`] if the workspace does not fit in memory.
///
/// # Panics
/// If `upper` is not square.
#[track_caller]
pub fn minimum_degree_order(upper: &CscMatrix<f64>) -> Result<Vec<usize>, KrylovError> {
    assert_eq!(upper.nrows(), upper.ncols(), "the matrix is square");
    let unknowns = upper.nrows();
    let mut order = vec![0; unknowns];
    let mut inverse = vec![0; unknowns];
    let scratch = amd::order_scratch::<usize>(unknowns, upper.nnz());
    let mut buffer = MemBuffer::try_new(scratch).map_err(|_| KrylovError::TooLarge { unknowns })?;
    amd::order(
        &mut order,
        &mut inverse,
        pattern(upper),
        amd::Control::default(),
        MemStack::new(&mut buffer),
    )
    .map_err(|_| KrylovError::TooLarge { unknowns })?;
    Ok(order)
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
