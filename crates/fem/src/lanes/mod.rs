//! Numbers, vectors and matrices of several elements at once: one element a lane.
//!
//! Every lane gets the bits that it would get alone, with any instructions and beside any others: the operations are
//! those of IEEE 754, never fused, and a lane that is done keeps its numbers. One lane is the scalar case.

mod matrix;
mod number;
#[cfg(test)]
mod tests;

pub(crate) use matrix::{Mat3, Vec3, cross, dot, minus, plus, scaled};
pub(crate) use number::{Lanes, Mask};

use pulp::{Scalar, Simd, WithSimd};

/// The most elements at once.
pub(crate) const LANES: usize = 4;

/// Runs work on four lanes where the processor has the instructions, else on one. All that the work calls in its loops
/// must be inlined into it.
#[inline]
pub(crate) fn on_lanes<W: WithSimd>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = pulp::x86::V3::try_new() {
        return Simd::vectorize(avx2, work);
    }
    Scalar.vectorize(work)
}
