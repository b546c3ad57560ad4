//! A file that is written at the end of a run, whose place is looked at before.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::error::ReportError;

/// A file that a page or a table will be in: its place was found writable, and is as it was until
/// [`finish`](Self::finish).
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    /// Another file beside it; the same where no file can be in its place, as for `/dev/null` or a pipe.
    unfinished: PathBuf,
    /// Until the text is in its place.
    file: Option<File>,
}

impl Draft {
    /// Makes sure that a file can be written at `path`; folders on the way there are made.
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

    /// Whether a file would take the place of what is at `path`, if it can: devices and pipes are written to instead.
    pub fn replaces(path: &Path) -> bool {
        fs::metadata(path).map_or(true, |found| found.is_file() || found.is_dir())
    }

    /// Puts `text` in its place.
    ///
    /// # Errors
    /// [`ReportError::Write`]; what was there before is untouched then.
    pub fn finish(mut self, text: &str) -> Result<(), ReportError> {
        let replaces = self.unfinished != self.path;
        let written = self.file.as_mut().map_or(Ok(()), |file| {
            file.write_all(text.as_bytes())?;
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

/// Makes an empty file in the place of an earlier one; a link there is removed, not followed.
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
            // Nothing more can be done about a file that cannot be removed.
            let _ = fs::remove_file(&self.unfinished);
        }
    }
}
