//! Whether the iteration still gets anywhere with its equalities.

/// Iterations in which the residual has to halve. Anything from 25 to 200 serves random over-determined rows alike; with 50
/// one solve among stiff rings took a tenth more.
const WINDOW: u64 = 100;

/// The least residual since the equalities were last changed, and how long it has not been halved.
///
/// An indefinite preconditioner minimises nothing. Where rows nearly contradict each other `(C⁻¹Bp)ᵀBp` may pass close
/// to zero, one step is hundreds of times too long, and what rounding leaves of the next directions sends the residual up
/// and down for ever, with steps of negative length, after which states are not looked at either.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stall {
    least: f64,
    since: u64,
}

impl Stall {
    /// Whether the residual `norm`, so many iterations after a restart, has not been halved for too long.
    pub(super) fn seen(&mut self, norm: f64, since_restart: u64) -> bool {
        if since_restart <= 1 || norm < 0.5 * self.least {
            (self.least, self.since) = (norm, 0);
        } else {
            self.since += 1;
        }
        self.since >= WINDOW
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slow is not stalled, up and down is, and a restart begins anew.
    #[test]
    fn a_residual_that_is_never_halved_is_a_stall() {
        let mut slow = Stall::default();
        let norms = (1..=1000).map(|k| 0.99_f64.powi(k));
        assert!(norms.zip(1..).all(|(norm, k)| !slow.seen(norm, k)));
        let mut stall = Stall::default();
        let zigzag = |k: u64| if k.is_multiple_of(2) { 1.0 } else { 1.9 };
        let first = (1..=1000).find(|&k| stall.seen(zigzag(k), k));
        assert_eq!(first, Some(WINDOW + 1));
        assert!(!stall.seen(1.0, 1));
    }
}
