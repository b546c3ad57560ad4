//! Prediction and conjugate residuals take turns: when one gives way to the other.

/// Number of iterations after which the first turn is judged for the first time, 10 to 100: both iterations have
/// plateaus of this length.
const FIRST_JUDGEMENT: u64 = 25;

/// Residuals of one turn.
///
/// A turn goes on while it halves its residual in as many iterations as it took before. It is judged for the first time
/// when it is as long as the turn before it. So turns get longer, and the worse of both iterations costs about as much
/// as the better one, whichever that is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    /// Number of iterations so far.
    length: u64,
    /// Number of iterations at the next judgement.
    judged_at: u64,
    /// Residual at the last judgement (N·s).
    norm: f64,
}

impl Default for Turn {
    fn default() -> Self {
        Self {
            length: 0,
            judged_at: FIRST_JUDGEMENT,
            norm: f64::INFINITY,
        }
    }
}

impl Turn {
    /// The turn after this one.
    pub(super) fn next(self) -> Self {
        Self {
            judged_at: self.length.max(FIRST_JUDGEMENT),
            ..Self::default()
        }
    }

    /// Counts an iteration that led to the residual `norm`; returns whether the turn should end.
    pub(super) fn stagnates(&mut self, norm: f64) -> bool {
        self.length += 1;
        if self.length < self.judged_at {
            return false;
        }
        let halved = norm < 0.5 * self.norm;
        self.norm = norm;
        self.judged_at = 2 * self.length;
        !halved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of iterations of a turn with these residuals.
    fn length(turn: &mut Turn, norm: impl Fn(i32) -> f64) -> u64 {
        let end = (1..=10_000).find(|&k| turn.stagnates(norm(k)));
        end.map_or(u64::MAX, |end| end.unsigned_abs().into())
    }

    #[test]
    fn a_turn_lasts_while_its_residual_halves_in_ever_more_iterations() {
        let mut turn = Turn::default();
        assert_eq!(length(&mut turn, |k| 0.97_f64.powi(k)), u64::MAX);
        assert_eq!(length(&mut Turn::default(), |_| 1.0), 2 * FIRST_JUDGEMENT);
        // Nothing is left to halve.
        assert_eq!(length(&mut Turn::default(), |_| 0.0), 2 * FIRST_JUDGEMENT);
        let floor = |k: i32| 0.9_f64.powi(k).max(1e-4);
        assert_eq!(length(&mut Turn::default(), floor), 8 * FIRST_JUDGEMENT);
    }

    #[test]
    fn the_next_turn_is_longer() {
        let mut turn = Turn::default();
        for doubled in [50, 100, 200, 400] {
            assert_eq!(length(&mut turn, |_| 1.0), doubled);
            turn = turn.next();
        }
    }
}
