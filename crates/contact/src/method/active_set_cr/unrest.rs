//! When states that were anticipated have turned out not to last, and are anticipated anew.

/// Steps without a change of state after which the states are taken for found, at first.
const PATIENCE: u64 = 25;

/// Looks that changed states, after which they are anticipated anew.
const LOOKS: u32 = 8;

/// Growth of the patience with an anticipation whose states did not last.
const MORE_PATIENCE: u64 = 4;

/// Iterations that cost as much as a step of anticipation, with all its sweeps, where that is long.
const COST: u64 = 4;

/// What the states of a solve have done since they were last anticipated.
///
/// An anticipation that ended without an answer may have been a long one. The iteration gets as long before the next one: crushed
/// cubes took three times as long otherwise, nine tenths of it in anticipations of the same.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unrest {
    /// Steps without a change of state after which the next anticipation takes the states for found.
    pub(super) patience: u64,
    /// Looks that changed states.
    looks: u32,
    /// The iteration before which nothing is anticipated anew.
    not_before: u64,
}

impl Default for Unrest {
    fn default() -> Self {
        Self {
            patience: PATIENCE,
            looks: 0,
            not_before: 0,
        }
    }
}

impl Unrest {
    /// States were anticipated in the iterations from `begin` to `end`, without an answer.
    pub(super) fn anticipated(&mut self, [begin, end]: [u64; 2]) {
        self.patience *= MORE_PATIENCE;
        self.looks = 0;
        self.not_before = end + COST * (end - begin);
    }

    /// A look after so many iterations changed states: whether it is time to anticipate them anew.
    pub(super) fn is_due(&mut self, iteration: u64) -> bool {
        self.looks += 1;
        self.looks > LOOKS && iteration >= self.not_before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_anticipation_is_not_soon_repeated() {
        let mut unrest = Unrest::default();
        unrest.anticipated([0, 20]);
        let due = (21..1000).find(|&iteration| unrest.is_due(iteration));
        assert_eq!(due, Some(100), "four times as many");
        unrest.anticipated([100, 101]);
        let due = (102..1000).find(|&iteration| unrest.is_due(iteration));
        assert_eq!(due, Some(110), "nine looks");
        assert_eq!(unrest.patience, 16 * PATIENCE);
    }
}
