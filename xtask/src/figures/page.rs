//! The page of all tables.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use super::{Done, Options, Verdict, figures};
use crate::page;

/// Writes the tables of `done` as Markdown.
pub(super) fn write(path: &Path, options: &Options, done: &[Done]) -> Result<(), Box<dyn Error>> {
    page::write(path, text(options, done))
}

fn text(options: &Options, done: &[Done]) -> String {
    let count = |verdict| figures(done).filter(|row| row.verdict() == verdict).count();
    let mut text = page::head(
        "The step in figures",
        "cargo run --profile dist -p xtask -- figures",
        options.full,
        &options.only,
    );
    let _ = writeln!(
        text,
        "- Rows: {} hold, {} broken, {} outside their bound, {} skipped; {:.0} s\n",
        count(Verdict::Holds),
        count(Verdict::Broken),
        count(Verdict::Missed),
        count(Verdict::Skipped),
        done.iter().map(|done| done.seconds).sum::<f64>(),
    );
    text.push_str(
        "A law of physics outside its bound is broken, and the command fails. Times and counts of work outside their\n\
         bound do not fail it. CPU is the processor time of one thread. Repetitions give the same bits; of each step\n\
         the least time counts. Other work on the machine still disturbs times through caches and memory: ratios are\n\
         of one run, and compare better than seconds.\n",
    );
    for done in done {
        let section = done.section;
        let _ = writeln!(text, "\n## {}\n\n{}", section.title, section.about);
        for grid in &done.sheet.grids {
            let _ = writeln!(text, "\n{}\n", grid.about);
            for (index, line) in grid.lines().enumerate() {
                page::line(&mut text, line);
                if index == 0 {
                    let _ = writeln!(text, "|{}", "---|".repeat(line.len()));
                }
            }
        }
        text.push_str("\n| quantity | scene | value | bound | verdict |\n|---|---|---|---|---|\n");
        for row in &done.sheet.figures {
            page::line(&mut text, &row.columns());
        }
    }
    text
}
