//! Tables of a run that grow by rows, cut back to where the run is taken up again.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use super::{OutputError, atomic};

/// The rows of a table that a run goes on after. Nothing on disk has changed yet.
#[derive(Debug)]
pub struct KeptRows {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl KeptRows {
    /// The rows of the table at `path` whose first column, the number of the step, is at most `step`.
    ///
    /// `next` says which number may come after which (0 before the first row).
    ///
    /// # Errors
    /// [`OutputError::Format`] if its columns are not `columns`, or rows up to `step` are missing, else what the system refuses.
    pub(super) fn read<S: AsRef<str>>(
        path: &Path,
        columns: &[S],
        step: u64,
        next: impl Fn(u64, u64) -> bool,
    ) -> Result<Self, OutputError> {
        let damaged = |error: csv::Error| OutputError::format(path, error.to_string());
        let file = File::open(path).map_err(|source| OutputError::read(path, source))?;
        // A program that was killed while it wrote may have left half a row.
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(file);
        let header = reader.headers().map_err(damaged)?;
        if !header.iter().eq(columns.iter().map(AsRef::as_ref)) {
            return Err(OutputError::format(
                path,
                "its columns are not those of this version of the program",
            ));
        }
        let mut kept = csv::Writer::from_writer(Vec::new());
        kept.write_record(header).map_err(damaged)?;
        let mut last = 0;
        for record in reader.records() {
            let record = record.map_err(damaged)?;
            let whole = record.len() == columns.len();
            let number = record.get(0).and_then(|field| field.parse::<u64>().ok());
            let Some(number) = number.filter(|&number| whole && number <= step) else {
                continue;
            };
            if !next(last, number) {
                break;
            }
            last = number;
            kept.write_record(&record).map_err(damaged)?;
        }
        if last != step {
            return Err(OutputError::format(
                path,
                format!(
                    "after the row of step {last} one is missing, and its checkpoint is at step {step}"
                ),
            ));
        }
        let bytes = kept
            .into_inner()
            .map_err(|error| OutputError::format(path, error.to_string()))?;
        Ok(Self {
            path: path.to_owned(),
            bytes,
        })
    }

    /// Cuts the table back to these rows and opens it for more.
    ///
    /// # Errors
    /// What the system refuses.
    pub(super) fn open(self) -> Result<(PathBuf, csv::Writer<File>), OutputError> {
        let Self { path, bytes } = self;
        atomic::write(&path, &bytes)?;
        let file = OpenOptions::new()
            .append(true)
            .open(&path)
            .map_err(|source| OutputError::write(&path, source))?;
        Ok((path, csv::Writer::from_writer(file)))
    }
}
