//! Wall clock of the stages.

use std::time::Instant;

/// Measures the durations of consecutive stages.
pub(super) struct Clock(Instant);

impl Clock {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    /// Seconds since the last call.
    pub(super) fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let seconds = (now - self.0).as_secs_f64();
        self.0 = now;
        seconds
    }
}
