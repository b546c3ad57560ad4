//! What a run leaves on disk, how it is read back, and how it is proved again.
//!
//! - [`FrameWriter`]: the folder of a run: `frame_NNNNN.vtu`, `frames.pvd` and `manifest.json`
//! - [`Frame`], [`read_frame`]: one stored state, exact to the last bit
//! - [`Manifest`]: which frames there are, of what scene, with checksums
//! - [`StepsCsv`]: `steps.csv`, one row per step
//! - [`Summary`]: `summary.json`, means and medians of every column
//! - [`ProblemDump`], [`read_problem`]: contact problems, to be solved again outside of the run
//! - [`verify_run`], [`verify_frame`]: the guarantees proved again from the files alone
//!
//! Every file but `steps.csv` appears whole or not at all: it is written beside its place and renamed. `steps.csv`
//! grows by whole rows. An interrupted run is therefore readable up to its last frame. `docs/output.md` documents
//! every field.

mod atomic;
mod checksum;
mod error;
mod folder;
mod frame;
mod manifest;
mod problems;
mod steps;
mod summary;
mod verify;
mod vtu;

pub use checksum::Checksum;
pub use error::OutputError;
pub use folder::{FrameStamp, FrameWriter, RunHeader};
pub use frame::Frame;
pub use manifest::{FrameEntry, HalfSpaceEntry, Manifest};
pub use problems::{DumpWhen, DumpWhenError, ProblemDump, read_problem};
pub use steps::{StepsCsv, column_names};
pub use summary::{Counters, Outcome, RunFacts, Statistics, Summary, peak_memory};
pub use verify::{Finding, Problem, Verification, verify_frame, verify_run};
pub use vtu::read_frame;
