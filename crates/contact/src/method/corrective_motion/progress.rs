//! Progress of corrections: whether another one is worth its free motion.

/// Number of corrections in a row without a new least residual that end a solve (1), 2 to 5. One such correction proves
/// nothing: contacts that change their states raise the residual for a while.
const FRUITLESS: u32 = 3;

/// The momentum residuals of the corrections of one solve.
#[derive(Debug)]
pub(super) struct Progress {
    /// The least residual so far (N·s).
    least: f64,
    /// Number of residuals since then.
    fruitless: u32,
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            least: f64::INFINITY,
            fruitless: 0,
        }
    }
}

impl Progress {
    /// Notes the `residual` after a correction; returns whether another one may reduce it.
    pub(super) fn goes_on(&mut self, residual: f64) -> bool {
        if residual < self.least {
            (self.least, self.fruitless) = (residual, 0);
        } else {
            self.fruitless += 1;
        }
        self.fruitless < FRUITLESS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of residuals that are noted before corrections end; `most` if they do not end before.
    fn noted(residual: impl Fn(i32) -> f64, most: i32) -> i32 {
        let mut progress = Progress::default();
        (1..most)
            .find(|&correction| !progress.goes_on(residual(correction)))
            .unwrap_or(most)
    }

    #[test]
    fn corrections_that_fall_in_the_end_go_on() {
        assert_eq!(noted(|k| 0.999_f64.powi(k), 100), 100);
        // Two of three corrections raise the residual.
        assert_eq!(
            noted(|k| 0.5_f64.powi(k / 3) * f64::from(k % 3 + 1), 100),
            100
        );
    }

    #[test]
    fn corrections_that_rise_or_stay_end() {
        assert_eq!(noted(|k| 2.0_f64.powi(k), 100), 4);
        assert_eq!(noted(|_| 1.0, 100), 4);
        assert_eq!(noted(|_| f64::NAN, 100), 3);
    }
}
