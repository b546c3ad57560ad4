//! The run status, exit code and last lines of a run, from its counters and its end.

use serde::Serialize;

use super::counters::Counters;
use crate::Simulation;

/// End of the steps of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// All steps were taken.
    Completed,
    /// The user interrupted it.
    Interrupted,
    /// A step could not be completed, with the reason.
    Stopped(String),
}

/// End of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Run status.
    pub status: Status,
    /// Exit code of the program.
    pub exit_code: u8,
    /// The reason, if it did not simply complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Deviations that the user accepts in advance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Unmet guarantees: the run then counts as completed, and its last lines still name them.
    pub inexact: bool,
    /// Inverted elements, by the key `solver.allow_inversion` of the scene.
    pub inversion: bool,
}

/// End of a run: whether all steps were taken, and all guarantees hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All steps were taken, and all guarantees hold.
    Completed,
    /// All steps were taken, but a guarantee does not hold.
    Inexact,
    /// A step could not be completed.
    Stopped,
    /// The user interrupted it.
    Interrupted,
}

impl Status {
    /// Its name in `summary.json` and in the last line of a run.
    pub fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Inexact => "inexact",
            Self::Stopped => "stopped",
            Self::Interrupted => "interrupted",
        }
    }

    /// Exit code of the program: 0 if all guarantees hold, else as `docs/cli.md` lists it.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Completed => 0,
            Self::Stopped => 4,
            Self::Inexact => 5,
            Self::Interrupted => 130,
        }
    }
}

/// Status of a run with its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether all steps were taken, and all guarantees hold.
    pub status: Status,
    /// Why the status is not `completed`; an interrupted run needs no reason.
    pub message: Option<String>,
    /// Further last lines: unmet guarantees that are not in the message, accepted inversions, and the
    /// first step that may be too long.
    pub notes: Vec<String>,
}

impl Verdict {
    /// The part that goes into `summary.json`.
    pub fn outcome(&self) -> Outcome {
        Outcome {
            status: self.status,
            exit_code: self.status.exit_code(),
            message: self.message.clone(),
        }
    }
}

/// First events of their kind in a run, as messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FirstEvents<'a> {
    /// The first surfaces that crossed, if known.
    pub crossing: Option<&'a str>,
    /// The first step that may be too long without geometric stiffness.
    pub long_step: Option<&'a str>,
}

impl<'a> FirstEvents<'a> {
    /// Those of a simulation so far.
    pub fn of(simulation: &'a Simulation) -> Self {
        Self {
            crossing: simulation.first_crossing(),
            long_step: simulation.long_step(),
        }
    }
}

/// The verdict for a run that ended by `end` with `counters` and `first`.
pub fn verdict(
    counters: &Counters,
    end: End,
    accepted: Accepted,
    first: FirstEvents<'_>,
) -> Verdict {
    let mut unmet = unmet_guarantees(counters);
    let mut notes = Vec::new();
    if counters.crossings > 0 {
        let first = (first.crossing).map_or(String::new(), |first| format!("; first {first}"));
        unmet.push(format!(
            "surfaces crossed in {} steps (see column `crossings` of steps.csv){first}\n  \
             mend: use stepper = \"synchronous\", which prevents crossings, join the bodies, or move them apart",
            counters.crossings
        ));
    }
    if counters.inverted_elements > 0 {
        let problem = inverted(counters.inverted_elements);
        if accepted.inversion {
            notes.push(format!("{problem}; `solver.allow_inversion` allows it"));
        } else {
            unmet.push(format!(
                "{problem}\n  mend: shorten time.step, use a finer mesh or a stiffer material, or allow it by \
                 solver.allow_inversion = true"
            ));
        }
    }
    let (status, message) = match end {
        End::Stopped(message) => (Status::Stopped, Some(message)),
        End::Interrupted => (Status::Interrupted, None),
        End::Completed if unmet.is_empty() || accepted.inexact => (Status::Completed, None),
        End::Completed => {
            let mut message = unmet.join("\n");
            message.push_str(", or accept it with --accept-inexact");
            unmet.clear();
            (Status::Inexact, Some(message))
        }
    };
    notes.extend(unmet);
    notes.extend(first.long_step.map(str::to_owned));
    Verdict {
        status,
        message,
        notes,
    }
}

/// A paragraph for each guarantee that is unmet according to `counters`.
fn unmet_guarantees(counters: &Counters) -> Vec<String> {
    let rows = [
        (
            counters.inexact_solves,
            "inexact_solves",
            "substeps were accepted although their solve missed its tolerance",
            "raise solver.max_iterations, or shorten time.step",
        ),
        (
            counters.relaxed_solves,
            "relaxed_solves",
            "substeps were accepted with friction converged to the gap tolerance only",
            "raise solver.max_iterations, or shorten time.step",
        ),
        (
            counters.unmet_momentum,
            "unmet_momentum",
            "substeps were accepted with a momentum residual above twice the tolerance",
            "shorten time.step, or use another solver.method",
        ),
        (
            counters.energy_gains,
            "energy_gains",
            "steps gained energy that no external work explains",
            "shorten time.step, or write solver.tolerances = \"tight\"",
        ),
    ];
    rows.into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, column, problem, mend)| {
            format!("{count} {problem} (see column `{column}` of steps.csv)\n  mend: {mend}")
        })
        .collect()
}

fn inverted(count: u64) -> String {
    format!(
        "inverted elements: {count}, summed over the ends of steps (see column `inverted_elements` of steps.csv)"
    )
}
