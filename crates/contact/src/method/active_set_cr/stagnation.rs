//! Stagnation test: the residual of a fixed active set has stopped falling.

use crate::method::restart_delay::LONGEST;

/// The least residual since the active set last changed, and the number of iterations since it last halved.
///
/// Conjugate residuals with an indefinite preconditioner minimise no norm. If rows nearly conflict, `(C⁻¹Bp)ᵀBp` may be
/// close to zero. One step is then hundreds of times too long, and rounding errors in the following directions make the
/// residual oscillate, by steps of negative length. States would then never be updated.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StagnationTest {
    least: f64,
    since: u64,
}

impl StagnationTest {
    /// Whether the residual `norm`, `since_restart` iterations after a restart, has not halved in [`LONGEST`]
    /// iterations.
    pub(super) fn detects(&mut self, norm: f64, since_restart: u64) -> bool {
        if since_restart <= 1 || norm < 0.5 * self.least {
            (self.least, self.since) = (norm, 0);
        } else {
            self.since += 1;
        }
        self.since >= LONGEST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slow convergence is no stagnation, oscillation is, and a restart resets the test.
    #[test]
    fn a_residual_that_is_never_halved_is_a_stall() {
        let mut slow = StagnationTest::default();
        let norms = (1..=1000).map(|k| 0.99_f64.powi(k));
        assert!(norms.zip(1..).all(|(norm, k)| !slow.detects(norm, k)));
        let mut stagnation = StagnationTest::default();
        let zigzag = |k: u64| if k.is_multiple_of(2) { 1.0 } else { 1.9 };
        let first = (1..=1000).find(|&k| stagnation.detects(zigzag(k), k));
        assert_eq!(first, Some(LONGEST + 1));
        assert!(!stagnation.detects(1.0, 1));
    }
}
