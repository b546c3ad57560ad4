//! `P A Pᵀ = L D Lᵀ` of a sparse symmetric matrix whose pivots may have either sign, in a given order.

use super::setup::{Size, SymmetricSetup, pattern};
use crate::KrylovError;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::amd;
use faer::sparse::linalg::cholesky::{CholeskySymbolicParams, LdltRef, SymmetricOrdering};
use faer::{Conj, Par, Side};
use nalgebra_sparse::CscMatrix;

/// Operations per entry of the factor, relative to the threshold of `faer`, above which columns are factorised in dense
/// panels. Valid between a quarter and a half: above, KKT matrices of sheets lose speed; below, those of chains.
const PANELS_FROM: SupernodalThreshold = SupernodalThreshold(0.25);

/// Sparse `L D Lᵀ` with diagonal `D` and without pivoting, of matrices that share one pattern, given by their upper
/// triangle.
///
/// Any order works for a quasi-definite matrix `[H B; Bᵀ −C]`, `H` and `C` positive definite (Vanderbei 1995,
/// <https://doi.org/10.1137/0805005>). For other matrices, give an order in which no pivot vanishes.
pub struct SparseLdlt(SymmetricSetup);

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
        let unknowns = Size::of(upper).unknowns;
        assert_eq!(order.len(), unknowns, "one place in the order per unknown");
        let mut inverse = vec![usize::MAX; unknowns];
        for (place, &unknown) in order.iter().enumerate() {
            inverse[unknown] = place;
        }
        SymmetricSetup::new(
            upper,
            SymmetricOrdering::Custom(PermRef::new_checked(order, &inverse, unknowns)),
            CholeskySymbolicParams {
                supernodal_flop_ratio_threshold: PANELS_FROM,
                ..CholeskySymbolicParams::default()
            },
            |symbolic| {
                symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, faer::Spec::default())
            },
        )
        .map(Self)
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
        let setup = &mut self.0;
        let unknowns = setup.size.unknowns;
        let error = KrylovError::SingularMatrix { unknowns };
        let upper = setup.size.finite(upper).ok_or(error)?;
        if unknowns == 0 {
            return Ok(());
        }
        setup
            .symbolic
            .factorize_numeric_ldlt(
                &mut setup.factor,
                upper,
                Side::Upper,
                LdltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut setup.scratch),
                faer::Spec::default(),
            )
            .map(|_| ())
            .map_err(|_| error)
    }

    /// Replaces the columns of `x`, one after the other in memory, by `A⁻¹ x`. A matrix singular to rounding gives
    /// entries that are not finite, or far too large.
    ///
    /// # Panics
    /// If `x` does not hold whole columns, or more than [`MOST_RIGHT_HAND_SIDES`](super::MOST_RIGHT_HAND_SIDES).
    #[track_caller]
    pub fn solve_in_place(&mut self, x: &mut [f64]) {
        let setup = &mut self.0;
        if let Some(x) = setup.size.columns(x) {
            let stack = MemStack::new(&mut setup.scratch);
            let factor = LdltRef::new(&setup.symbolic, &setup.factor);
            factor.solve_in_place_with_conj(Conj::No, x, Par::Seq, stack);
        }
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
    let size = Size::of(upper);
    let mut order = vec![0; size.unknowns];
    let mut inverse = vec![0; size.unknowns];
    let scratch = amd::order_scratch::<usize>(size.unknowns, upper.nnz());
    let mut buffer = MemBuffer::try_new(scratch).map_err(|_| size.too_large())?;
    amd::order(
        &mut order,
        &mut inverse,
        pattern(upper),
        amd::Control::default(),
        MemStack::new(&mut buffer),
    )
    .map_err(|_| size.too_large())?;
    Ok(order)
}
