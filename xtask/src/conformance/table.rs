//! One layer's table: case, measured, bound, verdict.

/// Guarantees of a layer, and their measurements.
pub(super) struct Table {
    pub(super) layer: String,
    pub(super) rows: Vec<Row>,
    /// Whether cases were left out for want of data.
    skipped: bool,
}

/// Meaning of a row that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Results are wrong.
    Guarantee,
    /// Slower than intended, or a rival faster than in the paper; results are right.
    Aim,
    /// Nothing: there is no bound.
    Figure,
}

/// One guarantee, aim or figure.
pub(super) struct Row {
    pub(super) case: String,
    pub(super) measured: String,
    /// `-` for a figure.
    pub(super) bound: String,
    kind: Kind,
    holds: bool,
}

impl Row {
    /// `holds` or `BROKEN`, of an aim `reached` or `MISSED`, and empty for a figure.
    pub(super) fn verdict(&self) -> &'static str {
        match (self.kind, self.holds) {
            (Kind::Guarantee, true) => "holds",
            (Kind::Guarantee, false) => "BROKEN",
            (Kind::Aim, true) => "reached",
            (Kind::Aim, false) => "MISSED",
            (Kind::Figure, _) => "",
        }
    }
}

impl Table {
    /// An empty table; rows are printed at once, because a whole table may take long.
    pub(super) fn new(layer: &str) -> Self {
        println!("\n{layer:<64}{:>24}{:>14}  verdict", "measured", "bound");
        Self {
            layer: layer.to_owned(),
            rows: Vec::new(),
            skipped: false,
        }
    }

    /// `measured ≤ bound`; a number that is not finite breaks the guarantee.
    pub(super) fn at_most(&mut self, case: &str, measured: f64, bound: f64) {
        self.push(
            case,
            format!("{measured:.2e}"),
            format!("<= {bound:.1e}"),
            judged(Kind::Guarantee, measured, bound, measured <= bound),
        );
    }

    /// `measured ≥ bound`; a number that is not finite breaks the guarantee.
    pub(super) fn at_least(&mut self, case: &str, measured: f64, bound: f64) {
        self.push(
            case,
            format!("{measured:.2e}"),
            format!(">= {bound:.1e}"),
            judged(Kind::Guarantee, measured, bound, measured >= bound),
        );
    }

    /// Aims at `measured ≤ bound`; a number that is not finite misses it.
    pub(super) fn aim_at_most(&mut self, case: &str, measured: f64, bound: f64) {
        self.push(
            case,
            format!("{measured:.2}"),
            format!("<= {bound}"),
            judged(Kind::Aim, measured, bound, measured <= bound),
        );
    }

    /// Aims at `measured ≥ bound`; a number that is not finite misses it.
    pub(super) fn aim_at_least(&mut self, case: &str, measured: f64, bound: f64) {
        self.push(
            case,
            format!("{measured:.2}"),
            format!(">= {bound}"),
            judged(Kind::Aim, measured, bound, measured >= bound),
        );
    }

    /// Exactly `expected`.
    pub(super) fn exactly(&mut self, case: &str, measured: usize, expected: usize) {
        self.push(
            case,
            measured.to_string(),
            format!("= {expected}"),
            (Kind::Guarantee, measured == expected),
        );
    }

    /// A condition that must be true.
    pub(super) fn certain(&mut self, case: &str, holds: bool) {
        self.yes_or_no(case, (Kind::Guarantee, holds));
    }

    /// A condition that should be true.
    pub(super) fn aim(&mut self, case: &str, holds: bool) {
        self.yes_or_no(case, (Kind::Aim, holds));
    }

    fn yes_or_no(&mut self, case: &str, (kind, holds): (Kind, bool)) {
        let word = if holds { "yes" } else { "no" };
        self.push(case, word.to_owned(), "yes".to_owned(), (kind, holds));
    }

    /// A figure without a bound.
    pub(super) fn figure(&mut self, case: &str, measured: String) {
        self.push(case, measured, "-".to_owned(), (Kind::Figure, true));
    }

