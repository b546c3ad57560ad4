//! Errors of pages.

use std::io;
use std::path::PathBuf;

use impinge_sim::output::OutputError;
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
    /// A run on disk could not be read.
    #[error(transparent)]
    Run(#[from] OutputError),
    /// A run without a frame.
    #[error("{} has no frame\n  mend: repeat the run, which first stores a frame", .place.display())]
    NoFrames {
        /// The folder.
        place: PathBuf,
    },
    /// A frame whose bodies are not those of the first frame.
    #[error("{} shows other bodies than the first frame\n  mend: repeat the run", .place.display())]
    OtherBodies {
        /// The frame.
        place: PathBuf,
    },
}
