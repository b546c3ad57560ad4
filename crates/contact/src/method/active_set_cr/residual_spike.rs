//! Residual-spike guard: no active-set update while the residual is far above its best value.

/// Residual over its least value above which states are not updated. Values from 1.5 to 10 serve; without a bound a
/// single long step can change thousands of states.
const SPIKE: f64 = 3.0;

/// The least residual since the active set last changed.
///
/// Conjugate residuals with an indefinite preconditioner minimise no norm. If `(C⁻¹Bp)ᵀBp` is close to zero, one step
/// is hundreds of times too long, and the next steps undo it. An update in between would change thousands of states,
/// and the active set would be far from the solution.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResidualSpikeGuard {
    least: f64,
}

impl Default for ResidualSpikeGuard {
    fn default() -> Self {
        Self {
            least: f64::INFINITY,
        }
    }
}

impl ResidualSpikeGuard {
    /// Records the residual `norm`, `since_restart` iterations after a restart.
    pub(super) fn note(&mut self, norm: f64, since_restart: u64) {
        self.least = if since_restart == 0 {
            norm
        } else {
            self.least.min(norm)
        };
    }

    /// Whether states may be updated at the residual `norm`.
    pub(super) fn allows(self, norm: f64) -> bool {
        norm <= SPIKE * self.least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A high residual blocks updates until it has fallen again; a new active set resets the guard.
    #[test]
    fn updates_wait_until_the_residual_has_fallen() {
        let mut spike_guard = ResidualSpikeGuard::default();
        let mut since_restart = 0..;
        let seen = [4.0, 1.0, 2.5, 700.0, 4.0, 2.9].map(|norm| {
            spike_guard.note(norm, since_restart.next().unwrap_or_default());
            spike_guard.allows(norm)
        });
        assert_eq!(seen, [true, true, true, false, false, true]);
        spike_guard.note(700.0, 0);
        assert!(spike_guard.allows(2000.0));
        assert!(!spike_guard.allows(f64::NAN));
    }
}
