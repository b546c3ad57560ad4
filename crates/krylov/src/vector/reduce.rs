//! Reductions: dot products and norms.

use super::{BLOCK, PARALLEL_PIECE, cut, pays};

/// Independent running sums in a block: enough to hide the latency of an addition.
const LANES: usize = 8;

/// The dot product `a · b`.
///
/// # Panics
/// If the lengths differ.
#[must_use]
#[track_caller]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "dot product of vectors of unequal length");
    tree_dot(a, b, pays(a.len()))
}

/// The two dot products `a · b` and `a · c` in one pass over `a`.
///
/// Each has the bits that [`dot`] returns.
///
/// # Panics
/// If the lengths differ.
#[must_use]
#[track_caller]
pub fn dot_pair(a: &[f64], b: &[f64], c: &[f64]) -> (f64, f64) {
    assert!(
        a.len() == b.len() && a.len() == c.len(),
        "dot products of vectors of unequal length"
    );
    tree_dot_pair(a, b, c, pays(a.len()))
}

/// The square of the Euclidean norm, `a · a`.
#[must_use]
pub fn norm_squared(a: &[f64]) -> f64 {
    dot(a, a)
}

/// The Euclidean norm `‖a‖`.
///
/// Without scaling: entries beyond about 1e154 in magnitude overflow to infinity.
#[must_use]
pub fn norm(a: &[f64]) -> f64 {
    norm_squared(a).sqrt()
}

fn tree_dot(a: &[f64], b: &[f64], parallel: bool) -> f64 {
    if a.len() <= BLOCK {
        return block_dot(a, b);
    }
    let middle = cut(a.len());
    let (a0, a1) = a.split_at(middle);
    let (b0, b1) = b.split_at(middle);
    let (left, right) = if parallel && a.len() > PARALLEL_PIECE {
        rayon::join(|| tree_dot(a0, b0, true), || tree_dot(a1, b1, true))
    } else {
        (tree_dot(a0, b0, false), tree_dot(a1, b1, false))
    };
    left + right
}

fn tree_dot_pair(a: &[f64], b: &[f64], c: &[f64], parallel: bool) -> (f64, f64) {
    if a.len() <= BLOCK {
        return (block_dot(a, b), block_dot(a, c));
    }
    let middle = cut(a.len());
    let (a0, a1) = a.split_at(middle);
    let (b0, b1) = b.split_at(middle);
    let (c0, c1) = c.split_at(middle);
    let (left, right) = if parallel && a.len() > PARALLEL_PIECE {
        rayon::join(
            || tree_dot_pair(a0, b0, c0, true),
            || tree_dot_pair(a1, b1, c1, true),
        )
    } else {
        (
            tree_dot_pair(a0, b0, c0, false),
            tree_dot_pair(a1, b1, c1, false),
        )
    };
    (left.0 + right.0, left.1 + right.1)
}

/// The dot product of at most one block, by eight running sums added pairwise.
pub(super) fn block_dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_lanes, a_rest) = a.as_chunks::<LANES>();
    let (b_lanes, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a_lanes.iter().zip(b_lanes) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let mut rest = 0.0;
    for (a, b) in a_rest.iter().zip(b_rest) {
        rest += a * b;
    }
    let low = (sums[0] + sums[4]) + (sums[2] + sums[6]);
    let high = (sums[1] + sums[5]) + (sums[3] + sums[7]);
    (low + high) + rest
}
