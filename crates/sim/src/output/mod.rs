//! Output of a run: writing, reading, and verification from the files.
//!
//! - [`Recording`]: a simulation and all of its files
//! - [`FrameWriter`]: the folder of a run: `manifest.json`, `frame_NNNNN.vtu`, and their lists `frames.csv` and
//!   `frames.pvd`
//! - [`Frame`], [`read_frame`]: one stored state, exact to the last bit
//! - [`FrameContacts`], [`read_contacts`]: the contacts of a frame, `contacts_NNNNN.vtp`
//! - [`FrameLines`], [`read_lines`]: the links and ropes of a frame, `lines_NNNNN.vtp`
//! - [`read_pieces`]: the straight pieces of an asynchronous motion between two frames
//! - [`Manifest`]: the scene and the frames of a run, with checksums
//! - [`StepsCsv`]: `steps.csv`, one row per step
//! - [`EnergiesCsv`]: `energies.csv`, the balance sheet of every body and step
//! - [`ReactionsCsv`]: `reactions.csv`, forces of held nodes, driven bodies and joints
//! - [`RigidCsv`]: `rigid.csv`, pose, velocity and contact wrench of rigid bodies
//! - [`Summary`]: `summary.json`, means and medians of every column
//! - [`verdict()`]: status, exit code and last lines of a run from its counters
//! - [`Checkpoint`]: `checkpoint.bin`, from which a run resumes
//! - [`Study`]: one scene with several values of its keys, and the table of all runs
//! - [`write_events`]: `events.json`, statistics of the asynchronous stepper
//! - [`ProblemDump`], [`read_problem`]: contact problems, to be solved outside of the run
//! - [`verify_run`], [`verify_frame`]: proof of the guarantees from the files alone
//!
//! Tables and lists (`steps.csv`, `energies.csv`, `reactions.csv`, `rigid.csv`, `frames.csv`, `frames.pvd`,
//! `contacts.pvd`, `lines.pvd`) grow by whole entries.
//! Every other file is written under another name and renamed when it is complete. So an interrupted run is readable up
//! to its last frame.
//! `docs/output.md` documents every field.

mod arrays;
mod checkpoint;
mod companions;
mod contacts;
mod counters;
mod energies;
mod events;
mod folder;
mod frame;
mod lines;
mod listing;
mod lock;
mod manifest;
mod names;
mod pieces;
mod problems;
mod reactions;
mod recording;
mod rigid;
mod rows;
mod statistics;
mod steps;
mod study;
mod summary;
mod verdict;
mod verify;
mod vtu;

pub use crate::disk::{Checksum, OutputError};
use crate::disk::{atomic, format};
use impinge_geometry::io::{open_regular as regular_file, read_regular};

pub use checkpoint::Checkpoint;
pub use contacts::{FrameContacts, StoredContact, read_contacts};
pub use counters::Counters;
pub use energies::EnergiesCsv;
pub use events::write_events;
pub use folder::{Beside, FrameStamp, FrameWriter, KeptFrames, RunHeader};
pub use frame::Frame;
pub use lines::{FrameLines, read_lines};
pub use listing::FrameEntry;
pub use manifest::{HalfSpaceEntry, Manifest, NO_STRAIGHT_MOTION};
pub use pieces::read_pieces;
pub use problems::{DumpWhen, DumpWhenError, ProblemDump, read_problem};
pub use reactions::ReactionsCsv;
pub use recording::{RecordError, Recorded, Recording};
pub use rigid::RigidCsv;
pub use rows::KeptRows;
pub use statistics::Statistics;
pub use steps::{StepsCsv, column_names};
pub use study::{Point, Row, Study, StudyError};
pub use summary::{RunFacts, Summary, peak_memory};
pub use verdict::{Accepted, End, FirstEvents, Outcome, Status, Verdict, verdict};
pub use verify::{Finding, Problem, Verification, verify_frame, verify_run};
pub use vtu::read_frame;
