//! Sums and arrays whose bits do not depend on the number of threads.

use std::ops::Range;

/// Elements per task: some 100 µs of work, so that the cost of a fork is negligible.
pub(super) const LEAF: usize = 512;

/// Combines the results of fixed pieces of `range` in a fixed binary tree; the pieces are computed in parallel.
pub(super) fn reduce<T: Send>(
    range: Range<usize>,
    leaf: &(impl Fn(Range<usize>) -> T + Sync),
    combine: &(impl Fn(T, T) -> T + Sync),
) -> T {
    if range.len() <= LEAF {
        return leaf(range);
    }
    let middle = range.start + range.len() / 2;
    let (left, right) = rayon::join(
        || reduce(range.start..middle, leaf, combine),
        || reduce(middle..range.end, leaf, combine),
    );
    combine(left, right)
}

/// Writes `of(first + i)` to entry `i` of `values`, in parallel.
pub(super) fn fill<T: Send>(values: &mut [T], first: usize, of: &(impl Fn(usize) -> T + Sync)) {
    fill_pieces(values, first, &|first, piece: &mut [T]| {
        for (index, value) in (first..).zip(piece) {
            *value = of(index);
        }
    });
}

/// Lets `of` write fixed pieces of `values`, each with the index of its first entry, in parallel.
pub(super) fn fill_pieces<T: Send>(
    values: &mut [T],
    first: usize,
    of: &(impl Fn(usize, &mut [T]) + Sync),
) {
    if values.len() <= LEAF {
        of(first, values);
        return;
    }
    let middle = values.len() / 2;
    let (left, right) = values.split_at_mut(middle);
    rayon::join(
        || fill_pieces(left, first, of),
        || fill_pieces(right, first + middle, of),
    );
}
