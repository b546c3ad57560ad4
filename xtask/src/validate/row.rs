//! One comparison with theory, and its verdict on the program.

use std::fmt::Write as _;

/// Bound on the difference between a value and its expectation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Within {
    /// In units of the expected value.
    Relative(f64),
    /// In the unit of the figure.
    Absolute(f64),
}

/// Verdict of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The value is within its bound.
    Holds,
    /// The value is outside its bound: the program is wrong.
    Broken,
    /// The value is outside its bound, as is known.
    Known,
    /// A known failure is within its bound: the row must become a guarantee.
    Promote,
    /// The row is void: its expectation or bound is not finite, or the bound not positive.
    Empty,
}

impl Verdict {
    /// Whether the suite passes with such a row.
    pub(super) fn passes(self) -> bool {
        matches!(self, Self::Holds | Self::Known)
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Broken => "BROKEN",
            Self::Known => "known failure",
            Self::Promote => "HOLDS NOW: remove `known`",
            Self::Empty => "EMPTY",
        }
    }
}

/// One row of the table: a value of a simulation and its value in theory.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) case: String,
    pub(super) expected: f64,
    /// The value, or the reason for its absence.
    pub(crate) got: Result<f64, String>,
    /// Measured order of convergence in the step or mesh size.
    pub(super) order: Option<f64>,
    within: Within,
    /// Condition for the repair of a known failure.
    pub(super) known: Option<&'static str>,
}

impl Row {
    pub(super) fn verdict(&self) -> Verdict {
        let (Within::Relative(bound) | Within::Absolute(bound)) = self.within;
        let judges = self.expected.is_finite() && bound.is_finite() && bound > 0.0;
        let relative_to_nothing =
            matches!(self.within, Within::Relative(_)) && self.expected == 0.0;
        if !judges || relative_to_nothing || self.order.is_some_and(|order| !order.is_finite()) {
            return Verdict::Empty;
        }
        let deviation = self.deviation();
        // NaN is within no bound.
        match (
            deviation.is_some_and(|deviation| deviation <= bound),
            self.known,
        ) {
            (true, None) => Verdict::Holds,
            (false, None) => Verdict::Broken,
            (true, Some(_)) => Verdict::Promote,
            (false, Some(_)) => Verdict::Known,
        }
    }

    /// `|got − expected|`, in units of the expected value for a relative bound.
    pub(crate) fn deviation(&self) -> Option<f64> {
        let difference = (*self.got.as_ref().ok()? - self.expected).abs();
        Some(match self.within {
            Within::Relative(_) => difference / self.expected.abs(),
            Within::Absolute(_) => difference,
        })
    }

    /// The columns `case, expected, got, deviation, bound, order, verdict`.
    pub(super) fn columns(&self) -> [String; 7] {
        let (Within::Relative(bound) | Within::Absolute(bound)) = self.within;
        let unit = match self.within {
            Within::Relative(_) => " rel",
            Within::Absolute(_) => "",
        };
        [
            self.case.clone(),
            digits(self.expected),
            self.got
                .as_ref()
                .map_or_else(|_| "none".to_owned(), |&got| digits(got)),
            self.deviation()
                .map_or_else(String::new, |deviation| format!("{deviation:.1e}")),
            format!("{bound:.1e}{unit}"),
            self.order
                .map_or_else(String::new, |order| format!("{order:.2}")),
            self.verdict().word().to_owned(),
        ]
    }

    /// Reason for a missing value, and condition of a known failure.
    pub(super) fn remark(&self) -> String {
        let mut remark = self.known.unwrap_or_default().to_owned();
        if let Err(reason) = &self.got {
            let first = reason.lines().next().unwrap_or_default();
            let _ = write!(
                remark,
                "{}no figure: {first}",
                if remark.is_empty() { "" } else { "; " }
            );
        }
        remark
    }
}

/// The rows of one case.
#[derive(Default)]
pub(super) struct Rows(pub(super) Vec<Row>);

