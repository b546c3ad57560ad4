//! Studies: one scene with several values of its keys, each run in a folder of its own, and one table of them all.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use thiserror::Error;

use super::statistics::for_each_row;
use super::steps::STEPS_CSV;
use super::summary::SUMMARY;
use super::{Checksum, OutputError, RunHeader, Status, column_names, read_regular, rows::encode};
use crate::scene::Scene;

/// Most runs of a study: more are a mistake of the grid.
const MOST_POINTS: usize = 100_000;

/// Longest name of a folder (bytes): common file systems allow 255.
const LONGEST_NAME: usize = 120;

/// Columns of wall-clock times, which differ from run to run.
const CLOCK: &str = "time_";

/// A grid that cannot be used.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StudyError {
    /// An axis without key or values.
    #[error(
        "`{axis}` is no axis of a grid\n  mend: write KEY=VALUE,VALUE,.., for example body.0.material.young=1e4,1e5"
    )]
    Axis {
        /// The axis as given.
        axis: String,
    },
    /// A value of an axis twice, or a key on two axes.
    #[error("{what} is in the grid twice\n  mend: leave one of them out")]
    Twice {
        /// The value or the key.
        what: String,
    },
    /// A grid of too many runs.
    #[error("the grid has more than {MOST_POINTS} runs\n  mend: divide it")]
    TooMany,
}

/// The values of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Axis {
    key: String,
    values: Vec<String>,
}

/// A grid of keys and their values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Study(Vec<Axis>);

/// One run of a study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// The value of each key, in the order of the keys of the study.
    pub values: Vec<String>,
    /// The same as overrides of the scene: `KEY=VALUE`.
    pub overrides: Vec<String>,
    /// Name of its folder, made of its values: it is the same in a larger grid of the same keys.
    pub folder: String,
}

/// End of a run of a study, and its results.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// `completed`, `inexact` or `stopped` as in `summary.json`; `failed` without a result.
    pub status: String,
    /// The reason for an incomplete run.
    pub message: String,
    /// Results by the name of their column.
    results: BTreeMap<String, String>,
}

impl Study {
    /// The grid of axes `KEY=VALUE,VALUE,..`. Commas within brackets, braces and quotes do not divide.
    ///
    /// # Errors
    /// [`StudyError`] for an axis without values, or a grid with two equal runs.
    pub fn parse(axes: &[impl AsRef<str>]) -> Result<Self, StudyError> {
        let mut parsed: Vec<Axis> = Vec::new();
        let mut points = 1usize;
        for axis in axes {
            let text = axis.as_ref();
            let refused = || StudyError::Axis {
                axis: text.to_owned(),
            };
            let (key, values) = text.split_once('=').ok_or_else(refused)?;
            let key = key.trim().to_owned();
            let values = divided(values);
            if key.is_empty() || values.iter().any(String::is_empty) {
                return Err(refused());
            }
            if parsed.iter().any(|other| other.key == key) {
                return Err(StudyError::Twice { what: key });
            }
            for (index, value) in values.iter().enumerate() {
                if values[..index].contains(value) {
                    let what = format!("{key}={value}");
                    return Err(StudyError::Twice { what });
                }
            }
            points = points.saturating_mul(values.len());
            if points > MOST_POINTS {
                return Err(StudyError::TooMany);
            }
            parsed.push(Axis { key, values });
        }
        Ok(Self(parsed))
    }

