//! Judged figures: a test states what it measured, and `cargo xtask papers` prints it beside the claim.
#![expect(
    clippy::print_stdout,
    reason = "figures are read from the output of tests"
)]

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;

/// A measured value that is to be judged.
#[must_use = "a figure without a bound judges nothing"]
pub(crate) struct Figure {
    what: String,
    unit: &'static str,
    value: f64,
}

/// The value `what` in an SI `unit` (empty for a number).
pub(crate) fn figure(what: impl Into<String>, unit: &'static str, value: f64) -> Figure {
    let what = what.into();
    Figure { what, unit, value }
}

/// States that a test judges nothing, and why.
pub(crate) fn skipped(reason: &str) {
    println!("skipped\t{reason}");
}

/// The larger value, or NaN if either is NaN: `f64::max` drops a NaN, and a bound would hold.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// The smaller value, or NaN if either is NaN.
pub(crate) fn smaller(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b { a } else { b }
}

/// The largest value. NaN, of which no figure holds, if a value is NaN or there is none.
pub(crate) fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().reduce(larger).unwrap_or(f64::NAN)
}

/// The least value. NaN, of which no figure holds, if a value is NaN or there is none.
pub(crate) fn least(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().reduce(smaller).unwrap_or(f64::NAN)
}

/// `part` over a `whole` that must be positive.
#[track_caller]
pub(crate) fn share(part: f64, whole: f64) -> f64 {
    assert!(whole > 0.0, "{whole} is not positive");
    part / whole
}

impl Figure {
    /// Less than `bound`.
    #[track_caller]
    pub(crate) fn below(self, bound: f64) {
        self.judge(&format!("below {}", digits(bound)), self.value < bound);
    }

    /// More than `bound`.
    #[track_caller]
    pub(crate) fn above(self, bound: f64) {
        self.judge(&format!("above {}", digits(bound)), self.value > bound);
    }

    /// `bound` or less.
    #[track_caller]
    pub(crate) fn at_most(self, bound: f64) {
        self.judge(&format!("at most {}", digits(bound)), self.value <= bound);
    }

    /// `bound` or more.
    #[track_caller]
    pub(crate) fn at_least(self, bound: f64) {
        self.judge(&format!("at least {}", digits(bound)), self.value >= bound);
    }

    /// Exactly `expected`.
    #[track_caller]
    pub(crate) fn exactly(self, expected: f64) {
        self.judge(
            &format!("= {}", digits(expected)),
            self.value.total_cmp(&expected).is_eq(),
        );
    }

    /// In the `range`.
    #[track_caller]
    pub(crate) fn within(self, range: Range<f64>) {
        let bound = format!("{} to {}", digits(range.start), digits(range.end));
        self.judge(&bound, range.contains(&self.value));
    }

    /// Prints the figure, one field after the other, and fails the test if it does not hold.
    #[track_caller]
    fn judge(&self, bound: &str, holds: bool) {
        let Self { what, unit, value } = self;
        println!("figure\t{what}\t{unit}\t{value:e}\t{bound}\t{holds}");
        assert!(holds, "{self}: {bound}");
    }
}

/// Four significant digits, as a power of ten where that is shorter.
fn digits(bound: f64) -> String {
    let rounded: f64 = format!("{bound:.3e}").parse().unwrap_or(bound);
    let (plain, power) = (rounded.to_string(), format!("{rounded:e}"));
    if power.len() < plain.len() {
        power
    } else {
        plain
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} {}", self.what, self.value, self.unit)
    }
}

#[test]
#[should_panic(expected = "a length: 2 m: below 1")]
fn a_figure_outside_its_bound_fails() {
    figure("a length", "m", 1.0).at_most(1.0);
    figure("a length", "m", 2.0).below(1.0);
}

#[test]
#[should_panic(expected = "a length: NaN m: at least 0")]
fn a_figure_that_is_no_number_fails() {
    figure("a length", "m", f64::NAN).at_least(0.0);
}

#[test]
fn bounds_are_short() {
    let bounds = [1e-8, 0.5, 2.950_361, 1100.0, f64::INFINITY];
    let shown = ["1e-8", "0.5", "2.95", "1100", "inf"];
    assert_eq!(bounds.map(digits), shown);
}

#[test]
fn the_largest_of_values_keeps_nan() {
    assert_eq!(
        largest([-2.0, -1.0, -3.0]).total_cmp(&-1.0),
        Ordering::Equal
    );
    for values in [
        &[f64::NAN, 1.0][..],
        &[1.0, f64::NAN],
        &[0.0, f64::NAN, 1.0],
        &[],
    ] {
        assert!(largest(values.iter().copied()).is_nan(), "{values:?}");
    }
}

#[test]
fn the_least_of_values_keeps_nan() {
    assert_eq!(least([2.0, 1.0, 3.0]).total_cmp(&1.0), Ordering::Equal);
    for values in [
        &[f64::NAN, 1.0][..],
        &[1.0, f64::NAN],
        &[2.0, f64::NAN, 1.0],
        &[],
    ] {
        assert!(least(values.iter().copied()).is_nan(), "{values:?}");
    }
}

#[test]
#[should_panic(expected = "0 is not positive")]
fn a_share_of_nothing_fails() {
    share(0.0, 0.0);
}
