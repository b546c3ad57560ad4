//! Vector kernels with one rounding order, whatever the number of threads.
//!
//! A sum of floating-point numbers depends on the order of its additions. The reductions here cut their vectors into
//! fixed blocks of 1024 entries and add the partial sums along a binary tree that the *length* alone decides, so the
//! result has the same bits on one thread and on forty. Threads are used only for vectors long enough to repay them.

mod pieces;
mod reduce;
mod update;

pub use pieces::{for_pieces, sum_pieces};
pub use reduce::{dot, dot_pair, maximum_magnitude, norm, norm_squared};
pub use update::{advance, axpy, scale, xpby};

/// Entries summed in one go before the tree of partial sums starts: eight kilobytes, which stay in the first cache.
const BLOCK: usize = 1024;

/// Vectors shorter than this are handled by the calling thread: waking another one costs some ten microseconds, which
/// is about what two hundred thousand entries take.
const PARALLEL_LENGTH: usize = 200 * BLOCK;

/// Smallest piece that is handed to another thread.
const PARALLEL_PIECE: usize = 32 * BLOCK;

/// Where to cut `length` entries in two so that the tree depends on the length alone: the left part is the largest
/// power-of-two number of blocks that leaves something on the right.
fn cut(length: usize) -> usize {
    length.div_ceil(BLOCK).next_power_of_two() / 2 * BLOCK
}

/// Whether a vector of this length is worth several threads, where there are several.
pub(crate) fn pays(length: usize) -> bool {
    length >= PARALLEL_LENGTH && rayon::current_num_threads() > 1
}
