//! The page of the papers' scenes.

use std::fmt::Write as _;
use std::path::Path;

use super::claim::{Claim, Form, Judge};
use super::ran::Outcome;
use super::{Found, PAPERS};
use crate::conformance::{Judged, Layer};
use crate::page;

/// A judged figure.
pub(super) struct Line {
    pub(super) what: String,
    pub(super) value: String,
    pub(super) bound: String,
    /// `holds`, `BROKEN`, `skipped`; of an aim `reached` or `MISSED`; empty for a page of results or a figure without a
    /// bound.
    pub(super) verdict: &'static str,
    /// Where it is judged.
    by: String,
}

/// The text of the page.
pub(super) fn text(full: &[Layer], found: &Found) -> String {
    let names: Vec<String> = full.iter().map(|layer| layer.name()).collect();
    let command = match names.as_slice() {
        [] => "cargo xtask papers".to_owned(),
        names => format!("cargo xtask papers --full {}", names.join(",")),
    };
    let mut text = page::head("The papers' scenes", &command, false, &[]);
    let all: Vec<Line> = super::claims()
        .flat_map(|claim| lines(claim, found, full))
        .collect();
    let count = |verdict| all.iter().filter(|line| line.verdict == verdict).count();
    let _ = writeln!(
        text,
        "- Rows: {} hold, {} broken, {} skipped; aims: {} reached, {} missed\n",
        count("holds"),
        count("BROKEN"),
        count("skipped"),
        count("reached"),
        count("MISSED")
    );
    text.push_str(
        "Scenes in `scenes/` after figures of papers, and what judges them. Scenes marked * have all parameters that\n\
         the paper states (seldom sizes and masses); the head of a scene names the differences.\n\n\
         A name such as `papers::…` is a test in `tests/it`, and one such as `sim: …` in `crates/sim/tests/it`.\n\
         Tests may run a shorter or coarser variant of the scene. Those of `papers`, `scenes` and `asynchronous`\n\
         check every state for intersections. Other rows are of `cargo xtask conformance`, for smaller\n\
         variants unless `--full` is given. An aim that is missed is no broken guarantee.\n\n\
         - *Energy falls*: mechanical energy decreases in every step.\n\
         - *No gain*: no step is counted as an unexplained gain of energy, which is a gain beyond an allowance.\n\
         - *Momentum is met*: its residual is at most twice its tolerance.\n",
    );
    for paper in PAPERS {
        let _ = writeln!(text, "\n## {}", paper.title);
        if !paper.about.is_empty() {
            let _ = writeln!(text, "\n{}", paper.about);
        }
        for claim in paper.claims {
            write_claim(&mut text, claim, found, full);
        }
        if !paper.missing.is_empty() {
            text.push_str("\n### Missing\n\n");
        }
        for part in paper.missing {
            let _ = writeln!(text, "- {part}");
        }
    }
    text
}

/// The picture of a scene, relative to the folder of the page.
fn picture(scene: &str) -> String {
    format!("../images/gallery/{scene}.png")
}

/// The first scene of a claim without a picture.
pub(super) fn missing_picture(root: &Path) -> Option<&'static str> {
    let mut scenes = super::claims().flat_map(|claim| claim.scenes);
    let folder = root.join("docs/results");
    scenes
        .find(|scene| !folder.join(picture(scene)).is_file())
        .copied()
}

fn write_claim(text: &mut String, claim: &Claim, found: &Found, full: &[Layer]) {
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
        let _ = writeln!(text, "![{scene}]({})", picture(scene));
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
}

/// The judged figures of a claim.
pub(super) fn lines(claim: &Claim, found: &Found, full: &[Layer]) -> Vec<Line> {
    let of_judge = |judge: &Judge| match *judge {
        Judge::Test { package, name } => of_test(package, name, found),
        Judge::Rows { layer, case, form } if form.has(full.contains(&layer)) => {
            of_rows(layer, case, found)
        }
        Judge::Rows {
            form: Form::Full,
            layer,
            case,
        } => vec![Line {
            what: format!("{case}: guarantees"),
            value: "not in this form".to_owned(),
            bound: String::new(),
            verdict: "skipped",
            by: format!("`conformance {} --full`", layer.name()),
        }],
        Judge::Rows { .. } => Vec::new(),
        Judge::Page(path) => vec![Line {
            what: format!("[a page of its own]({path})"),
            value: String::new(),
            bound: String::new(),
            verdict: "",
            by: "`cargo xtask figures`".to_owned(),
        }],
    };
    claim.judges.iter().flat_map(of_judge).collect()
}

