//! Peak memory of a piece of code.

#![expect(
    unsafe_code,
    reason = "an allocator that measures must implement an unsafe trait; it passes everything on to the system's"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator with a count of the bytes of each thread.
struct Meter;

/// Defined in this crate, not in each test program: incremental builds of a program may refer to one of its statics by
/// an outdated name.
#[global_allocator]
static METER: Meter = Meter;

thread_local! {
    /// Bytes allocated minus bytes freed by this thread; negative if it frees the memory of others.
    static HELD: Cell<i64> = const { Cell::new(0) };
    /// Largest value since the start of the measurement.
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

/// Runs `code` and returns the peak of the additional bytes of this thread. Measurements must not be nested.
///
/// ```
/// let (list, bytes) = impinge_damage::peak_memory(|| vec![0_u8; 1000]);
/// assert!(bytes >= list.len() && bytes < 2000);
/// ```
pub fn peak_memory<T>(code: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    PEAK.set(before);
    let result = code();
    (result, usize::try_from(PEAK.get() - before).unwrap_or(0))
}

fn add(bytes: usize) {
    let held = HELD.get().saturating_add_unsigned(bytes as u64);
    HELD.set(held);
    PEAK.set(PEAK.get().max(held));
}

fn take(bytes: usize) {
    HELD.set(HELD.get().saturating_sub_unsigned(bytes as u64));
}

// SAFETY: every call is passed on unchanged to the system's allocator, which keeps the contract.
unsafe impl GlobalAlloc for Meter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        take(layout.size());
        // SAFETY: `pointer` came from this allocator, that is from the system's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        take(layout.size());
        add(size);
        // SAFETY: as for `dealloc`; the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
