//! `checkpoint.bin`: the state from which a run resumes.

use std::borrow::Cow;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Checksum, Counters, OutputError, atomic, read_regular};
use crate::state::State;

/// Name of the file.
pub(super) const CHECKPOINT: &str = "checkpoint.bin";

/// First bytes of the file; the number increases with every change of the format.
const HEADER: &[u8; 21] = b"impinge checkpoint 5\n";

/// First bytes of the file in any version.
const ANY_HEADER: &[u8] = b"impinge checkpoint ";

/// Upper bound of valid counters: a thousand events per nanosecond over a year, and far from overflow of a sum.
const MAX_EVENTS: u64 = 1 << 55;

/// Length of the checksum after the header (bytes).
const CHECKSUM_LEN: usize = 8;

/// A run at the moment of a stored frame.
///
/// The state holds every number to the last bit, so a resumed run equals an uninterrupted one. It does not know of
/// [extensions](crate::extension): the resumed simulation needs the same ones, and their state is lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint<'a> {
    /// Checksum of the scene with its overrides.
    pub scene_hash: Checksum,
    /// State of the bodies.
    pub state: Cow<'a, State>,
    /// Counters up to now.
    pub counters: Counters,
    /// Wall time of the steps so far (s).
    pub wall_seconds: f64,
}

impl Checkpoint<'_> {
    /// Writes the file into `folder`, in place of an earlier one.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system; an earlier checkpoint then remains.
    pub fn write(&self, folder: impl AsRef<Path>) -> Result<(), OutputError> {
        let path = folder.as_ref().join(CHECKPOINT);
        let body = postcard::to_allocvec(self)
            .map_err(|error| OutputError::format(&path, error.to_string()))?;
        let mut bytes = HEADER.to_vec();
        bytes.extend(Checksum::of(&body).to_le_bytes());
        bytes.extend(body);
        atomic::write(&path, &bytes)
    }
}

impl Checkpoint<'static> {
    /// Reads the checkpoint of the run in `folder`.
    ///
    /// # Errors
    /// [`OutputError::NothingToResume`] if there is none, [`OutputError::Format`] if it is damaged or of another
    /// version.
    pub fn read(folder: impl AsRef<Path>) -> Result<Self, OutputError> {
        let path = folder.as_ref().join(CHECKPOINT);
        let bytes = read_regular(&path).map_err(|source| OutputError::NothingToResume {
            path: folder.as_ref().to_owned(),
            source,
        })?;
        let damaged = |problem: &str| OutputError::format(&path, problem);
        let rest = bytes.strip_prefix(HEADER).ok_or_else(|| {
            damaged(if bytes.starts_with(ANY_HEADER) {
                "another version of the program wrote it, which is needed to go on"
            } else {
                "it does not begin as a checkpoint does"
            })
        })?;
        let (checksum, body) = rest
            .split_at_checked(CHECKSUM_LEN)
            .ok_or_else(|| damaged("it ends too early"))?;
        if Checksum::of(body).to_le_bytes() != checksum {
            return Err(damaged("its checksum is not that of its content"));
        }
        let checkpoint: Self =
            postcard::from_bytes(body).map_err(|error| damaged(&error.to_string()))?;
        if checkpoint.counters.largest() > MAX_EVENTS {
            return Err(damaged("it counts more than any run can"));
        }
        Ok(checkpoint)
    }
}
