//! An output file that is claimed before a run and written at its end.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::error::ReportError;

/// A future output file. Its path was found writable, and is unchanged until [`finish`](Self::finish).
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    /// A temporary file beside it; the path itself if that is a device or pipe, such as `/dev/null`.
    unfinished: PathBuf,
    /// `None` once the contents are written.
    file: Option<File>,
}

impl Draft {
    /// Checks that a file can be written at `path`; creates missing folders.
    ///
    /// # Errors
    /// [`ReportError::Folder`] or [`ReportError::Write`] if it cannot.
    pub fn claim(path: &Path) -> Result<Self, ReportError> {
        if path.is_dir() {
            return Err(ReportError::Folder {
                place: path.to_owned(),
            });
        }
        let refused = |problem| ReportError::Write {
            place: path.to_owned(),
            problem,
        };
        if !Self::replaces(path) {
            let file = File::options().write(true).open(path).map_err(refused)?;
            return Ok(Self {
                path: path.to_owned(),
                unfinished: path.to_owned(),
                file: Some(file),
            });
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(refused)?;
        }
        let mut name = path
            .file_name()
            .ok_or_else(|| refused(io::ErrorKind::InvalidFilename.into()))?
            .to_owned();
        name.push(".tmp");
        let unfinished = path.with_file_name(name);
        let file = new_file(&unfinished).map_err(refused)?;
        Ok(Self {
            path: path.to_owned(),
            unfinished,
            file: Some(file),
        })
    }

    /// Whether a file would replace the one at `path`: devices and pipes are written to instead.
    pub fn replaces(path: &Path) -> bool {
        fs::metadata(path).map_or(true, |found| found.is_file() || found.is_dir())
    }

    /// Writes `text` to its path.
    ///
    /// # Errors
    /// [`ReportError::Write`]; an existing file is then unchanged.
    pub fn finish(self, text: &str) -> Result<(), ReportError> {
        self.finish_bytes(text.as_bytes())
    }

    /// Writes `contents` to its path.
    ///
    /// # Errors
    /// [`ReportError::Write`]; an existing file is then unchanged.
    pub fn finish_bytes(mut self, contents: &[u8]) -> Result<(), ReportError> {
        let replaces = self.unfinished != self.path;
        let written = self.file.as_mut().map_or(Ok(()), |file| {
            file.write_all(contents)?;
            if replaces { file.sync_all() } else { Ok(()) }
        });
        written
            .and_then(|()| {
                if replaces {
                    fs::rename(&self.unfinished, &self.path)
                } else {
                    Ok(())
                }
            })
            .map_err(|problem| ReportError::Write {
                place: self.path.clone(),
                problem,
            })?;
        self.file = None;
        Ok(())
    }
}

/// Creates an empty file in place of an existing one; a link is removed, not followed.
fn new_file(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    File::options().write(true).create_new(true).open(path)
}

impl Drop for Draft {
    fn drop(&mut self) {
        if self.file.take().is_some() && self.unfinished != self.path {
            // A file that cannot be removed is left behind.
            let _ = fs::remove_file(&self.unfinished);
        }
    }
}