    /// The dotted keys of the scene that vary, in the order of the axes.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|axis| axis.key.as_str())
    }

    /// All runs; the values of the last key vary fastest.
    pub fn points(&self) -> Vec<Point> {
        let mut all: Vec<Vec<String>> = vec![Vec::new()];
        for axis in &self.0 {
            let longer = all.iter().flat_map(|values| {
                let with =
                    |value: &String| [values.as_slice(), std::slice::from_ref(value)].concat();
                axis.values.iter().map(with)
            });
            all = longer.collect();
        }
        let keys: Vec<&str> = self.keys().collect();
        all.into_iter()
            .map(|values| {
                let pairs = keys.iter().zip(&values);
                let overrides: Vec<String> =
                    pairs.map(|(key, value)| format!("{key}={value}")).collect();
                Point {
                    folder: folder(&overrides, &values),
                    overrides,
                    values,
                }
            })
            .collect()
    }

    /// The table as text: keys, folder, status, message, then the results.
    ///
    /// # Errors
    /// [`OutputError`] if there are not as many rows as points.
    pub fn table(&self, rows: &[(Point, Row)]) -> Result<String, OutputError> {
        let results = result_names();
        let names = ["folder", "status", "message"];
        let heading: Vec<&str> = self
            .keys()
            .chain(names)
            .chain(results.iter().map(String::as_str))
            .collect();
        let lines = rows.iter().map(|(point, row)| {
            let own = [&point.folder, &row.status, &row.message];
            let found = results
                .iter()
                .map(|name| row.results.get(name).map_or("", String::as_str));
            let values = point.values.iter().chain(own).map(String::as_str);
            values.chain(found).map(str::to_owned).collect::<Vec<_>>()
        });
        let heading = heading.into_iter().map(str::to_owned).collect();
        let bytes = encode(std::iter::once(heading).chain(lines));
        let failed = |problem: String| OutputError::format(Path::new("sweep.csv"), problem);
        let bytes = bytes.map_err(|error| failed(error.to_string()))?;
        String::from_utf8(bytes).map_err(|error| failed(error.to_string()))
    }
}

impl Row {
    /// The row of a run without a result.
    pub fn failed(message: impl Into<String>) -> Self {
        Self {
            status: "failed".to_owned(),
            message: message.into(),
            results: BTreeMap::new(),
        }
    }

