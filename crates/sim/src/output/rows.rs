//! Tables of a run that grow by rows, cut back to where the run is taken up again.

use std::fs::{File, OpenOptions};
use std::path::Path;

use super::{OutputError, atomic};

/// Keeps the rows of the table at `path` whose first column, the number of the step, is at most `step`, and opens it for
/// more.
///
/// # Errors
/// [`OutputError::Format`] if its columns are not `columns`, else what the system refuses.
pub(super) fn cut_after<S: AsRef<str>>(
    path: &Path,
    columns: &[S],
    step: u64,
) -> Result<csv::Writer<File>, OutputError> {
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
    for record in reader.records() {
        let record = record.map_err(damaged)?;
        let whole = record.len() == columns.len();
        let number = record.get(0).and_then(|field| field.parse::<u64>().ok());
        if whole && number.is_some_and(|number| number <= step) {
            kept.write_record(&record).map_err(damaged)?;
        }
    }
    let bytes = kept
        .into_inner()
        .map_err(|error| OutputError::format(path, error.to_string()))?;
    atomic::write(path, &bytes)?;
    let file = OpenOptions::new()
        .append(true)
        .open(path)
        .map_err(|source| OutputError::write(path, source))?;
    Ok(csv::Writer::from_writer(file))
}
