//! Vector kernels with one rounding order, whatever the number of threads.
//!
//! A sum of floating-point numbers depends on the order of its additions. The reductions here cut their vectors into
//! fixed blocks of 1024 entries and add the partial sums along a binary tree that the *length* alone decides, so the
//! result has the same bits for any number of threads. Only long vectors are handled by several threads.

mod pieces;
mod reduce;
mod update;

pub use pieces::{for_pieces, sum_pieces};
pub use reduce::{dot, dot_pair, norm, norm_squared};
pub use update::{advance, axpy, scale, xpby};

/// Entries in a leaf of the tree of partial sums: eight kilobytes, which fit into the first-level cache.
const BLOCK: usize = 1024;

/// Least length for several threads: waking one costs some ten microseconds, about as much as two hundred thousand
/// entries.
const PARALLEL_LENGTH: usize = 200 * BLOCK;

/// Smallest piece for another thread.
const PARALLEL_PIECE: usize = 32 * BLOCK;

/// Cut of `length` entries into two parts that depends on the length alone: the left part is the largest power-of-two
/// number of blocks that leaves a nonempty right part.
fn cut(length: usize) -> usize {
    length.div_ceil(BLOCK).next_power_of_two() / 2 * BLOCK
}

/// Whether vectors of this length are handled by several threads, if there are several.
pub(crate) fn pays(length: usize) -> bool {
    length >= PARALLEL_LENGTH && rayon::current_num_threads() > 1
}
