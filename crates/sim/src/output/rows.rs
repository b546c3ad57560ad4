//! Tables of a run, extended by whole rows.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::{OutputError, atomic};

/// A table that is extended by rows. A partly written row is removed.
#[derive(Debug)]
pub(super) struct Table {
    path: PathBuf,
    file: File,
    /// Length of the complete rows (bytes).
    length: u64,
}

impl Table {
    /// Creates the table at `path`, with its header, in place of an earlier one.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system.
    pub(super) fn create<S: AsRef<str>>(path: PathBuf, columns: &[S]) -> Result<Self, OutputError> {
        let file = atomic::new_file(&path).map_err(|source| OutputError::write(&path, source))?;
        let mut table = Self {
            path,
            file,
            length: 0,
        };
        table.append([columns.iter().map(AsRef::as_ref)])?;
        Ok(table)
    }

    /// Path of the table.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the table at `path` for more rows.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system.
    pub(super) fn open(path: PathBuf) -> Result<Self, OutputError> {
        let opened = File::options().write(true).open(&path);
        let opened = opened.and_then(|mut file| Ok((file.seek(SeekFrom::End(0))?, file)));
        let (length, file) = opened.map_err(|source| OutputError::write(&path, source))?;
        Ok(Self { path, file, length })
    }

    /// Appends `rows`: all of them are on disk when this returns, or none.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system, for example for a full disk.
    pub(super) fn append<R, F>(
        &mut self,
        rows: impl IntoIterator<Item = R>,
    ) -> Result<(), OutputError>
    where
        R: IntoIterator<Item = F>,
        F: AsRef<[u8]>,
    {
        let encoded = encode(rows).map_err(|source| OutputError::write(&self.path, source))?;
        self.append_encoded(&encoded)
    }

    /// Appends the text of whole rows: all of it is on disk when this returns, or nothing.
    ///
    /// # Errors
    /// As for [`append`](Self::append).
    pub(super) fn append_encoded(&mut self, rows: &[u8]) -> Result<(), OutputError> {
        let written = self.file.write_all(rows);
        if written.is_err() {
            // The first error is returned.
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
        } else {
            self.length += rows.len() as u64;
        }
        written.map_err(|source| OutputError::write(&self.path, source))
    }
}

/// Rule of the numbers of steps in a table.
struct Rows<F> {
    /// Whether the second number may follow the first, 0 before the first row.
    next: F,
    /// Whether the rows must reach the step of the checkpoint.
    reach_step: bool,
}

/// The rows of a table after which a run resumes. The disk is still unchanged.
#[derive(Debug)]
pub struct KeptRows {
    path: PathBuf,
    /// Their length including the header (bytes).
    length: u64,
}

impl KeptRows {
    /// The rows of the table at `path` whose first column, the number of the step, is at most `step`.
    ///
    /// `next` states which number may follow which (0 before the first row).
    ///
    /// # Errors
    /// [`OutputError::Format`] if its columns are not `columns`, or rows up to `step` are missing, or an error of the
    /// operating system.
    pub(super) fn read<S: AsRef<str>>(
        path: &Path,
        columns: &[S],
        step: u64,
        next: impl Fn(u64, u64) -> bool,
    ) -> Result<Self, OutputError> {
        let rows = Rows {
            next,
            reach_step: true,
        };
        Self::read_whole(path, columns, step, rows)
    }

    /// The same for a table in which steps may have any number of rows.
    ///
    /// # Errors
    /// As for [`read`](Self::read), except for missing rows.
    pub(super) fn read_sparse<S: AsRef<str>>(
        path: &Path,
        columns: &[S],
        step: u64,
    ) -> Result<Self, OutputError> {
        let rows = Rows {
            next: |last, next| next >= last,
            reach_step: false,
        };
        Self::read_whole(path, columns, step, rows)
    }