/// The figures that a test stated, or its outcome if it stated none.
fn of_test(package: &'static str, name: &'static str, found: &Found) -> Vec<Line> {
    let by = match package {
        "impinge-tests" => format!("`{name}`"),
        other => format!("`{}: {name}`", other.trim_start_matches("impinge-")),
    };
    let ran = found.tests.get(&(package, name));
    let outcome = ran.map(|ran| ran.outcome);
    let figures = ran.map_or(&[][..], |ran| &ran.figures);
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

/// The rows of a layer whose case begins with `case`; without a guarantee among them, a line that says so.
fn of_rows(layer: Layer, case: &str, found: &Found) -> Vec<Line> {
    let by = format!("`conformance {}`", layer.name());
    let guarantees = &found.guarantees;
    let rows: Vec<&Judged> = (guarantees.rows.iter())
        .filter(|row| row.layer == layer && is_of(case, &row.case))
        .collect();
    let line = |row: &Judged| Line {
        what: row.case.clone(),
        value: row.measured.clone(),
        bound: row.bound.clone(),
        verdict: row.verdict,
        by: by.clone(),
    };
    let mut lines = Vec::new();
    // Figures and aims judge nothing.
    let is_judged = rows
        .iter()
        .any(|row| ["holds", "BROKEN"].contains(&row.verdict));
    if !is_judged {
        let (value, verdict) = if guarantees.skipped.contains(&layer) {
            ("no data", "skipped")
        } else {
            ("there is none", "BROKEN")
        };
        lines.push(Line {
            what: format!("{case}: guarantees"),
            value: value.to_owned(),
            bound: String::new(),
            verdict,
            by: by.clone(),
        });
    }
    lines.extend(rows.into_iter().map(line));
    lines
}

/// Whether a `row` is one of a `case`: its name goes on after the case, but not with the rest of a word.
fn is_of(case: &str, row: &str) -> bool {
    let rest = row.strip_prefix(case);
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::ran::Ran;

    fn verdicts(lines: &[Line]) -> Vec<&'static str> {
        lines.iter().map(|line| line.verdict).collect()
    }

    /// Missing data skip a guarantee; without that reason a missing one is broken, as after a change of its name.
    #[test]
    fn a_guarantee_that_does_not_exist_is_broken() {
        let row = |case: &str, verdict| Judged {
            layer: Layer::Methods,
            case: case.to_owned(),
            measured: String::new(),
            bound: String::new(),
            verdict,
        };
        let mut found = Found::default();
        let verdict = |found: &Found| verdicts(&of_rows(Layer::Methods, "rings", found));
        assert_eq!(verdict(&found), ["BROKEN"]);
        found.guarantees.skipped.push(Layer::Methods);
        assert_eq!(verdict(&found), ["skipped"]);
        // Figures and aims are no guarantees.
        for other in ["", "reached", "MISSED"] {
            found.guarantees.rows = vec![row("rings: speed", other)];
            assert_eq!(verdict(&found), ["skipped", other]);
            found.guarantees.skipped.clear();
            assert_eq!(verdict(&found), ["BROKEN", other]);
            found.guarantees.skipped.push(Layer::Methods);
        }
        found.guarantees.rows.clear();
        (found.guarantees.rows).extend([
            row("rings: steps", "holds"),
            row("rings_stiff: steps", "BROKEN"),
        ]);
        assert_eq!(verdict(&found), ["holds"]);
    }

    #[test]
    fn a_test_that_fails_is_broken_whatever_its_figures() {
        let mut found = Found::default();
        let verdict = |found: &Found| verdicts(&of_test("package", "name", found));
        assert_eq!(verdict(&found), ["BROKEN"]);
        let mut ran = Ran {
            outcome: Outcome::Passed,
            figures: Vec::new(),
        };
        found.tests.insert(("package", "name"), ran.clone());
        assert_eq!(verdict(&found), ["holds"]);
        ran.outcome = Outcome::Failed;
        found.tests.insert(("package", "name"), ran);
        assert_eq!(verdict(&found), ["BROKEN"]);
    }
}
