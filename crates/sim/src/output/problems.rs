//! Stores selected contact problems of a run.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use impinge_contact::stored::Origin;
use impinge_contact::{StoredProblem, Termination};
use thiserror::Error;

use super::{OutputError, atomic, read_regular};
use crate::stepper::{Solve, SolveObserver};

/// Folder of the problems within that of the run.
pub(super) const FOLDER: &str = "problems";

/// Selection of the solves to store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DumpWhen {
    /// `all`: every solve.
    All,
    /// `step:100` or `step:100..110`: solves of these steps, both ends included.
    Steps {
        /// The first step.
        first: u64,
        /// The last step.
        last: u64,
    },
    /// `iterations>500`: solves with more iterations.
    Iterations(u64),
    /// `unmet`: solves that did not converge.
    Unmet,
}

/// Text that is no valid selection.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{0}` names no solves; write `all`, `step:100`, `step:100..110`, `iterations>500` or `unmet`"
)]
pub struct DumpWhenError(String);

impl FromStr for DumpWhen {
    type Err = DumpWhenError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || DumpWhenError(text.to_owned());
        let number = |text: &str| text.trim().parse::<u64>().map_err(|_| refused());
        let when = if text == "all" {
            Self::All
        } else if text == "unmet" {
            Self::Unmet
        } else if let Some(least) = text.strip_prefix("iterations>") {
            Self::Iterations(number(least)?)
        } else if let Some(steps) = text.strip_prefix("step:") {
            let (first, last) = steps.split_once("..").unwrap_or((steps, steps));
            Self::Steps {
                first: number(first)?,
                last: number(last)?,
            }
        } else {
            return Err(refused());
        };
        match when {
            Self::Steps { first, last } if first > last || first == 0 => Err(refused()),
            _ => Ok(when),
        }
    }
}

impl fmt::Display for DumpWhen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Steps { first, last } if first == last => write!(f, "step:{first}"),
            Self::Steps { first, last } => write!(f, "step:{first}..{last}"),
            Self::Iterations(least) => write!(f, "iterations>{least}"),
            Self::Unmet => f.write_str("unmet"),
        }
    }
}

impl DumpWhen {
    /// Whether the selection includes `solve`.
    pub fn includes(&self, solve: &Solve<'_>) -> bool {
        match *self {
            Self::All => true,
            Self::Steps { first, last } => (first..=last).contains(&solve.stamp.step),
            Self::Iterations(least) => solve.report.iterations > least,
            Self::Unmet => solve.report.termination != Termination::Converged,
        }
    }
}

/// Writes `problems/step_NNNNN_round_RR.problem` for every selected solve; the name of those after the first island of
/// a round ends in `_island_II`.
///
/// A clone shares the state: one goes to the simulation, another reports the result.
#[derive(Debug, Clone)]
pub struct ProblemDump(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    scene: String,
    when: Vec<DumpWhen>,
    written: u64,
    /// The first write error; no file is written after it.
    error: Option<OutputError>,
    failed: bool,
}

impl ProblemDump {
    /// Stores problems into the folder `run` of a run of `scene`, if any of `when` selects them.
    ///
    /// # Errors
    /// [`OutputError`] if the folder `problems` cannot be created.
    pub fn create(
        run: &Path,
        scene: impl Into<String>,
        when: Vec<DumpWhen>,
    ) -> Result<Self, OutputError> {
        let folder = run.join(FOLDER);
        fs::create_dir_all(&folder).map_err(|source| OutputError::write(&folder, source))?;
        Ok(Self(Arc::new(Mutex::new(Inner {
            folder,
            scene: scene.into(),
            when,
            written: 0,
            error: None,
            failed: false,
        }))))
    }

    /// Number of problems written up to now.
    ///
    /// # Errors
    /// The first [`OutputError`]; it is returned once.
    pub fn written(&self) -> Result<u64, OutputError> {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.error.take().map_or(Ok(inner.written), Err)
    }
}

impl SolveObserver for ProblemDump {
    fn solved(&mut self, solve: &Solve<'_>) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.failed || !inner.when.iter().any(|when| when.includes(solve)) {
            return;
        }
        let stamp = solve.stamp;
        let stored = StoredProblem {
            problem: solve.problem.clone(),
            start: solve.start.clone(),
            method: solve.method,
            origin: Origin {
                scene: inner.scene.clone(),
                step: stamp.step,
                round: stamp.round,
                time: stamp.time,
            },
        };
        let island = match stamp.island {
            0 => String::new(),
            number => format!("_island_{number:02}"),
        };
        let (step, round) = (stamp.step, stamp.round);
        let name = format!("step_{step:05}_round_{round:02}{island}.problem");
        match atomic::write(&inner.folder.join(name), &stored.to_bytes()) {
            Ok(()) => inner.written += 1,
            Err(error) => {
                inner.error = Some(error);
                inner.failed = true;
            }
        }
    }
}

/// Reads one stored problem.
///
/// # Errors
/// [`OutputError::ReadProblem`] if the file cannot be read, [`OutputError::Problem`] if it is no stored problem.
pub fn read_problem(path: &Path) -> Result<StoredProblem, OutputError> {
    let bytes = read_regular(path).map_err(|source| OutputError::ReadProblem {
        path: path.to_owned(),
        source,
    })?;
    StoredProblem::from_bytes(&bytes).map_err(|source| OutputError::Problem {
        path: path.to_owned(),
        source: Box::new(source),
    })
}

/// Removes the problems of an earlier run from its folder, and their folder if it has no other files.
pub(super) fn clear(run: &Path) -> Result<(), OutputError> {
    let folder = run.join(FOLDER);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(OutputError::write(&folder, source)),
    };
    for entry in entries {
        let path = entry
            .map_err(|source| OutputError::write(&folder, source))?
            .path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name
            .strip_prefix('.')
            .and_then(|rest| rest.strip_suffix(".part"))
            .unwrap_or(&name);
        let own = name.starts_with("step_") && name.ends_with(".problem");
        if own {
            fs::remove_file(&path).map_err(|source| OutputError::write(&path, source))?;
        }
    }
    match fs::remove_dir(&folder) {
        Err(error) if error.kind() != io::ErrorKind::DirectoryNotEmpty => {
            Err(OutputError::write(&folder, error))
        }
        _ => Ok(()),
    }
}
