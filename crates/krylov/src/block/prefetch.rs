//! Prefetch of blocks.
//!
//! A product uses blocks faster than the hardware prefetcher loads them, as that stops at the end of every page of four
//! kilobytes. A hint one page ahead raises the bandwidth of large products; no result depends on it.

use nalgebra::Matrix3;

/// Bytes to look ahead: one page. Half and double that serve about as well.
const AHEAD: usize = 4096;

/// Hints that the memory one page behind `block` is read soon.
#[inline]
pub(super) fn look_ahead(block: &Matrix3<f64>) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let first = std::ptr::from_ref(block)
            .wrapping_byte_add(AHEAD)
            .cast::<i8>();
        let last = first.wrapping_add(size_of_val(block) - 1);
        #[expect(
            unsafe_code,
            reason = "the intrinsic takes a pointer, which is never dereferenced: the instruction ignores addresses \
                      that are not mapped, raises no fault, and every x86-64 processor has it."
        )]
        unsafe {
            // A block of 72 bytes lies on two cache lines.
            _mm_prefetch::<_MM_HINT_T0>(first);
            _mm_prefetch::<_MM_HINT_T0>(last);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = block;
}
