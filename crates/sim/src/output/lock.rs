//! One run at a time in a folder.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use super::OutputError;

/// Name of the file that is locked. It stays in the folder: a file that is removed when a run ends may be one that the next run
/// has opened already, and two runs would hold locks on two files of one name.
pub(super) const LOCK: &str = ".lock";

/// The sole right to write to a folder, until it is dropped or the program ends, in whatever way.
#[derive(Debug)]
pub(super) struct FolderLock {
    /// The system lets go of the lock when the file is closed.
    _file: File,
}

impl FolderLock {
    /// Whether a run wrote to `folder` before, or is writing.
    pub(super) fn is_there(folder: &Path) -> bool {
        folder.join(LOCK).exists()
    }

    /// Takes the right to write to `folder`.
    ///
    /// # Errors
    /// [`OutputError::FolderLocked`] if another run has it, else what the system refuses.
    pub(super) fn take(folder: &Path) -> Result<Self, OutputError> {
        let path = folder.join(LOCK);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let file = options
            .open(&path)
            .map_err(|source| OutputError::write(&path, source))?;
        match file.try_lock() {
            // Some network drives know no locks: a run there is worth more than the guard that it cannot have.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(OutputError::FolderLocked {
                path: folder.to_owned(),
            }),
        }
    }
}
