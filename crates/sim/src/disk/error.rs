//! Errors of writing and reading output.

use std::io;
use std::path::{Path, PathBuf};

use impinge_contact::StoredProblemError;
use thiserror::Error;

use super::format::FORMAT;

/// A file of a run that cannot be written or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The disk is full.
    #[error(
        "the disk is full: {} could not be written; all files written before are valid\n  \
         mend: free some space or give another folder with --out",
        path.display()
    )]
    DiskFull {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The folder is not writable.
    #[error(
        "{} is not writable: {source}\n  mend: give a writable folder with --out, or change its permissions",
        path.display()
    )]
    NotWritable {
        /// The file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Any other error while writing.
    #[error("{} could not be written: {source}\n  mend: check the folder, or give another one with --out",
    path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The folder holds files of other origin than a run.
    #[error(
        "the folder {} contains files that belong to no run ({example})\n  \
         mend: give an empty or new folder with --out",
        path.display()
    )]
    FolderInUse {
        /// The folder.
        path: PathBuf,
        /// One of the files.
        example: String,
    },
    /// Another run is writing to the folder.
    #[error(
        "the folder {} is in use: another run is writing to it\n  mend: wait until that run has ended, or give \
         another folder with --out",
        path.display()
    )]
    FolderLocked {
        /// The folder.
        path: PathBuf,
    },
    /// There is no run to resume.
    #[error(
        "{} contains no run that can be resumed: checkpoint.bin could not be read: {source}\n  \
         mend: check the folder, or run the scene without --resume",
        path.display()
    )]
    NothingToResume {
        /// The folder.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The run in the folder was written by another version of the program.
    #[error(
        "the run in {} has format {format}; this program supports format {FORMAT}\n  \
         mend: run the scene again, or use the version of the program that manifest.json names",
        path.display()
    )]
    OtherFormat {
        /// The folder.
        path: PathBuf,
        /// Number of its format.
        format: u32,
    },
    /// A frame of the run to resume is missing or changed.
    #[error(
        "the run in {} cannot be resumed: frame {file} {problem}\n  \
         mend: restore the file, or run the scene without --resume",
        path.display()
    )]
    FrameLost {
        /// The folder.
        path: PathBuf,
        /// The frame.
        file: String,
        /// The problem.
        problem: String,
    },
    /// The run in the folder was of another scene.
    #[error(
        "the run in {} belongs to a different scene: {key} differs\n  \
         mend: run with the scene and the --set of that run (manifest.json holds them), or without --resume",
        path.display()
    )]
    OtherScene {
        /// The folder.
        path: PathBuf,
        /// Dotted name of the first key that differs.
        key: String,
    },
    /// The run in the folder was of the same scene, but with other contents of its mesh files.
    #[error(
        "the meshes of the run in {} differ from the present ones: a mesh file or the mesh generator has changed\n  \
         mend: restore the mesh files, or run without --resume",
        path.display()
    )]
    OtherMeshes {
        /// The folder.
        path: PathBuf,
    },
    /// A file could not be read.
    #[error("{} could not be read: {source}\n  mend: check the path; a run's folder holds manifest.json",
    path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The file of a stored contact problem is missing.
    #[error(
        "{} could not be read: {source}\n  mend: check the path; `impinge run --dump-problems` stores problems in the \
         folder problems of a run",
        path.display()
    )]
    ReadProblem {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A file is incomplete or has invalid contents.
    #[error("{} is damaged: {problem}\n  mend: run the scene again, or restore the file", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// A file is no stored contact problem.
    #[error("{}: {source}", path.display())]
    Problem {
        /// The file.
        path: PathBuf,
        /// The problem and its place.
        source: Box<StoredProblemError>,
    },
}

impl OutputError {
    /// Classifies an error of writing `path`.
    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::DiskFull { path, source }
            }
            io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::AlreadyExists => Self::NotWritable { path, source },
            _ => Self::Write { path, source },
        }
    }

    pub(crate) fn read(path: &Path, source: io::Error) -> Self {
        Self::Read {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn format(path: &Path, problem: impl Into<String>) -> Self {
        Self::Format {
            path: path.to_owned(),
            problem: problem.into(),
        }
    }
}
