//! Exit codes of the program.

use impinge_sim::output::{OutputError, RecordError, Status};
use impinge_sim::scene::SceneError;
use impinge_sim::{SimError, StepError, StepFailure};

/// Exit codes; 0 is success and 2 a usage error, which clap reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    /// Verification or the doctor found a fault, or a stored problem was not solved to tolerance.
    Unsound,
    /// A scene, mesh, problem or run folder is unusable, or the value of an option is invalid for it.
    BadInput,
    /// A step could not be completed; all earlier steps of a run are on disk.
    Stopped,
    /// The run completed, but a guarantee does not hold.
    Inexact,
    /// Output could not be written.
    Output,
    /// Ctrl-C or SIGTERM.
    Interrupted,
}

impl Code {
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Unsound => 1,
            Self::BadInput => 3,
            Self::Stopped => Status::Stopped.exit_code(),
            Self::Inexact => Status::Inexact.exit_code(),
            Self::Output => 6,
            Self::Interrupted => Status::Interrupted.exit_code(),
        }
    }

    /// The exit code of a run; `None` if it completed.
    pub(crate) fn of(status: Status) -> Option<Self> {
        match status {
            Status::Completed => None,
            Status::Inexact => Some(Self::Inexact),
            Status::Stopped => Some(Self::Stopped),
            Status::Interrupted => Some(Self::Interrupted),
        }
    }
}

/// The table of `--help`.
pub(crate) const EXIT_CODES: &str = "Exit codes:
  0    success
  1    verify, doctor: errors found; solve: tolerance not met
  2    invalid command line
  3    unusable scene, mesh, problem, run folder or option value
  4    run, compare: a step failed; all earlier results of the run are on disk
  5    run: complete, but a guarantee does not hold; the last lines name it (see --accept-inexact)
  6    output could not be written
  130  interrupted; the last whole step of a run is on disk";

/// Reason for an end without success.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) code: Code,
    /// One paragraph; empty if already printed.
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    pub(crate) fn bad_input(error: &dyn std::error::Error) -> Self {
        Self::new(Code::BadInput, error.to_string())
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Self::bad_input(&error)
    }
}

impl From<SimError> for Failure {
    fn from(error: SimError) -> Self {
        Self::bad_input(&error)
    }
}

impl From<StepError> for Failure {
    fn from(error: StepError) -> Self {
        if error.failure == StepFailure::Interrupted {
            return Self::new(Code::Interrupted, String::new());
        }
        Self::new(Code::Stopped, error.to_string())
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Output(error) => error.into(),
            RecordError::Sim(error) => error.into(),
            _ => Self::bad_input(&error),
        }
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        let code = match error {
            OutputError::Read { .. }
            | OutputError::ReadProblem { .. }
            | OutputError::NothingToResume { .. }
            | OutputError::OtherScene { .. }
            | OutputError::OtherMeshes { .. }
            | OutputError::OtherFormat { .. }
            | OutputError::FrameLost { .. }
            | OutputError::Format { .. }
            | OutputError::Problem { .. } => Code::BadInput,
            _ => Code::Output,
        };
        Self::new(code, error.to_string())
    }
}
