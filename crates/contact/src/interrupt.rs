//! An external request to stop while a method iterates.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag for another thread or a signal handler to raise; clones share it. The default flag is shared with nobody.
///
/// Methods check it once per iteration and then end as at their iteration limit: the solution holds the last iterate. A
/// check is one relaxed load.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Requests the stop; returns whether it was requested already.
    pub fn raise(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }

    /// Whether a stop is requested.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
