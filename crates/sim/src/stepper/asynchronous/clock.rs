//! Regular clocks.

/// A clock whose tick `k` is at `k h`, anchored at time 0 for ever.
///
/// Ticks are counted, never summed up, so that a clock does not drift, and one that was not looked at for a while is
/// where it would have been: pausing or shifting a clock destroys the energy behaviour of the integrator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// `h` (s), greater than 0.
    pub period: f64,
    /// `k` of the next tick.
    pub tick: u64,
}

impl Clock {
    /// The clock of this period (s) whose next tick is the first one after time 0.
    pub fn new(period: f64) -> Self {
        Self { period, tick: 1 }
    }

    /// Time of the next tick (s): one rounding.
    #[inline]
    pub fn due(&self) -> f64 {
        self.tick as f64 * self.period
    }

    /// Moves on to the first tick later than `now` (s).
    pub fn resume_after(&mut self, now: f64) {
        #[expect(clippy::cast_sign_loss, reason = "times are not negative")]
        let estimate = (now / self.period).floor() as u64;
        // The quotient is rounded; the times of the ticks decide.
        self.tick = estimate.saturating_sub(1);
        while self.due() <= now {
            self.tick += 1;
        }
    }
}

/// The longest period (s) of the form `base / 2^n` that is not longer than `limit`: equal periods can be batched, and ticks
/// of nested clocks coincide exactly.
pub fn nested_period(base: f64, limit: f64) -> f64 {
    let mut period = base;
    while period > limit && period > f64::MIN_POSITIVE {
        period *= 0.5;
    }
    period
}
