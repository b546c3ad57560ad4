//! The block matrix against a dense one.

use super::{blocks_of, pile};
use crate::support::cases;
use impinge_contact::delassus::{BlockRows, FrictionError};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use proptest::prelude::*;

fn dense(w: &BlockRows) -> DMatrix<f64> {
    let csc = w.to_csc();
    let mut out = DMatrix::zeros(csc.nrows(), csc.ncols());
    for (row, column, value) in csc.triplet_iter() {
        out[(row, column)] += value;
    }
    out
}

proptest! {
    #![proptest_config(cases(50))]

    #[test]
    fn scalars_and_products_are_those_of_the_blocks(problem in pile()) {
        let w = problem.delassus();
        let as_dense = dense(w);
        prop_assert_eq!(&blocks_of(&as_dense), w);
        let x = problem.free_velocity();
        let mut y = vec![Vector3::zeros(); x.len()];
        w.multiply_into(x, &mut y);
        let flat = DVector::from_iterator(3 * x.len(), x.iter().flat_map(|x| [x.x, x.y, x.z]));
        let expected = as_dense * flat;
        for (row, y) in y.iter().enumerate() {
            prop_assert!((y - expected.fixed_rows::<3>(3 * row)).amax() < 1e-12);
        }
    }

    #[test]
    fn symmetric_part_is_symmetric_and_keeps_the_quadratic_form(problem in pile()) {
        let mut skewed = dense(problem.delassus());
        let rows = skewed.nrows();
        skewed[(rows - 1, 0)] += 0.5;
        let part = dense(&blocks_of(&skewed).symmetric_part());
        prop_assert_eq!(&part, &part.transpose());
        prop_assert!((part - 0.5 * (&skewed + skewed.transpose())).amax() < 1e-14);
    }
}

#[test]
fn missing_diagonal_blocks_are_zero_and_order_does_not_matter() {
    let one = Matrix3::identity();
    let w = BlockRows::from_triplets(3, vec![(2, 0, one), (0, 0, 2.0 * one), (0, 2, one)])
        .expect("every place once");
    assert_eq!(w.stored(), 5);
    assert_eq!(*w.diagonal(1), Matrix3::zeros());
    assert_eq!(*w.diagonal(0), 2.0 * one);
    assert_eq!(w.row(2).0, &[0, 2]);
}

#[test]
fn places_outside_or_named_twice_are_refused() {
    let one = Matrix3::identity();
    assert_eq!(
        BlockRows::from_triplets(2, vec![(0, 2, one)]),
        Err(FrictionError::BlockOutside {
            row: 0,
            column: 2,
            size: 2
        })
    );
    assert_eq!(
        BlockRows::from_triplets(2, vec![(1, 1, one), (0, 0, one), (1, 1, one)]),
        Err(FrictionError::DuplicateBlock { row: 1, column: 1 })
    );
}
