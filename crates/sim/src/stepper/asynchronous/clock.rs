//! Regular clocks.

/// A clock with tick `k` at `k h`, anchored at time 0.
///
/// Ticks are counted, not summed, so that a clock has no drift and keeps its phase while it is inactive. Pausing or
/// shifting a clock would destroy the energy behaviour of the integrator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// `h` (s), positive.
    pub period: f64,
    /// `k` of the next tick.
    pub tick: u64,
}

impl Clock {
    /// A clock of this period (s) with its first tick after time 0.
    pub fn new(period: f64) -> Self {
        Self { period, tick: 1 }
    }

    /// Time of the next tick (s), with a single rounding.
    #[inline]
    pub fn due(&self) -> f64 {
        self.tick as f64 * self.period
    }

    /// Advances to the first tick after `now` (s).
    pub fn resume_after(&mut self, now: f64) {
        #[expect(clippy::cast_sign_loss, reason = "times are not negative")]
        let estimate = (now / self.period).floor() as u64;
        // The quotient is rounded; compare the times of the ticks.
        self.tick = estimate.saturating_sub(1);
        while self.due() <= now {
            self.tick += 1;
        }
    }
}

/// The longest period (s) of the form `base / 2^n` up to `limit`. Equal periods can be batched, and ticks of nested
/// clocks coincide exactly.
pub fn nested_period(base: f64, limit: f64) -> f64 {
    let mut period = base;
    while period > limit && period > f64::MIN_POSITIVE {
        period *= 0.5;
    }
    period
}
