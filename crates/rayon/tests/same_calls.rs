//! The calls that impinge uses, with the same results on many threads and on one.

use impinge_rayon::prelude::*;

#[test]
fn items_keep_their_order() {
    let numbers: Vec<u32> = (0..10_000).collect();
    let kept: Vec<u32> = (numbers.par_iter().with_min_len(16))
        .filter(|x| **x % 3 == 0)
        .copied()
        .collect();
    let expected: Vec<u32> = (0..10_000).step_by(3).collect();
    assert_eq!(kept, expected);

    let mut extended = vec![7];
    extended.par_extend((0..4u32).into_par_iter().flat_map_iter(|x| 0..x));
    assert_eq!(extended, [7, 0, 0, 1, 0, 1, 2]);

    let mut placed = Vec::new();
    (numbers.par_iter().zip(&expected).enumerate())
        .map(|(i, (a, b))| i as u32 + a + b)
        .collect_into_vec(&mut placed);
    assert_eq!(placed.len(), expected.len());
    assert!((0..).zip(&placed).all(|(i, sum)| *sum == 5 * i));
}

#[test]
fn the_first_item_that_counts_is_found() {
    let numbers: Vec<u32> = (0..10_000).collect();
    assert_eq!(numbers.par_iter().position_first(|x| *x > 41), Some(42));
    let root = |x: u32| (x * x > 100).then_some(x);
    assert_eq!((0..500u32).into_par_iter().find_map_first(root), Some(11));
    assert!(!numbers.par_iter().all(|x| *x < 9_999));
}

#[test]
fn reductions_see_every_item() {
    let largest = (0..1000u64).into_par_iter().reduce(|| 0, u64::max);
    assert_eq!(largest, 999);
    let none: Option<u64> = (0..0u64).into_par_iter().reduce_with(u64::max);
    assert_eq!(none, None);
    let (odd, halves): (Vec<bool>, Vec<u64>) = (0..4u64)
        .into_par_iter()
        .map(|x| (x % 2 == 1, x / 2))
        .unzip();
    assert_eq!(
        (odd, halves),
        (vec![false, true, false, true], vec![0, 0, 1, 1])
    );
}

#[test]
fn slices_change_in_pieces() {
    let mut values = vec![0; 10];
    (values.par_chunks_mut(3).enumerate()).for_each(|(i, piece)| piece.fill(i));
    assert_eq!(values, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3]);
    values
        .par_chunks_exact_mut(3)
        .for_each(|piece| piece[0] = 9);
    assert_eq!(values, [9, 0, 0, 9, 1, 1, 9, 2, 2, 3]);
    values.par_sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(values[..3], [9; 3]);
}

#[test]
fn both_sides_of_a_join_run() {
    let pool = impinge_rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .unwrap();
    let both = pool.install(|| impinge_rayon::join(|| 1, || "two"));
    assert_eq!(both, (1, "two"));
    assert_eq!(impinge_rayon::scope(|_| 3), 3);
    let threads = pool.current_num_threads();
    assert_eq!(threads, if cfg!(feature = "parallel") { 2 } else { 1 });
}
