//! How much memory a piece of code holds at most.

#![expect(
    unsafe_code,
    reason = "an allocator that measures must implement an unsafe trait; it passes everything on to the system's"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, which notes what each thread holds.
struct Meter;

/// Here and not in each test program: what the compiler takes over from earlier builds of a program may refer to a
/// static of that program by a name that is no longer there.
#[global_allocator]
static METER: Meter = Meter;

thread_local! {
    /// Bytes that this thread has asked for less those that it gave back; below 0 where it frees those of others.
    static HELD: Cell<i64> = const { Cell::new(0) };
    /// The most of them since the measurement began.
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

/// Runs `code`; says how many bytes it held at most in this thread, beyond those that were held already. Measurements
/// must not be nested.
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
