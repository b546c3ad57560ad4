//! Files beside a frame: pieces of the motion to it, and its contacts.

use super::{Finding, Problem, Verification};
use crate::output::{Checksum, OutputError, read_regular};
use std::path::Path;

/// Reads the file `name` beside the frame at `time` (s) and checks that it is unchanged; `None`, with a finding, if it
/// cannot be read or decoded.
pub(super) fn read_beside<T>(
    folder: &Path,
    (name, time): (&str, f64),
    checksum: Option<Checksum>,
    decode: impl FnOnce(&[u8], &Path) -> Result<T, OutputError>,
    result: &mut Verification,
) -> Option<T> {
    let path = folder.join(name);
    let mut found = |problem| {
        result.findings.push(Finding {
            file: name.to_owned(),
            time: Some(time),
            problem,
        });
    };
    let unreadable = |error: &dyn ToString| Problem::Unreadable(error.to_string());
    let bytes = match read_regular(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            found(unreadable(&error));
            return None;
        }
    };
    if checksum != Some(Checksum::of(&bytes)) {
        found(Problem::Changed);
    }
    match decode(&bytes, &path) {
        Ok(decoded) => Some(decoded),
        Err(error) => {
            found(unreadable(&error));
            None
        }
    }
}
