//! Restart delay: the number of iterations without active-set update after a change. Stagnation: a residual that does
//! not halve for long.
//!
//! A change of the active set invalidates the directions of conjugate residuals. If every update finds a change, as
//! among stiff or slender bodies, the iteration restarts every few steps and converges no faster than steepest descent.
//! The time since the residual was last halved detects such a solve. The number of iterations does not: a long solve
//! may be healthy.

/// Delay over the iterations since the residual was last halved (1). A change then costs at most half of the progress.
/// Values from 0.25 to 1 serve.
pub(super) const SHARE: f64 = 0.5;

/// Length of a plateau (iterations), 33 to 50: a residual that has not halved by then stagnates, and the system may be
/// inconsistent. Shorter plateaus are part of healthy solves.
pub(super) const PLATEAU: u64 = 50;

/// Iterations between two active-set updates at a residual over its tolerance of `excess`: `max(1, ⌊log₂(excess)/3⌋)`.
#[expect(clippy::cast_sign_loss, reason = "the interval is at least 1")]
pub(super) fn update_interval(excess: f64) -> u64 {
    (excess.log2() / 3.0).max(1.0) as u64
}

/// The time since the residual last halved. It begins again with another linear system, for which the residual of the
/// last one has no meaning.
#[derive(Debug, Clone, Copy)]
pub(super) struct RestartDelay {
    norm: f64,
    iteration: u64,
}

impl Default for RestartDelay {
    fn default() -> Self {
        Self::begin(0)
    }
}

impl RestartDelay {
    /// Starts at `iteration` of the solve.
    pub(super) fn begin(iteration: u64) -> Self {
        Self {
            norm: f64::INFINITY,
            iteration,
        }
    }

    /// Records the residual `norm` at `iteration` of the solve.
    pub(super) fn note(&mut self, norm: f64, iteration: u64) {
        if norm < 0.5 * self.norm {
            *self = Self { norm, iteration };
        }
    }

    /// Whether the residual has not halved in [`PLATEAU`] iterations.
    pub(super) fn stagnates(self, iteration: u64) -> bool {
        self.iterations(1.0, iteration) >= PLATEAU
    }

    /// Iterations without an update after a change: `share` of those since the residual was last halved.
    #[expect(clippy::cast_sign_loss, reason = "a share is not negative")]
    pub(super) fn iterations(self, share: f64, iteration: u64) -> u64 {
        let since = iteration.saturating_sub(self.iteration);
        (share * since as f64).min(PLATEAU as f64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slow convergence is no stagnation, oscillation is.
    #[test]
    fn a_residual_that_is_never_halved_stagnates() {
        let first = |norm: fn(u64) -> f64| {
            let mut delay = RestartDelay::begin(0);
            (1..=1000).find(|&iteration| {
                delay.note(norm(iteration), iteration);
                delay.stagnates(iteration)
            })
        };
        assert_eq!(first(|k| (k as f64 * 0.975_f64.ln()).exp()), None);
        let zigzag = |k: u64| if k.is_multiple_of(2) { 1.0 } else { 1.9 };
        assert_eq!(first(zigzag), Some(PLATEAU + 1));
    }

    /// A fast residual is checked at once, a slow one after ever longer delays, and after it has halved at once again.
    #[test]
    fn the_rest_grows_until_the_residual_is_halved() {
        let mut delay = RestartDelay::default();
        for (iteration, norm) in [(0, 8.0), (1, 3.9), (2, 1.9)] {
            delay.note(norm, iteration);
            assert_eq!(delay.iterations(0.5, iteration), 0);
        }
        let delays: Vec<u64> = (3..13)
            .map(|iteration| {
                delay.note(1.0 + 1.0 / iteration as f64, iteration);
                delay.iterations(0.5, iteration)
            })
            .collect();
        assert_eq!(delays, [0, 1, 1, 2, 2, 3, 3, 4, 4, 5]);
        // A residual above the last halved one, as after a change of states, has not halved.
        delay.note(30.0, 13);
        assert_eq!(delay.iterations(0.5, 13), 5);
        delay.note(0.9, 14);
        assert_eq!(delay.iterations(0.5, 14), 0);
        assert_eq!(RestartDelay::begin(14).iterations(0.5, 15), 0);
        assert_eq!(delay.iterations(0.0, u64::MAX), 0);
        assert_eq!(delay.iterations(0.5, u64::MAX), PLATEAU);
    }
}
