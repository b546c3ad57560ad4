//! What a run leaves on disk, how it is read back, and how it is proved again.
//!
//! - [`FrameWriter`]: the folder of a run: `manifest.json`, `frame_NNNNN.vtu`, and their lists `frames.csv` and `frames.pvd`
//! - [`Frame`], [`read_frame`]: one stored state, exact to the last bit
//! - [`read_pieces`]: the straight pieces of an asynchronous motion between two frames
//! - [`Manifest`]: of what scene the run is and which frames there are, with checksums
//! - [`StepsCsv`]: `steps.csv`, one row per step
//! - [`RigidCsv`]: `rigid.csv`, pose, velocity and contact wrench of rigid bodies
//! - [`Summary`]: `summary.json`, means and medians of every column
//! - [`verdict()`]: status, exit code and last lines of a run from its counters
//! - [`Checkpoint`]: `checkpoint.bin`, from which a run is taken up again
//! - [`write_events`]: `events.json`, what the asynchronous stepper did
//! - [`ProblemDump`], [`read_problem`]: contact problems, to be solved again outside of the run
//! - [`verify_run`], [`verify_frame`]: the guarantees proved again from the files alone
//!
//! Tables and lists (`steps.csv`, `rigid.csv`, `frames.csv`, `frames.pvd`) grow by whole entries; every other file appears
//! whole or not at all: it is written beside its place and renamed. An interrupted run is therefore readable up to its last
//! frame, and what is written grows in proportion to the results. `docs/output.md` documents every field.

pub(crate) mod atomic;
mod checkpoint;
mod checksum;
mod counters;
mod error;
mod events;
mod folder;
mod format;
mod frame;
mod listing;
mod lock;
mod manifest;
mod pieces;
mod problems;
mod rigid;
mod rows;
mod statistics;
mod steps;
mod summary;
mod verdict;
mod verify;
mod vtu;

use impinge_geometry::io::{open_regular as regular_file, read_regular};

pub(crate) use atomic::write as write_whole;
pub use checkpoint::Checkpoint;
pub use checksum::Checksum;
pub use counters::Counters;
pub use error::OutputError;
pub use events::write_events;
pub use folder::{FrameStamp, FrameWriter, KeptFrames, RunHeader};
pub use frame::Frame;
pub use manifest::{FrameEntry, HalfSpaceEntry, Manifest, NO_STRAIGHT_MOTION};
pub use pieces::read_pieces;
pub use problems::{DumpWhen, DumpWhenError, ProblemDump, read_problem};
pub use rigid::RigidCsv;
pub use rows::KeptRows;
pub use statistics::Statistics;
pub use steps::{StepsCsv, column_names};
pub use summary::{RunFacts, Summary, peak_memory};
pub use verdict::{Accepted, End, Outcome, Status, Verdict, verdict};
pub use verify::{Finding, Problem, Verification, verify_frame, verify_run};
pub use vtu::read_frame;
