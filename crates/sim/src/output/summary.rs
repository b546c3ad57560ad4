//! `summary.json`: a run in one page.

use std::path::Path;

use serde::{Deserialize, Serialize, Serializer};

use super::steps::{column_names, columns};
use super::verdict::Status;
use super::{Checksum, OutputError, atomic};
use crate::report::StepReport;

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// One word.
    pub status: Status,
    /// Exit code of the program.
    pub exit_code: u8,
    /// Why it ended, when it did not simply complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What is known about a run besides its steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunFacts {
    /// Title of the scene.
    pub title: String,
    /// Checksum of the scene with its overrides.
    pub scene_hash: Checksum,
    /// Threads that the run could use.
    pub threads: usize,
    /// Points of all bodies and mesh obstacles.
    pub points: usize,
    /// Tetrahedra of all bodies.
    pub tets: usize,
    /// Frames stored.
    pub frames: usize,
    /// Wall time from the first step to the last (s).
    pub wall_seconds: f64,
}

/// Mean, median and range of one column over the steps where it is finite.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Statistics {
    /// Steps where the value is finite; the smallest gap, for one, is infinite without contacts.
    pub count: usize,
    /// Arithmetic mean; `null` (not a number) without values.
    pub mean: f64,
    /// Median: the mean of the two middle values of an even number.
    pub median: f64,
    /// Smallest value.
    pub minimum: f64,
    /// Largest value.
    pub maximum: f64,
    /// Sum.
    pub total: f64,
}

impl Statistics {
    /// Of the finite numbers among `values`.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
        let count = values.len();
        let total: f64 = values.iter().sum();
        values.sort_unstable_by(f64::total_cmp);
        let at = |index: usize| values.get(index).copied().unwrap_or(f64::NAN);
        Self {
            count,
            mean: total / count as f64,
            median: 0.5 * (at(count.wrapping_sub(1) / 2) + at(count / 2)),
            minimum: at(0),
            maximum: at(count.wrapping_sub(1)),
            total,
        }
    }
}

/// What did not go the straight way, over all steps: all zero in an untroubled run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Steps that were subdivided.
    pub subdivided_steps: u64,
    /// Attempts that were rolled back.
    pub rejected_attempts: u64,
    /// Solves accepted at a least-squares solution of over-constrained contacts.
    pub least_squares_solves: u64,
    /// Parts of steps accepted although their solve did not meet its tolerance.
    pub inexact_solves: u64,
    /// Parts of steps accepted with friction settled to the gap tolerance only.
    pub relaxed_solves: u64,
    /// Parts of steps accepted with a momentum residual beyond twice the tolerance.
    pub unmet_momentum: u64,
    /// Steps with a gain of energy that nothing outside explains.
    pub energy_gains: u64,
    /// Steps in which surfaces met that no contact keeps apart.
    pub crossings: u64,
    /// Elements whose volume is not positive, summed over the ends of steps.
    pub inverted_elements: u64,
    /// Solves that Newton's method on the contact forces finished.
    pub rescued_solves: u64,
    /// Restarts from the plain diagonal preconditioner.
    pub preconditioner_fallbacks: u64,
    /// Contacts kept with clamped weights.
    pub loose_contacts: u64,
    /// Motions that left the box that the broad phase covered, found and covered again.
    pub box_overruns: u64,
    /// Continuous collision queries that stopped at their work limit and were counted as impacts.
    pub ccd_work_limits: u64,
}

/// Collects the steps of a run for `summary.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Values of all columns, step after step.
    rows: Vec<Vec<f64>>,
    times: Vec<f64>,
    settled_after: f64,
    counters: Counters,
}

impl Summary {
    /// An empty summary; steps that end after `settled_after` (s) also count as settled.
    pub fn new(settled_after: f64) -> Self {
        Self {
            rows: Vec::new(),
            times: Vec::new(),
            settled_after,
            counters: Counters::default(),
        }
    }

    /// Takes in one step.
    pub fn add(&mut self, report: &StepReport) {
        self.rows.push(
            columns(report)
                .into_iter()
                .map(|(_, number)| number.value())
                .collect(),
        );
        self.times.push(report.time);
        let counters = &mut self.counters;
        counters.subdivided_steps += u64::from(report.substeps > 1);
        counters.rejected_attempts += u64::from(report.rejected);
        counters.least_squares_solves += u64::from(report.least_squares_solves);
        counters.inexact_solves += u64::from(report.inexact_solves);
        counters.relaxed_solves += u64::from(report.relaxed_solves);
        counters.unmet_momentum += u64::from(report.unmet_momentum);
        counters.energy_gains += u64::from(report.energy_gains);
        counters.crossings += u64::from(report.crossings);
        counters.inverted_elements += u64::from(report.inverted_elements);
        counters.rescued_solves += u64::from(report.rescued_solves);
        counters.preconditioner_fallbacks += u64::from(report.preconditioner_fallbacks);
        counters.loose_contacts += u64::from(report.loose_contacts);
        counters.box_overruns += u64::from(report.box_overruns);
        counters.ccd_work_limits += u64::from(report.ccd_work_limits);
    }

    /// What did not go the straight way so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Steps taken in.
    pub fn steps(&self) -> usize {
        self.rows.len()
    }

    /// Statistics of every column over the steps that end after `from` (s).
    pub fn statistics(&self, from: f64) -> Vec<(&'static str, Statistics)> {
        column_names()
            .into_iter()
            .enumerate()
            .skip(2) // the step's number and time
            .map(|(column, name)| {
                let late = self.rows.iter().zip(&self.times);
                let values = late
                    .filter(|(_, time)| **time > from)
                    .map(|(row, _)| row[column]);
                (name, Statistics::of(values))
            })
            .collect()
    }

    /// Writes `summary.json` into `folder`.
    ///
    /// # Errors
    /// [`OutputError`] for what the system refuses.
    pub fn write(
        &self,
        folder: impl AsRef<Path>,
        facts: &RunFacts,
        outcome: &Outcome,
    ) -> Result<(), OutputError> {
        let path = folder.as_ref().join("summary.json");
        let page = Page {
            version: env!("CARGO_PKG_VERSION"),
            outcome,
            facts,
            peak_memory_bytes: peak_memory(),
            steps: self.steps(),
            end_time: self.times.last().copied().unwrap_or(0.0),
            counters: self.counters,
            all: Table(self.statistics(f64::NEG_INFINITY)),
            settled_after: self.settled_after,
            settled: Table(self.statistics(self.settled_after)),
        };
        let mut bytes = serde_json::to_vec_pretty(&page)
            .map_err(|error| OutputError::format(&path, error.to_string()))?;
        bytes.push(b'\n');
        atomic::write(&path, &bytes)
    }
}

#[derive(Serialize)]
struct Page<'a> {
    version: &'static str,
    outcome: &'a Outcome,
    #[serde(flatten)]
    facts: &'a RunFacts,
    peak_memory_bytes: Option<u64>,
    steps: usize,
    end_time: f64,
    counters: Counters,
    all: Table,
    settled_after: f64,
    settled: Table,
}

/// A JSON object that keeps the order of the columns.
struct Table(Vec<(&'static str, Statistics)>);

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, statistics)| (name, statistics)))
    }
}

/// Most memory this process ever held (bytes), on systems that tell (Linux).
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
