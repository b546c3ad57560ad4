//! Runs tests, and reads the figures that they print.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// Outcome of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed,
    /// It ran nothing, for want of data.
    Skipped,
    Failed,
}

/// A figure that a test stated.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figure {
    pub(super) what: String,
    pub(super) unit: String,
    pub(super) value: f64,
    pub(super) bound: String,
    pub(super) holds: bool,
}

/// A test that ran.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ran {
    pub(super) outcome: Outcome,
    pub(super) figures: Vec<Figure>,
}

/// Runs the tests of `package` with these names, and shows each as it ends.
pub(super) fn run(package: &str, names: &[&str]) -> Result<BTreeMap<String, Ran>, Box<dyn Error>> {
    let mut arguments = vec!["test", "--package", package, "--test", "it", "--"];
    arguments.extend(["--exact", "--show-output"]);
    arguments.extend(names);
    let mut child = crate::ci::cargo_command(&arguments)
        // It would mix the outputs of all tests.
        .env_remove("RUST_TEST_NOCAPTURE")
        .stdout(Stdio::piped())
        .spawn()?;
    let mut lines = Vec::new();
    let output = child.stdout.take().ok_or("a test without output")?;
    for line in BufReader::new(output).lines() {
        let line = line?;
        if result(&line).is_some() {
            println!("  {line}");
        }
        lines.push(line);
    }
    let status = child.wait()?;
    let ran = read(&lines)?;
    if let Some(missing) = names.iter().find(|&&name| !ran.contains_key(name)) {
        return Err(format!("{package}: the test `{missing}` did not run").into());
    }
    let fails = ran.values().any(|ran| ran.outcome == Outcome::Failed);
    if !status.success() && !fails {
        return Err(format!("{package}: its tests ended with {status}").into());
    }
    Ok(ran)
}

/// Name and result in the line of a test that ended.
fn result(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("test ")?.split_once(" ... ")
}

/// Reads the output of tests: a line for each test, then what each printed.
fn read(lines: &[String]) -> Result<BTreeMap<String, Ran>, String> {
    let is_heading = |line: &String| line == "successes:" || line == "failures:";
    let results = lines.iter().take_while(|line| !is_heading(line));
    let mut ran: BTreeMap<String, Ran> = results
        .filter_map(|line| result(line))
        .map(|(name, word)| {
            // A test that is ignored judges nothing.
            let outcome = match word {
                "ok" => Outcome::Passed,
                _ => Outcome::Failed,
            };
            let figures = Vec::new();
            (name.to_owned(), Ran { outcome, figures })
        })
        .collect();
    let mut current = None;
    for line in lines.iter().skip_while(|line| !is_heading(line)) {
        let header = line.strip_prefix("---- ");
        if let Some(name) = header.and_then(|rest| rest.strip_suffix(" stdout ----"))
            && ran.contains_key(name)
        {
            current = Some(name);
        } else if let Some(of_test) = current.and_then(|name| ran.get_mut(name)) {
            if line.starts_with("skipped\t") && of_test.outcome == Outcome::Passed {
                of_test.outcome = Outcome::Skipped;
            }
            if let Some(fields) = line.strip_prefix("figure\t") {
                let figure = figure(fields).ok_or_else(|| format!("no figure: {line}"))?;
                of_test.figures.push(figure);
            }
        }
    }
    Ok(ran)
}

/// The figure of these fields.
fn figure(fields: &str) -> Option<Figure> {
    let fields: Vec<&str> = fields.split('\t').collect();
    let &[what, unit, value, bound, holds] = fields.as_slice() else {
        return None;
    };
    Some(Figure {
        what: what.to_owned(),
        unit: unit.to_owned(),
        value: value.parse().ok()?,
        bound: bound.to_owned(),
        holds: holds.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(output: &str) -> Vec<String> {
        output.lines().map(str::to_owned).collect()
    }

    #[test]
    fn figures_belong_to_the_test_that_stated_them() {
        let output = "test a::first ... ok\ntest a::second ... FAILED\ntest a::third ... ok\n\nsuccesses:\n\n\
                      ---- a::first stdout ----\nfigure\theight\tm\t1.5e0\tabove 1.2\ttrue\nother words\n\n\
                      ---- a::third stdout ----\nskipped\tthere is no data\n\nfailures:\n\n\
                      ---- a::second stdout ----\nfigure\tgain\tJ\tNaN\tbelow 0\tfalse\n";
        let ran = read(&lines(output)).expect("figures");
        assert_eq!(ran["a::first"].outcome, Outcome::Passed);
        assert_eq!(ran["a::second"].outcome, Outcome::Failed);
        assert_eq!(ran["a::third"].outcome, Outcome::Skipped);
        let height = &ran["a::first"].figures[0];
        assert_eq!(
            (height.value, height.bound.as_str(), height.holds),
            (1.5, "above 1.2", true)
        );
        assert!(!ran["a::second"].figures[0].holds);
        assert_eq!(ran["a::third"].figures, []);
    }

    /// The output of a test may look like that of the program that runs it.
    #[test]
    fn outputs_of_tests_change_no_result() {
        let output = "test a::first ... FAILED\n\nsuccesses:\n\nfailures:\n\n---- a::first stdout ----\n\
                      test a::first ... ok\n---- b::other stdout ----\nfigure\tx\t\t1e0\tabove 0\ttrue\n";
        let ran = read(&lines(output)).expect("figures");
        assert_eq!(ran["a::first"].outcome, Outcome::Failed);
        assert_eq!(ran["a::first"].figures.len(), 1);
        assert!(
            read(&lines(
                "test a ... ok\nsuccesses:\n---- a stdout ----\nfigure\tx"
            ))
            .is_err()
        );
    }
}
