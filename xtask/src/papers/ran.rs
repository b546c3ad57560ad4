//! Runs tests, and reads the figures that they print.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

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
    let mut child = Command::new(env!("CARGO"))
        .args(["test", "--package", package, "--test", "it", "--"])
        .args(["--exact", "--show-output"])
        .args(names)
        .stdout(Stdio::piped())
        .spawn()?;
    let mut lines = Vec::new();
    let output = child.stdout.take().ok_or("a test without output")?;
    for line in BufReader::new(output).lines() {
        let line = line?;
        if line.starts_with("test ") {
            println!("  {line}");
        }
        lines.push(line);
    }
    child.wait()?;
    let ran = read(&lines);
    if let Some(missing) = names.iter().find(|&&name| !ran.contains_key(name)) {
        return Err(format!("{package}: the test `{missing}` did not run").into());
    }
    Ok(ran)
}

/// Reads the output of tests.
fn read(lines: &[String]) -> BTreeMap<String, Ran> {
    let mut ran = BTreeMap::new();
    let mut current: Option<String> = None;
    for line in lines {
        if let Some((name, word)) =
            (line.strip_prefix("test ")).and_then(|rest| rest.split_once(" ... "))
        {
            let outcome = match word {
                "ok" => Outcome::Passed,
                word if word.starts_with("ignored") => Outcome::Skipped,
                _ => Outcome::Failed,
            };
            let figures = Vec::new();
            ran.insert(name.to_owned(), Ran { outcome, figures });
        } else if let Some(name) =
            (line.strip_prefix("---- ")).and_then(|rest| rest.strip_suffix(" stdout ----"))
        {
            current = Some(name.to_owned());
        } else if let Some(of_test) = current.as_ref().and_then(|name| ran.get_mut(name)) {
            if line.starts_with("skipped") && of_test.outcome == Outcome::Passed {
                of_test.outcome = Outcome::Skipped;
            }
            of_test.figures.extend(figure(line));
        }
    }
    ran
}

/// The figure in a line, if it has one.
fn figure(line: &str) -> Option<Figure> {
    let fields: Vec<&str> = line.strip_prefix("figure\t")?.split('\t').collect();
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

    #[test]
    fn figures_belong_to_the_test_that_stated_them() {
        let output = "test a::first ... ok\ntest a::second ... FAILED\ntest a::third ... ok\n\nsuccesses:\n\n\
                      ---- a::first stdout ----\nfigure\theight\tm\t1.5e0\tabove 1.2\ttrue\nother words\n\n\
                      ---- a::third stdout ----\nskipped, there is no data\n\nfailures:\n\n\
                      ---- a::second stdout ----\nfigure\tgain\tJ\tNaN\tbelow 0\tfalse\n";
        let lines: Vec<String> = output.lines().map(str::to_owned).collect();
        let ran = read(&lines);
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
}
