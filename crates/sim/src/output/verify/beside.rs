//! Files beside a frame: pieces of the motion to it, its contacts, and its lines.

use super::examine::{Stamp, report};
use super::{Problem, Verification};
use crate::output::{Checksum, OutputError, read_regular};
use std::path::Path;

/// Reads a file beside a frame and checks that it is unchanged; `None`, with a finding, if it cannot be read or
/// decoded.
pub(super) fn read_beside<T>(
    folder: &Path,
    stamp: &Stamp,
    checksum: Option<Checksum>,
    decode: impl FnOnce(&[u8], &Path) -> Result<T, OutputError>,
    result: &mut Verification,
) -> Option<T> {
    let path = folder.join(&stamp.file);
    let mut found = |problem| {
        report(result, stamp, problem);
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