    /// The rows up to `step`, as long as their numbers follow each other.
    fn read_whole<S: AsRef<str>>(
        path: &Path,
        columns: &[S],
        step: u64,
        rows: Rows<impl Fn(u64, u64) -> bool>,
    ) -> Result<Self, OutputError> {
        let Rows {
            next: may_follow,
            reach_step,
        } = rows;
        let damaged = |error: csv::Error| OutputError::format(path, error.to_string());
        let mut reader = open_table(path, columns)?;
        let mut length = reader.position().byte();
        let mut last = 0;
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(damaged)? {
            // A killed program may have written half a row.
            let whole = record.len() == columns.len();
            let number = record.get(0).and_then(|field| field.parse::<u64>().ok());
            let kept = number.filter(|&number| whole && number <= step && may_follow(last, number));
            let Some(number) = kept else { break };
            last = number;
            length = reader.position().byte();
        }
        if reach_step && last != step {
            let problem = format!(
                "after the row of step {last} one is missing, and its checkpoint is at step {step}"
            );
            return Err(OutputError::format(path, problem));
        }
        // Without an end of line the last row may be incomplete, and the next one would continue it.
        let mut end = [0];
        let mut file = reader.into_inner();
        file.seek(SeekFrom::Start(length.saturating_sub(1)))
            .and_then(|_| file.read_exact(&mut end))
            .map_err(|source| OutputError::read(path, source))?;
        if end != *b"\n" {
            let problem = format!("the row of step {last} is cut short");
            return Err(OutputError::format(path, problem));
        }
        let path = path.to_owned();
        Ok(Self { path, length })
    }

    /// A reader of these rows.
    ///
    /// # Errors
    /// As for [`open_table`].
    pub(super) fn reader<S: AsRef<str>>(
        &self,
        columns: &[S],
    ) -> Result<csv::Reader<io::Take<File>>, OutputError> {
        let file = super::regular_file(&self.path);
        let file = file.map_err(|source| OutputError::read(&self.path, source))?;
        rows_of(&self.path, file.take(self.length), columns)
    }

    /// The table.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Truncates the table to these rows and opens it for more.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system.
    pub(super) fn open(self) -> Result<Table, OutputError> {
        let Self { path, length } = self;
        let cut = File::options().write(true).open(&path);
        let cut = cut.and_then(|file| file.set_len(length));
        cut.map_err(|source| OutputError::write(&path, source))?;
        Table::open(path)
    }
}

/// A reader of the rows of the table at `path`, of any number of fields.
///
/// # Errors
/// [`OutputError::Format`] if its columns are not `columns`, or an error of the operating system.
pub(super) fn open_table<S: AsRef<str>>(
    path: &Path,
    columns: &[S],
) -> Result<csv::Reader<File>, OutputError> {
    let file = super::regular_file(path).map_err(|source| OutputError::read(path, source))?;
    rows_of(path, file, columns)
}

/// A reader of the rows of `table`, which is the file at `path` or its beginning.
///
/// # Errors
/// As for [`open_table`].
pub(super) fn rows_of<R: Read, S: AsRef<str>>(
    path: &Path,
    table: R,
    columns: &[S],
) -> Result<csv::Reader<R>, OutputError> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(table);
    let header = reader
        .headers()
        .map_err(|error| OutputError::format(path, error.to_string()))?;
    if !header.iter().eq(columns.iter().map(AsRef::as_ref)) {
        return Err(OutputError::format(
            path,
            "its columns are not those of this version of the program",
        ));
    }
    Ok(reader)
}

/// The text of `rows`.
pub(super) fn encode<R, F>(rows: impl IntoIterator<Item = R>) -> io::Result<Vec<u8>>
where
    R: IntoIterator<Item = F>,
    F: AsRef<[u8]>,
{
    let mut text = csv::Writer::from_writer(Vec::new());
    for row in rows {
        text.write_record(row)?;
    }
    text.into_inner()
        .map_err(|error| io::Error::other(error.to_string()))
}
