//! One run at a time in a folder.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use super::OutputError;

/// Name of the locked file. It stays in the folder: the next run may already have opened the file when a run removes
/// it, and two runs would hold locks on two files of the same name.
pub(super) const LOCK: &str = ".lock";

/// The exclusive right to write to a folder, until it is dropped or the program ends in any way.
#[derive(Debug)]
pub(super) struct FolderLock {
    /// The operating system releases the lock when the file is closed.
    _file: File,
}

impl FolderLock {
    /// Whether a run has written to `folder`, or is writing.
    pub(super) fn is_there(folder: &Path) -> bool {
        folder.join(LOCK).exists()
    }

    /// Acquires the right to write to `folder`.
    ///
    /// # Errors
    /// [`OutputError::FolderLocked`] if another run has it, or an error of the operating system.
    pub(super) fn take(folder: &Path) -> Result<Self, OutputError> {
        let path = folder.join(LOCK);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let file = options
            .open(&path)
            .map_err(|source| OutputError::write(&path, source))?;
        match file.try_lock() {
            // Some network drives have no locks: runs there go without protection.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(OutputError::FolderLocked {
                path: folder.to_owned(),
            }),
        }
    }
}
