//! The page of all rows.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use super::{Done, FAMILIES, Options, Row, Verdict, rows};
use crate::page;

/// Fewest rows that are shown as one.
const FEWEST: usize = 4;

/// Writes the tables of `done` as Markdown.
pub(super) fn write(path: &Path, options: &Options, done: &[Done]) -> Result<(), Box<dyn Error>> {
    page::write(path, text(options, done))
}

fn text(options: &Options, done: &[Done]) -> String {
    let count = |verdict| rows(done).filter(|row| row.verdict() == verdict).count();
    let mut text = page::head(
        "Theory as judge",
        "cargo xtask validate",
        options.full,
        &options.only,
    );
    let _ = writeln!(
        text,
        "- Rows: {} hold, {} known failures, {} others; {:.0} s of CPU\n",
        count(Verdict::Holds),
        count(Verdict::Known),
        rows(done).count() - count(Verdict::Holds) - count(Verdict::Known),
        done.iter().map(|done| done.seconds).sum::<f64>(),
    );
    text.push_str(
        "The deviation is the difference between both values, in units of the expected one where the bound says\n\
         `rel`. The order is that of the error in the step, where the case has two of them. A known failure names\n\
         what has to change; the suite fails on the day it holds. Cases that hold and differ in values between\n\
         slashes only are one row, with the figures of the worst of them.\n",
    );
    for (index, family) in FAMILIES.iter().enumerate() {
        let mut of = done.iter().filter(|done| done.family == index).peekable();
        if of.peek().is_none() {
            continue;
        }
        let _ = writeln!(text, "\n## {}\n\n{}\n", family.name, family.about);
        text.push_str(
            "| case | expected | got | deviation | bound | order | verdict \
                       |\n|---|---|---|---|---|---|---|\n",
        );
        for columns in of.flat_map(|done| lines(&done.rows)) {
            let columns = columns.map(|column| column.replace('|', "\\|"));
            let _ = writeln!(text, "| {} |", columns.join(" | "));
        }
    }
    text
}

/// The columns of the rows of a case. Rows of one kind are one, if they are all combinations of their values.
fn lines(rows: &[Row]) -> Vec<[String; 7]> {
    let mut groups: Vec<(Option<String>, Vec<&Row>)> = Vec::new();
    for row in rows {
        let kind = kind(row);
        let found = groups
            .iter_mut()
            .find(|(other, _)| kind.is_some() && *other == kind);
        match found {
            Some((_, group)) => group.push(row),
            None => groups.push((kind, vec![row])),
        }
    }
    let mut lines = Vec::new();
    for (_, group) in &groups {
        match merged(group) {
            Some(line) => lines.push(line),
            None => lines.extend(group.iter().map(|row| line(row))),
        }
    }
    lines
}

/// The columns of a row, with its remark.
fn line(row: &Row) -> [String; 7] {
    let mut columns = row.columns();
    let remark = row.remark();
    if !remark.is_empty() {
        let _ = write!(columns[6], ": {remark}");
    }
    columns
}

/// First word, number of values, quantity and bound of a row that may be shown with others: of one that holds.
fn kind(row: &Row) -> Option<String> {
    let (values, quantity) = row.case.split_once(": ")?;
    let word = values.split([' ', ',']).next()?;
    let joins = row.verdict() == Verdict::Holds && row.order.is_none();
    let count = values.matches(", ").count();
    joins.then(|| format!("{word} {count} {quantity} {}", row.columns()[4]))
}

/// The columns of the worst of `rows`, with the values of all in its case.
fn merged(rows: &[&Row]) -> Option<[String; 7]> {
    let mut places: Vec<Vec<&str>> = Vec::new();
    for row in rows {
        let (values, _) = row.case.split_once(": ")?;
        for (place, value) in values.split(", ").enumerate() {
            if places.len() == place {
                places.push(Vec::new());
            }
            if !places[place].contains(&value) {
                places[place].push(value);
            }
        }
    }
    let combinations: usize = places.iter().map(Vec::len).product();
    let distinct: BTreeSet<_> = rows.iter().map(|row| &row.case).collect();
    if rows.len() < FEWEST || rows.len() != combinations || distinct.len() != combinations {
        return None;
    }
    let worst = rows.iter().max_by(|a, b| {
        let [a, b] = [a, b].map(|row| row.deviation().unwrap_or_default());
        a.total_cmp(&b)
    })?;
    let (of_worst, quantity) = worst.case.split_once(": ")?;
    let values: Vec<String> = places.iter().map(|values| listed(values)).collect();
    let mut columns = worst.columns();
    let (values, count) = (values.join(", "), rows.len());
    columns[0] = format!("{values}: {quantity}, worst of {count}: {of_worst}");
    Some(columns)
}

/// Values with slashes between them; the words that all begin with stand in the first only.
fn listed(values: &[&str]) -> String {
    let words: Vec<Vec<&str>> = values
        .iter()
        .map(|value| value.split(' ').collect())
        .collect();
    let same = (0..words[0].len()).take_while(|&at| {
        (words.iter()).all(|value| value.len() > at + 1 && value[at] == words[0][at])
    });
    let same = same.count();
    let rest = words[1..].iter().map(|value| value[same..].join(" "));
    let mut all = vec![values[0].to_owned()];
    all.extend(rest);
    all.join(" / ")
}

#[cfg(test)]
mod tests {
    use super::super::row::{Rows, Within};
    use super::{lines, listed};

    #[test]
    fn combinations_that_hold_are_one_row_and_a_failure_stays() {
        let mut rows = Rows::default();
        for (case, got) in [
            ("a b, c", 1.0),
            ("a b, d", 1.1),
            ("a e, c", 1.0),
            ("a e, d", 1.0),
        ] {
            rows.push(format!("{case}: x"), 1.0, got, Within::Relative(0.2));
        }
        let merged = lines(&rows.0);
        assert_eq!(merged.len(), 1);
        assert_eq!(merged[0][0], "a b / e, c / d: x, worst of 4: a b, d");
        assert_eq!(merged[0][2], "1.1");

        rows.push("a f, c: x", 1.0, 2.0, Within::Relative(0.2))
            .known = Some("theory");
        let with_failure = lines(&rows.0);
        assert_eq!(with_failure.len(), 2);
        assert_eq!(with_failure[1][6], "known failure: theory");

        rows.push("a g, c: x", 1.0, 1.0, Within::Relative(0.2));
        assert_eq!(lines(&rows.0).len(), 6, "not all combinations");
    }

    #[test]
    fn words_that_all_values_begin_with_stand_once() {
        assert_eq!(listed(&["a b", "a c"]), "a b / c");
        assert_eq!(listed(&["a b", "a"]), "a b / a");
        assert_eq!(
            listed(&["x 1 m", "y 1 m", "x 2 m"]),
            "x 1 m / y 1 m / x 2 m"
        );
    }
}
