//! Prediction back-off: when the active set is predicted again within a solve.

/// Steps without a change of state after which the first prediction ends (1). Few: the iteration corrects the rest.
const QUIET_STEPS: u64 = 25;

/// Updates with changes after which the active set is predicted again (1).
const UPDATES: u32 = 8;

/// Growth of the quiet steps with each prediction that did not last (1).
const GROWTH: u64 = 4;

/// Iterations that cost as much as one step of a long prediction with all its sweeps (1).
const COST: u64 = 4;

/// Active-set updates since the last prediction.
///
/// A prediction without an answer may have been long. The iteration then gets as much time before the next one, else
/// crushed bodies spend most of a solve on repeated predictions.
#[derive(Debug, Clone, Copy)]
pub(super) struct PredictionBackOff {
    /// Steps without a change of state that end the next prediction.
    pub(super) quiet_steps: u64,
    /// Updates with changes.
    updates: u32,
    /// The iteration before which nothing is predicted.
    not_before: u64,
}

impl Default for PredictionBackOff {
    fn default() -> Self {
        Self {
            quiet_steps: QUIET_STEPS,
            updates: 0,
            not_before: 0,
        }
    }
}

impl PredictionBackOff {
    /// A prediction took the iterations from `begin` to `end` and gave no answer.
    pub(super) fn predicted(&mut self, [begin, end]: [u64; 2]) {
        self.quiet_steps *= GROWTH;
        self.updates = 0;
        self.not_before = end + COST * (end - begin);
    }

    /// Counts an update with changes after so many iterations; whether to predict again.
    pub(super) fn is_due(&mut self, iteration: u64) -> bool {
        self.updates += 1;
        self.updates > UPDATES && iteration >= self.not_before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_prediction_is_not_soon_repeated() {
        let mut back_off = PredictionBackOff::default();
        back_off.predicted([0, 20]);
        let due = (21..1000).find(|&iteration| back_off.is_due(iteration));
        assert_eq!(due, Some(100), "four times as many");
        back_off.predicted([100, 101]);
        let due = (102..1000).find(|&iteration| back_off.is_due(iteration));
        assert_eq!(due, Some(110), "nine updates");
        assert_eq!(back_off.quiet_steps, 16 * QUIET_STEPS);
    }
}
