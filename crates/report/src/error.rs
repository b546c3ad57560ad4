//! Errors of pages.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// A page that cannot be made or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// There is a folder where the file should be.
    #[error("{} is a folder\n  mend: give a file name", .place.display())]
    Folder {
        /// The path.
        place: PathBuf,
    },
    /// The file could not be written.
    #[error("{} could not be written: {problem}\n  mend: give a file in a writable folder", .place.display())]
    Write {
        /// The path.
        place: PathBuf,
        /// The error of the system.
        #[source]
        problem: io::Error,
    },
}
