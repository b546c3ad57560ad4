//! The page of the papers' scenes.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use super::claim::{Claim, Judge};
use super::ran::Outcome;
use super::{Found, PAPERS};
use crate::conformance::Judged;
use crate::page;

/// Most guarantees of one judge that have a line each; more are counted in one line.
const MOST_LINES: usize = 4;

/// A judged figure.
pub(super) struct Line {
    pub(super) what: String,
    pub(super) value: String,
    pub(super) bound: String,
    /// `holds`, `BROKEN`, `skipped`, or empty for a page of results.
    pub(super) verdict: &'static str,
    /// Where it is judged.
    by: String,
}

/// The text of the page.
pub(super) fn text(root: &Path, full: bool, found: &Found) -> Result<String, Box<dyn Error>> {
    let mut text = page::head("The papers' scenes", "cargo xtask papers", full, &[]);
    let all: Vec<Line> = super::claims()
        .flat_map(|claim| lines(claim, found, full))
        .collect();
    let count = |verdict| all.iter().filter(|line| line.verdict == verdict).count();
    let _ = writeln!(
        text,
        "- Rows: {} hold, {} broken, {} skipped\n",
        count("holds"),
        count("BROKEN"),
        count("skipped")
    );
    text.push_str(
        "Scenes in `scenes/` after figures of papers, and what judges them. Scenes marked * have all parameters that\n\
         the paper states (seldom sizes and masses); the head of a scene names the differences.\n\n\
         A name such as `papers::…` is a test in `tests/it`, which may run a shorter or coarser variant of the scene;\n\
         tests of `papers`, `scenes` and `asynchronous` check every state for intersections. Other rows are guarantees\n\
         of `cargo xtask conformance`, for smaller variants unless `--full` is given.\n\n\
         - *Energy falls*: mechanical energy decreases in every step.\n\
         - *No gain*: no step is counted as an unexplained gain of energy, which is a gain beyond an allowance.\n",
    );
    for paper in PAPERS {
        let _ = writeln!(text, "\n## {}", paper.title);
        if !paper.about.is_empty() {
            let _ = writeln!(text, "\n{}", paper.about);
        }
        for claim in paper.claims {
            write_claim(&mut text, root, claim, found, full)?;
        }
        text.push_str("\n### Missing\n\n");
        for part in paper.missing {
            let _ = writeln!(text, "- {part}");
        }
    }
    Ok(text)
}

fn write_claim(
    text: &mut String,
    root: &Path,
    claim: &Claim,
    found: &Found,
    full: bool,
) -> Result<(), Box<dyn Error>> {
    let names = claim.scenes.iter().enumerate().map(|(index, scene)| {
        let mark = if claim.faithful && index == 0 {
            "*"
        } else {
            ""
        };
        format!("`{scene}`{mark}")
    });
    let names = names.collect::<Vec<_>>().join(", ");
    let separator = if names.is_empty() { "" } else { ": " };
    let _ = writeln!(text, "\n### {}{separator}{names}\n", claim.part);
    for scene in claim.scenes {
        let picture = format!("images/gallery/{scene}.png");
        if !root.join("docs").join(&picture).is_file() {
            return Err(format!("{scene} has no picture: cargo xtask gallery {scene}").into());
        }
        let _ = writeln!(text, "![{scene}]({picture})");
    }
    if !claim.scenes.is_empty() {
        text.push('\n');
    }
    let _ = writeln!(text, "{}\n", claim.says);
    text.push_str("| figure | value | bound | verdict | judged by |\n|---|---|---|---|---|\n");
    for line in lines(claim, found, full) {
        page::line(
            text,
            &[
                line.what,
                line.value,
                line.bound,
                line.verdict.to_owned(),
                line.by,
            ],
        );
    }
    Ok(())
}

/// The judged figures of a claim.
pub(super) fn lines(claim: &Claim, found: &Found, full: bool) -> Vec<Line> {
    let of_judge = |judge: &Judge| match *judge {
        Judge::Test { name, .. } => of_test(name, found),
        Judge::Rows {
            full: true, case, ..
        } if !full => vec![Line {
            what: format!("{case}, with `--full`"),
            value: String::new(),
            bound: String::new(),
            verdict: "skipped",
            by: "conformance".to_owned(),
        }],
        Judge::Rows { layer, case, .. } => {
            of_rows(&format!("{layer:?}").to_lowercase(), case, found)
        }
        Judge::Page(path) => vec![Line {
            what: format!("[page of results]({path})"),
            value: String::new(),
            bound: String::new(),
            verdict: "",
            by: "`cargo xtask figures`".to_owned(),
        }],
    };
    claim.judges.iter().flat_map(of_judge).collect()
}

/// The figures that a test stated, or its outcome if it stated none.
fn of_test(name: &str, found: &Found) -> Vec<Line> {
    let by = format!("`{name}`");
    let outcome = found.tests.get(name).map(|ran| ran.outcome);
    let figures = found.tests.get(name).map_or(&[][..], |ran| &ran.figures);
    let mut lines: Vec<Line> = figures
        .iter()
        .map(|figure| {
            let of_unit = |text: &str| format!("{text} {}", figure.unit).trim_end().to_owned();
            Line {
                what: figure.what.clone(),
                value: of_unit(&page::digits(figure.value)),
                bound: of_unit(&figure.bound),
                verdict: if figure.holds { "holds" } else { "BROKEN" },
                by: by.clone(),
            }
        })
        .collect();
    let (word, verdict) = match outcome {
        Some(Outcome::Passed) => ("passes", "holds"),
        Some(Outcome::Skipped) => ("no data", "skipped"),
        Some(Outcome::Failed) | None => ("fails", "BROKEN"),
    };
    let is_shown = lines.iter().any(|line| line.verdict == verdict);
    if !is_shown {
        lines.push(Line {
            what: "the test".to_owned(),
            value: word.to_owned(),
            bound: "passes".to_owned(),
            verdict,
            by,
        });
    }
    lines
}

/// The guarantees of a layer whose case starts so.
fn of_rows(layer: &str, case: &str, found: &Found) -> Vec<Line> {
    let by = format!("`conformance {layer}`");
    let rows: Vec<&Judged> = (found.rows.iter())
        .filter(|row| row.layer == layer && is_of(case, &row.case))
        .collect();
    let line = |row: &Judged| Line {
        what: row.case.clone(),
        value: row.measured.clone(),
        bound: row.bound.clone(),
        verdict: if row.holds { "holds" } else { "BROKEN" },
        by: by.clone(),
    };
    let mut lines: Vec<Line> = match rows.len() {
        0 => vec![Line {
            what: format!("{case}: guarantees"),
            value: "none was judged".to_owned(),
            bound: String::new(),
            verdict: "skipped",
            by: by.clone(),
        }],
        1..=MOST_LINES => return rows.into_iter().map(line).collect(),
        count => {
            let holding = rows.iter().filter(|row| row.holds).count();
            vec![Line {
                what: format!("{case}: guarantees that hold"),
                value: holding.to_string(),
                bound: format!("= {count}"),
                verdict: if holding == count { "holds" } else { "BROKEN" },
                by: by.clone(),
            }]
        }
    };
    lines.extend(rows.into_iter().filter(|row| !row.holds).map(line));
    lines
}

/// Whether a `row` is one of a `case`: its name goes on after the case, but not with the rest of a word.
fn is_of(case: &str, row: &str) -> bool {
    let rest = row.strip_prefix(case);
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}