    /// Leaves cases out because the data of `IMPINGE_DATA` is missing. A layer that judges nothing else then holds.
    pub(super) fn skip_without_data(&mut self, cases: &str) {
        self.figure(cases, "skipped: no IMPINGE_DATA".to_owned());
        self.skipped = true;
    }

    /// Whether cases were left out for want of data.
    pub(super) fn is_skipped(&self) -> bool {
        self.skipped
    }

    fn push(&mut self, case: &str, measured: String, bound: String, (kind, holds): (Kind, bool)) {
        let row = Row {
            case: case.to_owned(),
            measured,
            bound,
            kind,
            holds,
        };
        println!(
            "  {:<62}{:>24}{:>14}  {}",
            row.case,
            row.measured,
            row.bound,
            row.verdict()
        );
        self.rows.push(row);
    }

    /// Whether every guarantee holds, and there is one unless cases were skipped.
    pub(super) fn holds(&self) -> bool {
        self.count("BROKEN") == 0 && (self.skipped || self.count("holds") > 0)
    }

    /// Breaks a table that judges nothing, unless cases were skipped.
    pub(super) fn finish(&mut self) {
        if !self.skipped && self.count("BROKEN") + self.count("holds") == 0 {
            self.certain(
                &format!("{}: a row of the table is judged", self.layer.clone()),
                false,
            );
        }
    }

    /// Number of rows with this verdict.
    pub(super) fn count(&self, verdict: &str) -> usize {
        let rows = self.rows.iter();
        rows.filter(|row| row.verdict() == verdict).count()
    }
}

/// Verdict on a figure and its bound. A bound that is not finite is a bug of the table.
fn judged(kind: Kind, measured: f64, bound: f64, holds: bool) -> (Kind, bool) {
    if bound.is_finite() {
        (kind, measured.is_finite() && holds)
    } else {
        (Kind::Guarantee, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_broken_guarantee_breaks_the_table() {
        let mut table = Table::new("layer");
        table.at_most("small", 1.0, 2.0);
        table.exactly("count", 3, 3);
        table.figure("figure", "7".to_owned());
        assert!(table.holds());
        table.aim_at_most("missed", 3.0, 2.0);
        table.aim("missed", false);
        table.aim_at_least("reached", 3.0, 2.0);
        assert!(table.holds(), "an aim is none");
        assert_eq!([table.count("MISSED"), table.count("reached")], [2, 1]);
        table.at_most("large", 3.0, 2.0);
        assert!(!table.holds());
    }

    #[test]
    fn nan_is_within_no_bound() {
        let mut table = Table::new("layer");
        table.at_most("undefined", f64::NAN, 2.0);
        assert!(!table.holds());
        table.aim_at_most("undefined", f64::NAN, 2.0);
        table.aim_at_least("undefined", f64::NAN, 2.0);
        assert_eq!(table.count("MISSED"), 2);
    }

    #[test]
    fn a_bound_that_judges_nothing_breaks_the_table() {
        for bound in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            for judge in [
                Table::at_most,
                Table::at_least,
                Table::aim_at_most,
                Table::aim_at_least,
            ] {
                let mut table = Table::new("layer");
                table.certain("another", true);
                judge(&mut table, "unbounded", 1.0, bound);
                assert!(!table.holds(), "{bound}");
            }
        }
    }

    /// Missing data breaks no layer; a guarantee that is broken without it does.
    #[test]
    fn a_table_of_skipped_cases_holds() {
        let mut table = Table::new("layer");
        table.skip_without_data("cases");
        table.finish();
        assert!(table.holds());
        table.certain("another", false);
        assert!(!table.holds());
    }

    #[test]
    fn a_table_without_a_judged_row_is_broken() {
        let mut table = Table::new("layer");
        table.figure("figure", "7".to_owned());
        assert!(!table.holds());
        table.finish();
        assert_eq!(table.count("BROKEN"), 1);
    }
}
