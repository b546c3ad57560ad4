//! Residual-spike guard: no active-set update while the residual is far above its best value.

/// Residual over its least value (1) above which states are not updated. Values from 1.5 to 10 serve; without a bound a
/// single long step changes thousands of states.
const SPIKE: f64 = 3.0;

/// The least residual since the active set last changed.
///
/// An indefinite preconditioner minimises nothing: where `(C⁻¹Bp)ᵀBp` is close to zero, one step is hundreds of times
/// too long, and the next steps take it back. States that are updated in between change by the thousand, and the active
/// set is then far from the answer.
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
    /// Notes the residual `norm` after `since_restart` iterations with the same active set.
    pub(super) fn note(&mut self, norm: f64, since_restart: u64) {
        self.least = if since_restart == 0 {
            norm
        } else {
            self.least.min(norm)
        };
    }

    /// Whether states may be updated where the residual is `norm`.
    pub(super) fn allows(self, norm: f64) -> bool {
        norm <= SPIKE * self.least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A risen residual blocks updates until it has fallen again; another active set resets the guard.
    #[test]
    fn only_what_has_come_down_again_is_looked_at() {
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
