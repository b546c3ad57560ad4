//! Prediction back-off: the wait before the active set is predicted again within a solve.

/// Number of steps without a change of state after which the first prediction ends. Few are enough: the iteration
/// corrects the rest.
const QUIET_STEPS: u64 = 25;

/// Number of updates with changes after which the active set is predicted again.
const UPDATES: u32 = 8;

/// Growth of the quiet steps after each prediction whose active set changed again.
const GROWTH: u64 = 4;

/// Number of iterations that cost as much as one step of a long prediction with all its sweeps.
const COST: u64 = 4;

/// Active-set updates since the last prediction.
///
/// A prediction without a solution may be long. The iteration then gets as much time before the next one; otherwise
/// most of a solve of crushed bodies would be repeated predictions.
#[derive(Debug, Clone, Copy)]
pub(super) struct PredictionBackOff {
    /// Number of steps without a change of state that end the next prediction.
    pub(super) quiet_steps: u64,
    /// Number of updates with changes.
    updates: u32,
    /// First iteration at which the active set may be predicted again.
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
    /// Records a prediction from iteration `begin` to `end` without a solution.
    pub(super) fn predicted(&mut self, [begin, end]: [u64; 2]) {
        self.quiet_steps *= GROWTH;
        self.updates = 0;
        self.not_before = end + COST * (end - begin);
    }

    /// Counts an update with changes at `iteration`; returns whether to predict again.
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
