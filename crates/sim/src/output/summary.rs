//! `summary.json`: statistics of a run.

use std::path::Path;

use serde::{Serialize, Serializer};

use super::counters::Counters;
use super::energies::EnergyTotals;
use super::statistics::{ColumnStatistics, of_steps};
use super::steps::STEPS_CSV;
use super::verdict::Outcome;
use super::{Checksum, OutputError, atomic};
use crate::report::StepReport;

/// Name of the file.
pub(super) const SUMMARY: &str = "summary.json";

/// Data of a run besides its steps.
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

/// Collects the steps of a run for `summary.json`.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    steps: u64,
    end_time: f64,
    settled_after: f64,
    counters: Counters,
}

impl Summary {
    /// An empty summary; steps that end after `settled_after` (s) also count as settled.
    pub fn new(settled_after: f64) -> Self {
        Self {
            steps: 0,
            end_time: 0.0,
            settled_after,
            counters: Counters::default(),
        }
    }

    /// Resumes after `steps` steps that end at `end_time` (s) and have the counters `counters`.
    #[must_use]
    pub fn after(self, steps: u64, end_time: f64, counters: Counters) -> Self {
        Self {
            steps,
            end_time,
            counters,
            ..self
        }
    }

    /// Counts one step, and its irregular events.
    pub fn add(&mut self, report: &StepReport) {
        self.steps += 1;
        self.end_time = report.time;
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

    /// Counters up to now.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Number of steps up to now.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Writes `summary.json` into `folder`, with statistics of the `steps.csv` there, and sums of the
    /// `energies.csv`, if there is one.
    ///
    /// # Errors
    /// [`OutputError`] of `steps.csv`, or of the operating system.
    pub fn write(
        &self,
        folder: impl AsRef<Path>,
        facts: &RunFacts,
        outcome: &Outcome,
    ) -> Result<(), OutputError> {
        let energies = EnergyTotals::of(folder.as_ref())?;
        self.write_with(folder.as_ref(), facts, outcome, energies)
    }

    /// The same with the sums of the `energies.csv`.
    pub(super) fn write_with(
        &self,
        folder: &Path,
        facts: &RunFacts,
        outcome: &Outcome,
        energies: Option<EnergyTotals>,
    ) -> Result<(), OutputError> {
        let path = folder.join(SUMMARY);
        let table = folder.join(STEPS_CSV);
        let [all, settled] = of_steps(&table, [f64::NEG_INFINITY, self.settled_after])?;
        let page = Page {
            version: env!("CARGO_PKG_VERSION"),
            outcome,
            facts,
            peak_memory_bytes: peak_memory(),
            steps: self.steps(),
            end_time: self.end_time,
            counters: self.counters,
            energies,
            all: Table(all),
            settled_after: self.settled_after,
            settled: Table(settled),
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
    steps: u64,
    end_time: f64,
    counters: Counters,
    #[serde(skip_serializing_if = "Option::is_none")]
    energies: Option<EnergyTotals>,
    all: Table,
    settled_after: f64,
    settled: Table,
}

/// A JSON object that keeps the order of the columns.
pub(super) struct Table(pub(super) ColumnStatistics);

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, statistics)| (name, statistics)))
    }
}

/// Peak memory of this process (bytes), if the operating system reports it (Linux).
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
