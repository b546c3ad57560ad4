//! Block principal pivoting: the set of violated contact states that change together.

/// Updates (1) without fewer violated states after which only the worst state changes. The paper allows about 10.
const ATTEMPTS: u32 = 5;

/// Safeguard against cycles of states (block principal pivoting, Júdice & Pires 1994): all violated states change
/// together while their number falls, else the worst one alone.
///
/// One value serves one linear complementarity problem: its data, as the normal forces in that of friction, are
/// constant. The least number of violated states can fall only as often as there are states, and between two falls all
/// states change together at most `ATTEMPTS − 1` times. Júdice and Pires change the state with the largest index, which
/// terminates (Murty's rule) if every system is solved. Here updates come earlier and the worst state changes, which
/// takes fewer updates; termination is not proven, and the iteration limit bounds the solve.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockPivoting {
    fewest: usize,
    attempts: u32,
}

impl Default for BlockPivoting {
    fn default() -> Self {
        Self {
            fewest: usize::MAX,
            attempts: ATTEMPTS,
        }
    }
}

impl BlockPivoting {
    /// Whether only the worst of `violated` states may change in this update.
    pub(super) fn only_worst(&mut self, violated: usize) -> bool {
        if violated < self.fewest {
            (self.fewest, self.attempts) = (violated, ATTEMPTS);
            return false;
        }
        self.attempts = self.attempts.saturating_sub(1);
        self.attempts == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All change while their number falls, the worst alone after five updates without a fall, and all again after one.
    #[test]
    fn the_worst_changes_alone_only_where_the_number_does_not_fall() {
        let mut pivoting = BlockPivoting::default();
        let seen = [9, 7, 7, 8, 9, 7, 7, 8, 6, 6];
        let alone = seen.map(|violated| pivoting.only_worst(violated));
        let mut expected = [false; 10];
        expected[6] = true;
        expected[7] = true;
        assert_eq!(alone, expected);
    }
}
