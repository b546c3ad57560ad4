//! Phases of prediction and of conjugate residuals alternate: when one gives way to the other.

use crate::method::restart_delay::PLATEAU;

/// Residuals of one phase.
///
/// A phase continues while it halves its least residual in as many iterations as it took before. It is measured first
/// when it is as long as the phase before it, so it is at least twice as long. Where residuals fall by a constant
/// factor an iteration, the slower of both then costs about as much as the faster one, whichever that is. The first
/// phase is measured after [`PLATEAU`] iterations, since both iterations have plateaus.
#[derive(Debug, Clone, Copy)]
pub(super) struct Phase {
    /// Number of iterations so far.
    length: u64,
    /// Number of iterations at the next measurement.
    measured_at: u64,
    /// Least residual (N·s), and what it was at the last measurement.
    least: f64,
    least_when_measured: f64,
    /// Whether the last measurement found it not halved.
    is_over: bool,
}

impl Default for Phase {
    fn default() -> Self {
        Self {
            length: 0,
            measured_at: PLATEAU,
            least: f64::INFINITY,
            least_when_measured: f64::INFINITY,
            is_over: false,
        }
    }
}

impl Phase {
    /// The phase after this one.
    pub(super) fn next(self) -> Self {
        Self {
            measured_at: self.length.max(PLATEAU),
            ..Self::default()
        }
    }

    /// Counts an iteration that led to the residual `norm`.
    pub(super) fn note(&mut self, norm: f64) {
        self.length += 1;
        // Single iterations may lead to far larger residuals.
        self.least = self.least.min(norm);
        if self.length == self.measured_at {
            let is_first = self.least_when_measured.is_infinite();
            self.is_over = !is_first && self.least >= 0.5 * self.least_when_measured;
            self.least_when_measured = self.least;
            self.measured_at = 2 * self.length;
        }
    }

    /// Whether the other iteration should take over.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of iterations of a phase with these residuals.
    fn length(phase: &mut Phase, norm: impl Fn(i32) -> f64) -> u64 {
        let end = (1..=10_000).find(|&k| {
            phase.note(norm(k));
            phase.is_over()
        });
        end.map_or(u64::MAX, |end| end.unsigned_abs().into())
    }

    #[test]
    fn a_phase_lasts_while_its_residual_halves_in_ever_more_iterations() {
        let mut phase = Phase::default();
        assert_eq!(length(&mut phase, |k| 0.97_f64.powi(k)), u64::MAX);
        assert_eq!(length(&mut Phase::default(), |_| 1.0), 2 * PLATEAU);
        // Nothing is left to halve.
        assert_eq!(length(&mut Phase::default(), |_| 0.0), 2 * PLATEAU);
        let floor = |k: i32| 0.9_f64.powi(k).max(1e-8);
        assert_eq!(length(&mut Phase::default(), floor), 8 * PLATEAU);
    }

    /// A residual that is large for one iteration ends no phase, and one that is small for one prolongs it once.
    #[test]
    fn single_residuals_hardly_count() {
        let spiked = |k: i32| 0.97_f64.powi(k) * if k % PLATEAU as i32 == 0 { 1e3 } else { 1.0 };
        assert_eq!(length(&mut Phase::default(), spiked), u64::MAX);
        let lucky = |k: i32| if k == PLATEAU as i32 + 10 { 1e-6 } else { 1.0 };
        assert_eq!(length(&mut Phase::default(), lucky), 4 * PLATEAU);
    }

    #[test]
    fn the_next_phase_is_longer() {
        let mut phase = Phase::default();
        for doubled in [2, 4, 8, 16].map(|times| times * PLATEAU) {
            assert_eq!(length(&mut phase, |_| 1.0), doubled);
            phase = phase.next();
        }
    }
}
