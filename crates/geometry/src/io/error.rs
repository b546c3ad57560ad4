//! Errors of mesh files.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::mesh::MeshError;

/// A mesh file that cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MeshIoError {
    /// The operating system could not read the file.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The operating system could not write the file.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file name does not indicate a format for the content.
    #[error("{}: the extension {extension:?} is not a known format for {content}: use {known}", path.display())]
    Extension {
        /// The file.
        path: PathBuf,
        /// The extension found, in lower case.
        extension: String,
        /// The content to be read or written.
        content: &'static str,
        /// The valid extensions.
        known: &'static str,
    },
    /// The file is malformed, truncated or of an unsupported version.
    #[error("{}: {source}", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// Place and problem.
        source: ParseError,
    },
    /// The file holds an element that cannot be used.
    #[error("{}: element {tag} is a {found}, but only {wanted} can be used: remesh with first-order elements of that \
             kind", path.display())]
    WrongElement {
        /// The file.
        path: PathBuf,
        /// The element's tag in a `.msh` file, its number from 0 otherwise.
        tag: u64,
        /// Name of its type.
        found: String,
        /// Names of the types that can be used.
        wanted: &'static str,
    },
    /// The file was read, but its mesh is unusable. Indices count from 0 in file order.
    #[error("{}: {source}", path.display())]
    Mesh {
        /// The file.
        path: PathBuf,
        /// The defect of the mesh.
        source: MeshError,
    },
}

/// Place and kind of a defect in a file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}: {problem}")]
pub struct ParseError {
    /// Line or byte at which reading ended.
    pub place: Place,
    /// The problem there and the expected content.
    pub problem: String,
}

/// A place in a file: a line of text, or a byte.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A line of a text file, counted from 1.
    Line {
        /// The line.
        line: usize,
        /// The section it belongs to, if the format has sections.
        section: Option<String>,
    },
    /// An offset in a binary section, counted from 0.
    Byte {
        /// The offset.
        byte: usize,
        /// The section it belongs to.
        section: Option<String>,
    },
    /// The file as a whole.
    File,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let section = match self {
            Self::Line { line, section } => {
                write!(f, "line {line}")?;
                section
            }
            Self::Byte { byte, section } => {
                write!(f, "byte {byte}")?;
                section
            }
            Self::File => return write!(f, "the file as a whole"),
        };
        match section {
            Some(section) => write!(f, " (section {section})"),
            None => Ok(()),
        }
    }
}

/// A problem found before the file's name is attached.
#[derive(Debug)]
pub(super) enum Problem {
    Parse(ParseError),
    WrongElement {
        tag: u64,
        found: String,
        wanted: &'static str,
    },
    Mesh(MeshError),
}

impl Problem {
    pub(super) fn whole_file(problem: impl Into<String>) -> Self {
        Self::Parse(ParseError {
            place: Place::File,
            problem: problem.into(),
        })
    }

    pub(super) fn line(line: usize, problem: impl Into<String>) -> Self {
        Self::Parse(ParseError {
            place: Place::Line {
                line,
                section: None,
            },
            problem: problem.into(),
        })
    }

    pub(super) fn at(self, path: &Path) -> MeshIoError {
        let path = path.to_path_buf();
        match self {
            Self::Parse(source) => MeshIoError::Parse { path, source },
            Self::WrongElement { tag, found, wanted } => MeshIoError::WrongElement {
                path,
                tag,
                found,
                wanted,
            },
            Self::Mesh(source) => MeshIoError::Mesh { path, source },
        }
    }
}

impl From<ParseError> for Problem {
    fn from(source: ParseError) -> Self {
        Self::Parse(source)
    }
}

impl From<MeshError> for Problem {
    fn from(source: MeshError) -> Self {
        Self::Mesh(source)
    }
}

pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, MeshIoError> {
    super::read_regular(path).map_err(|source| MeshIoError::Read {
        path: path.to_path_buf(),
        source,
    })
}

pub(super) fn unknown_extension(
    path: &Path,
    found: &str,
    content: &'static str,
    known: &'static str,
) -> MeshIoError {
    MeshIoError::Extension {
        path: path.to_path_buf(),
        extension: found.to_owned(),
        content,
        known,
    }
}
