//! Direct factorisations against dense ones.

use super::common::{Numbers, ROUNDING, patterns, random_matrix};
use impinge_krylov::KrylovError;
use impinge_krylov::direct::{
    BlockCholesky, SolveScratch, SparseCholesky, SparseLu, singular_values,
};
use nalgebra::{DMatrix, DVector};
use nalgebra_sparse::CscMatrix;
use proptest::prelude::*;

/// Diagonal shift that makes a random matrix of `blocks` block rows positive definite: above every row sum.
fn dominant(pairs: usize) -> f64 {
    6.0 * (pairs as f64 + 2.0)
}

fn upper(matrix: &CscMatrix<f64>) -> CscMatrix<f64> {
    matrix.upper_triangle()
}

/// `‖A x − b‖` over the sizes involved.
fn defect(a: &DMatrix<f64>, x: &[f64], b: &[f64]) -> f64 {
    let (x, b) = (DVector::from_column_slice(x), DVector::from_column_slice(b));
    (a * &x - &b).norm() / (a.norm() * x.norm() + b.norm())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn solutions_satisfy_their_equations_also_after_new_values((blocks, pairs, seed) in patterns(12)) {
        let shift = dominant(pairs.len());
        let first = random_matrix(blocks, pairs.clone(), seed, shift);
        let second = random_matrix(blocks, pairs, seed ^ 1, 2.0 * shift);
        let csc = |m: &impinge_krylov::SymmetricBlockMatrix| CscMatrix::from(&DMatrix::from(&m.to_csr()));
        // Both have the same stored pattern, as no entry is zero.
        let (first, second) = (csc(&first), csc(&second));
        let mut cholesky = SparseCholesky::new(&upper(&first)).expect("small");
        let mut lu = SparseLu::new(&first).expect("small");
        let b = Numbers::new(seed).vector(9 * blocks);
        let n = 3 * blocks;
        for matrix in [&first, &second] {
            let dense = DMatrix::from(matrix);
            cholesky.factorize(&upper(matrix)).expect("positive definite");
            let mut x = b.clone();
            cholesky.solve_in_place(&mut x);
            for column in 0..3 {
                let range = column * n..(column + 1) * n;
                prop_assert!(defect(&dense, &x[range.clone()], &b[range]) < ROUNDING);
            }
            lu.factorize(matrix).expect("regular");
            let mut x = b[..n].to_vec();
            lu.solve_in_place(&mut x);
            prop_assert!(defect(&dense, &x, &b[..n]) < ROUNDING);
        }
    }

    #[test]
    fn lu_needs_no_symmetry(seed in any::<u64>(), n in 1_usize..12) {
        let mut numbers = Numbers::new(seed);
        let dense = DMatrix::from_fn(n, n, |i, k| numbers.number() + if i == k { 4.0 } else { 0.0 });
        let b = numbers.vector(n);
        let sparse = CscMatrix::from(&dense);
        let mut lu = SparseLu::new(&sparse).expect("small");
        lu.factorize(&sparse).expect("regular");
        let mut x = b.clone();
        lu.solve_in_place(&mut x);
        prop_assert!(defect(&dense, &x, &b) < ROUNDING);
    }

    #[test]
    fn singular_values_have_the_norm_and_the_rank(seed in any::<u64>(), n in 2_usize..9) {
        let mut numbers = Numbers::new(seed);
        let thin = DMatrix::from_fn(n, n - 1, |_, _| numbers.number());
        let gram = &thin * thin.transpose();
        let values = singular_values(&gram).expect("finite");
        prop_assert!(values.windows(2).all(|w| w[0] >= w[1]));
        let norm = values.iter().map(|s| s * s).sum::<f64>().sqrt();
        prop_assert!((norm - gram.norm()).abs() < ROUNDING * norm);
        prop_assert!(values[n - 1] < ROUNDING * values[0]);
    }
}

#[test]
fn singular_matrices_are_rejected() {
    let indefinite = DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 1.0]);
    let triangle = upper(&CscMatrix::from(&indefinite));
    let mut cholesky = SparseCholesky::new(&triangle).expect("small");
    assert_eq!(
        cholesky.factorize(&triangle),
        Err(KrylovError::NotPositiveDefinite { unknowns: 2 })
    );
    let mut broken = triangle.clone();
    broken.values_mut()[0] = f64::NAN;
    assert_eq!(
        cholesky.factorize(&broken),
        Err(KrylovError::NotPositiveDefinite { unknowns: 2 })
    );
    let mut lu = SparseLu::new(&broken).expect("small");
    assert_eq!(
        lu.factorize(&broken),
        Err(KrylovError::SingularMatrix { unknowns: 2 })
    );
    assert_eq!(
        singular_values(&DMatrix::from_element(2, 2, f64::NAN)),
        None
    );
    assert_eq!(singular_values(&DMatrix::zeros(0, 0)), Some(Vec::new()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Some blocks of a matrix are solved as if there were no others, also with shared factors.
    #[test]
    fn blocks_are_factorised_without_the_others((blocks, pairs, seed) in patterns(12), every in 1_usize..4) {
        let matrix = random_matrix(blocks, pairs.clone(), seed, dominant(pairs.len()));
        let some: Vec<usize> = (0..blocks).step_by(every).collect();
        let mut factors = BlockCholesky::new(matrix.pattern(), some.clone()).expect("small");
        factors.factorize(&matrix).expect("positive definite");
        let whole = DMatrix::from(&matrix.to_csr());
        let rows: Vec<usize> = some.iter().flat_map(|b| 3 * b..3 * b + 3).collect();
        let part = whole.select_rows(&rows).select_columns(&rows);
        let b = Numbers::new(seed).vector(rows.len());
        let mut x = b.clone();
        let mut scratch = SolveScratch::default();
        factors.solve_with(&mut x, &mut scratch);
        prop_assert!(defect(&part, &x, &b) < ROUNDING);
        let mut again = b.clone();
        factors.solve_in_place(&mut again);
        prop_assert_eq!(x, again);
    }
}