impl Rows {
    /// Adds a value that must be within a bound of its expectation.
    pub(super) fn push(
        &mut self,
        case: impl Into<String>,
        expected: f64,
        got: f64,
        within: Within,
    ) -> &mut Row {
        self.attempt(case, expected, Ok(got), within)
    }

    /// Adds such a value, or the error of a rejected scene or stopped run.
    pub(super) fn attempt(
        &mut self,
        case: impl Into<String>,
        expected: f64,
        got: Result<f64, String>,
        within: Within,
    ) -> &mut Row {
        self.0.push(Row {
            case: case.into(),
            expected,
            got,
            order: None,
            within,
            known: None,
        });
        let last = self.0.len() - 1;
        &mut self.0[last]
    }
}

/// Seven significant digits, as a power of ten if that is shorter.
fn digits(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let magnitude = x.abs().log10().floor();
    if (-3.0..7.0).contains(&magnitude) {
        #[expect(clippy::cast_sign_loss, reason = "at least 0 by the clamp")]
        let places = (6.0 - magnitude).clamp(0.0, 9.0) as usize;
        let text = format!("{x:.places$}");
        if text.contains('.') {
            return text.trim_end_matches('0').trim_end_matches('.').to_owned();
        }
        return text;
    }
    let text = format!("{x:.6e}");
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    format!("{mantissa}e{power}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(expected: f64, got: f64, within: Within, known: Option<&'static str>) -> Verdict {
        let mut rows = Rows::default();
        rows.push("case", expected, got, within).known = known;
        rows.0[0].verdict()
    }

    #[test]
    fn a_figure_within_its_bound_holds_and_any_other_breaks() {
        assert_eq!(
            verdict(2.0, 2.1, Within::Relative(0.06), None),
            Verdict::Holds
        );
        assert_eq!(
            verdict(2.0, 2.1, Within::Relative(0.04), None),
            Verdict::Broken
        );
        assert_eq!(
            verdict(2.0, 2.1, Within::Absolute(0.04), None),
            Verdict::Broken
        );
        assert_eq!(
            verdict(0.0, -1e-3, Within::Absolute(1e-4), None),
            Verdict::Broken
        );
    }

    #[test]
    fn a_known_failure_that_holds_fails_the_suite() {
        let known = Some("the step");
        let [fails, holds] = [3.0, 2.0].map(|got| verdict(2.0, got, Within::Relative(0.1), known));
        assert_eq!([fails, holds], [Verdict::Known, Verdict::Promote]);
        assert!(fails.passes() && !holds.passes());
    }

    #[test]
    fn a_row_without_a_figure_fails_the_suite() {
        let broken = verdict(1.0, f64::NAN, Within::Relative(0.1), None);
        assert_eq!(broken, Verdict::Broken);
        let mut rows = Rows::default();
        rows.attempt(
            "case",
            1.0,
            Err("refused".to_owned()),
            Within::Relative(0.1),
        );
        assert_eq!(rows.0[0].verdict(), Verdict::Broken);
    }

    #[test]
    fn a_bound_that_judges_nothing_fails_the_suite() {
        for bound in [f64::INFINITY, f64::NAN, 0.0, -1.0] {
            assert_eq!(
                verdict(1.0, 1.0, Within::Absolute(bound), None),
                Verdict::Empty,
                "{bound}"
            );
            assert_eq!(
                verdict(1.0, 5.0, Within::Absolute(bound), Some("known")),
                Verdict::Empty
            );
        }
        assert_eq!(
            verdict(f64::NAN, 1.0, Within::Absolute(0.1), None),
            Verdict::Empty
        );
        assert_eq!(
            verdict(0.0, 0.0, Within::Relative(0.1), None),
            Verdict::Empty
        );
        assert!(!Verdict::Empty.passes());
    }

    #[test]
    fn numbers_are_as_short_as_their_digits_allow() {
        let shown = [0.0, 2.0, 0.3017, 1_000_010.0, 3.503_292e-4, -9980.0].map(digits);
        assert_eq!(
            shown,
            ["0", "2", "0.3017", "1000010", "3.503292e-4", "-9980"]
        );
    }
}
