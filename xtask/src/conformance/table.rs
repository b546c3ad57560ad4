//! One layer's table: case, measured, bound, verdict.

/// What a layer guarantees, and what was found.
pub(super) struct Table {
    pub(super) layer: String,
    pub(super) rows: Vec<Row>,
}

/// One guarantee or figure.
pub(super) struct Row {
    pub(super) case: String,
    pub(super) measured: String,
    /// `-` for a figure.
    pub(super) bound: String,
    holds: bool,
}

impl Row {
    /// `holds`, `BROKEN`, or nothing for a figure.
    pub(super) fn verdict(&self) -> &'static str {
        match (self.holds, self.bound.as_str()) {
            (true, "-") => "",
            (true, _) => "holds",
            (false, _) => "BROKEN",
        }
    }
}

impl Table {
    /// An empty table, whose rows are printed as they come: to fill a whole one may take long.
    pub(super) fn new(layer: &str) -> Self {
        println!("\n{layer:<64}{:>24}{:>14}  verdict", "measured", "bound");
        Self {
            layer: layer.to_owned(),
            rows: Vec::new(),
        }
    }

    /// `measured ≤ bound`; a number that is not finite breaks the guarantee.
    pub(super) fn at_most(&mut self, case: &str, measured: f64, bound: f64) {
        self.push(
            case,
            format!("{measured:.2e}"),
            format!("<= {bound:.1e}"),
            measured.is_finite() && measured <= bound,
        );
    }

    /// `measured ≥ bound`; a number that is not finite breaks the guarantee.
    pub(super) fn at_least(&mut self, case: &str, measured: f64, bound: f64) {
        self.push(
            case,
            format!("{measured:.2e}"),
            format!(">= {bound:.1e}"),
            measured.is_finite() && measured >= bound,
        );
    }

    /// Exactly `expected`.
    pub(super) fn exactly(&mut self, case: &str, measured: usize, expected: usize) {
        self.push(
            case,
            measured.to_string(),
            format!("= {expected}"),
            measured == expected,
        );
    }

    /// A yes that has to be one.
    pub(super) fn certain(&mut self, case: &str, holds: bool) {
        let word = if holds { "yes" } else { "no" };
        self.push(case, word.to_owned(), "yes".to_owned(), holds);
    }

    /// A figure without a bound.
    pub(super) fn figure(&mut self, case: &str, measured: String) {
        self.push(case, measured, "-".to_owned(), true);
    }

    fn push(&mut self, case: &str, measured: String, bound: String, holds: bool) {
        let row = Row {
            case: case.to_owned(),
            measured,
            bound,
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

    pub(super) fn holds(&self) -> bool {
        self.rows.iter().all(|row| row.holds)
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
        table.at_most("large", 3.0, 2.0);
        assert!(!table.holds());
    }

    #[test]
    fn what_is_not_a_number_is_not_at_most_anything() {
        let mut table = Table::new("layer");
        table.at_most("undefined", f64::NAN, 2.0);
        assert!(!table.holds());
    }
}
