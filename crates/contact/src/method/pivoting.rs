//! Which of the violated contact states change together.

/// Looks at which the number of violated states does not fall, after which only the worst one changes.
const ATTEMPTS: u32 = 5;

/// Safeguard against states that change in circles (block principal pivoting, Júdice & Pires 1994): all violated states
/// change together while that keeps lowering their number, else the worst alone.
///
/// One value serves one linear complementarity problem: what the states depend on besides each other, as normal forces
/// on those of friction, stays as it is. The least number of violated states can fall only as often as there are states,
/// and without its falling all change together at most `ATTEMPTS − 1` times more. So from some look on either nothing is violated
/// or the worst changes alone, until fewer are violated than ever. Júdice and Pires let the one with the largest index change then,
/// which is proven to end (Murty's rule) if every look is at solved equalities; here looks come earlier, and the worst
/// takes fewer of them. So what is certain is that this is never a longer walk than one change at a time from where the last look
/// for all led; that walk itself ends by experience, and else by the limit of the solve.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pivoting {
    fewest: usize,
    attempts: u32,
}

impl Default for Pivoting {
    fn default() -> Self {
        Self {
            fewest: usize::MAX,
            attempts: ATTEMPTS,
        }
    }
}

impl Pivoting {
    /// Whether only the worst of so many violated states may change this time.
    pub(super) fn alone(&mut self, violated: usize) -> bool {
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

    /// All change while their number falls, the worst alone after five looks at which it did not, and all again once it has.
    #[test]
    fn the_worst_changes_alone_only_where_the_number_does_not_fall() {
        let mut pivoting = Pivoting::default();
        let seen = [9, 7, 7, 8, 9, 7, 7, 8, 6, 6];
        let alone = seen.map(|violated| pivoting.alone(violated));
        let mut expected = [false; 10];
        expected[6] = true;
        expected[7] = true;
        assert_eq!(alone, expected);
    }
}
