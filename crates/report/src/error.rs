//! What keeps a page from being made.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// A page that cannot be made or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// There is a folder where the file should be.
    #[error("{}: a folder is there\n  mend: name a file, which may be in that folder", .place.display())]
    Folder {
        /// The place.
        place: PathBuf,
    },
    /// The file system refused.
    #[error("{} could not be written: {problem}\n  mend: name another file, in a folder that you may write to", .place.display())]
    Write {
        /// The place.
        place: PathBuf,
        /// What it said.
        #[source]
        problem: io::Error,
    },
}
