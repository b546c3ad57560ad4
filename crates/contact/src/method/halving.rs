//! How long equalities are solved for before states are looked at again.
//!
//! A change of states throws away what the directions of conjugate residuals have learned. Where each look finds one, as among stiff or slender
//! bodies, the iteration begins anew every few steps, and what is left of it converges as steepest descent does: one solve of resting stiff
//! rings by the diagonal preconditioner took 2,494 iterations for 2,014 changes, 734 with this. The time since the residual was last halved
//! tells such a solve from a long one in good order, which the number of iterations does not.

/// Iterations with the same equalities over those since the residual was halved, before states are looked at again. Means of 26 problems of
/// stiff rings and 37 of tangled strings, `cr-diagonal`: 253 and 131 with a quarter, 211 and 147 with a half, 200 and 203 with one, 477 and
/// 318 without; `cr-full`, with a patience of 100: 44 and 52, 42 and 37, 145 and 83, 45 and 75.
pub(super) const REST: f64 = 0.5;

/// Most iterations of a rest: equalities that are not solved by then contradict each other, and may never be.
const MOST_REST: f64 = 100.0;

/// When the residual was last halved. It begins anew once equalities were solved: what they had come down to says nothing about others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Halving {
    norm: f64,
    iteration: u64,
}

impl Default for Halving {
    fn default() -> Self {
        Self::begin(0)
    }
}

impl Halving {
    /// Nothing is known yet after so many iterations of the solve.
    pub(super) fn begin(iteration: u64) -> Self {
        Self {
            norm: f64::INFINITY,
            iteration,
        }
    }

    /// Notes the residual `norm` after so many iterations of the solve.
    pub(super) fn note(&mut self, norm: f64, iteration: u64) {
        if norm < 0.5 * self.norm {
            *self = Self { norm, iteration };
        }
    }

    /// Iterations with the same equalities after which states may be looked at: `share` of those that the residual has not been halved in.
    #[expect(clippy::cast_sign_loss, reason = "a share is not negative")]
    pub(super) fn rest(self, share: f64, iteration: u64) -> u64 {
        let since = iteration.saturating_sub(self.iteration);
        (share * since as f64).min(MOST_REST) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What falls fast is looked at at once, what hardly falls ever later, and from a halved residual on at once again.
    #[test]
    fn the_rest_grows_until_the_residual_is_halved() {
        let mut halving = Halving::default();
        for (iteration, norm) in [(0, 8.0), (1, 3.9), (2, 1.9)] {
            halving.note(norm, iteration);
            assert_eq!(halving.rest(0.5, iteration), 0);
        }
        let rests: Vec<u64> = (3..13)
            .map(|iteration| {
                halving.note(1.0 + 1.0 / iteration as f64, iteration);
                halving.rest(0.5, iteration)
            })
            .collect();
        assert_eq!(rests, [0, 1, 1, 2, 2, 3, 3, 4, 4, 5]);
        // More than it was when last halved, as after a change of states, is not less than half of that.
        halving.note(30.0, 13);
        assert_eq!(halving.rest(0.5, 13), 5);
        halving.note(0.9, 14);
        assert_eq!(halving.rest(0.5, 14), 0);
        assert_eq!(Halving::begin(14).rest(0.5, 15), 0);
        assert_eq!(halving.rest(0.0, u64::MAX), 0);
        assert_eq!(halving.rest(0.5, u64::MAX), 100);
    }
}
