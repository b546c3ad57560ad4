//! The page of all rows.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use super::{Done, FAMILIES, Options, Verdict, rows};
use crate::page;

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
         what has to change; the suite fails on the day it holds.\n",
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
        for row in of.flat_map(|done| &done.rows) {
            let mut columns = row.columns();
            let remark = row.remark();
            if !remark.is_empty() {
                let _ = write!(columns[6], ": {remark}");
            }
            let columns = columns.map(|column| column.replace('|', "\\|"));
            let _ = writeln!(text, "| {} |", columns.join(" | "));
        }
    }
    text
}