    /// The row of the run of `scene` up to step `steps` in `folder`; `None` if that run has not ended there, so that it
    /// has to be done.
    pub fn of(folder: &Path, scene: &Scene, steps: u64) -> Option<Self> {
        let bytes = read_regular(&folder.join(SUMMARY)).ok()?;
        let summary: Value = serde_json::from_slice(&bytes).ok()?;
        let status = summary["outcome"]["status"].as_str()?;
        let hash: Checksum = serde_json::from_value(summary["scene_hash"].clone()).ok()?;
        let taken = summary["steps"].as_u64()?;
        let ended = match status {
            status if status == Status::Stopped.name() => taken <= steps,
            status if status == Status::Interrupted.name() => false,
            _ => taken == steps,
        };
        if !ended || hash != RunHeader::hash_of(scene) {
            return None;
        }
        let mut results = BTreeMap::new();
        results.insert("steps".to_owned(), taken.to_string());
        for name in column_names().into_iter().filter(|name| is_result(name)) {
            let mean = &summary["settled"][name]["mean"];
            if mean.is_number() {
                results.insert(format!("mean_{name}"), mean.to_string());
            }
        }
        results.extend(last_row(folder).ok()?);
        Some(Self {
            status: status.to_owned(),
            message: summary["outcome"]["message"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            results,
        })
    }
}

/// Values of the last row of `steps.csv`, by the names of their columns in the table.
fn last_row(folder: &Path) -> Result<Vec<(String, String)>, OutputError> {
    let names = column_names();
    let mut last: Vec<String> = Vec::new();
    for_each_row(&folder.join(STEPS_CSV), &names, |fields| {
        last = fields.iter().map(str::to_owned).collect();
        Some(())
    })?;
    let all = names.into_iter().zip(last);
    let named = |(name, value): (&str, String)| {
        (name == "time" || is_result(name)).then(|| (format!("end_{name}"), value))
    };
    Ok(all.filter_map(named).collect())
}

/// Whether a column of `steps.csv` is a result, with a mean.
fn is_result(name: &str) -> bool {
    name != "step" && name != "time" && !name.starts_with(CLOCK)
}

/// Columns of results: steps, end time, values of the last step, means over the settled steps.
fn result_names() -> Vec<String> {
    let columns = || column_names().into_iter().filter(|name| is_result(name));
    let leading = ["steps", "end_time"].map(str::to_owned).into_iter();
    leading
        .chain(columns().map(|name| format!("end_{name}")))
        .chain(columns().map(|name| format!("mean_{name}")))
        .collect()
}

/// The parts of a list at its outer commas.
fn divided(text: &str) -> Vec<String> {
    let (mut depth, mut quote) = (0usize, None);
    let mut parts = vec![String::new()];
    for letter in text.chars() {
        match (letter, quote) {
            (_, Some(mark)) if letter == mark => quote = None,
            ('"' | '\'', None) => quote = Some(letter),
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth = depth.saturating_sub(1),
            (',', None) if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).collect()
}

/// The name of the folder of a run: its values as far as they can stand in names of files, and a checksum of the
/// overrides, which keeps runs apart.
fn folder(overrides: &[String], values: &[String]) -> String {
    let allowed = |letter: char| {
        if letter.is_ascii_alphanumeric() || "+-.".contains(letter) {
            letter
        } else {
            '_'
        }
    };
    let mut name: String = values.join("_").chars().map(allowed).collect();
    name.truncate(LONGEST_NAME);
    let mark = Checksum::of(overrides.join("\n").as_bytes()).to_string();
    format!("{name}_{}", &mark[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_key_varies_fastest_and_lists_stay_whole() {
        let study = Study::parse(&["a.b=1e4, 1e5", "c=[1,2],\"x,y\""]).unwrap();
        let overrides: Vec<Vec<String>> = study
            .points()
            .into_iter()
            .map(|point| point.overrides)
            .collect();
        assert_eq!(
            overrides,
            [
                ["a.b=1e4", "c=[1,2]"],
                ["a.b=1e4", "c=\"x,y\""],
                ["a.b=1e5", "c=[1,2]"],
                ["a.b=1e5", "c=\"x,y\""],
            ]
        );
    }

    #[test]
    fn folders_are_apart_and_those_of_a_larger_grid_are_the_same() {
        let few = Study::parse(&["a=1,[1]"]).unwrap().points();
        let more = Study::parse(&["a=0,1,[1]"]).unwrap().points();
        assert_ne!(few[0].folder, few[1].folder);
        assert_eq!(few[0].folder, more[1].folder);
        assert!(few[0].folder.starts_with("1_"));
        assert!(few[1].folder.starts_with("_1__"));
    }

    #[test]
    fn what_is_no_grid_is_named() {
        for axis in ["a", "=1", "a=", "a=1,,2"] {
            let error = Study::parse(&[axis]).unwrap_err();
            assert!(error.to_string().contains(axis), "{error}");
        }
        let twice = Study::parse(&["a=1,2,1"]).unwrap_err();
        assert!(twice.to_string().starts_with("a=1 is in the grid twice"));
        assert!(Study::parse(&["a=1", "a=2"]).is_err());
        let long = format!(
            "a={}",
            (0..1000)
                .map(|n| n.to_string())
                .collect::<Vec<_>>()
                .join(",")
        );
        let axes = [long.clone(), long.replace('a', "b")];
        assert_eq!(Study::parse(&axes), Err(StudyError::TooMany));
    }

    #[test]
    fn the_table_quotes_messages() {
        let study = Study::parse(&["a=1"]).unwrap();
        let point = study.points().remove(0);
        let table = study
            .table(&[(point, Row::failed("one, \"two\"\nthree"))])
            .unwrap();
        assert!(
            table.contains(",failed,\"one, \"\"two\"\"\nthree\","),
            "{table}"
        );
        assert!(table.starts_with("a,folder,status,message,steps,end_time,end_substeps,"));
        assert!(!table.contains("assemble"));
    }
}
