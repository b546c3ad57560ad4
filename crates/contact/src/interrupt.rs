//! A request to stop that comes from outside while a method iterates.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that another thread or a signal raises; clones share it. The default is one that nobody else has.
///
/// Methods look at it once an iteration and then end as at their iteration limit: the solution holds the last iterate.
/// One look is a relaxed load, a nanosecond or so.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks for an end; whether that was asked for already.
    pub fn raise(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }

    /// Whether an end is asked for.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
