//! The table `steps.csv` of a run, for the plots beside its film.

use std::path::Path;

use impinge_sim::output::OutputError;

use crate::error::ReportError;

/// Most rows that are kept, evenly spread: more than a plot has pixels.
const MOST_ROWS: usize = 20_000;

/// Columns of numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Table {
    pub(super) columns: Vec<String>,
    /// The values of each row.
    rows: Vec<Vec<f32>>,
}

impl Table {
    /// Reads the table at `path`; a last row without end of line does not count. A missing file is an empty table.
    ///
    /// # Errors
    /// [`ReportError::Run`] for a file that cannot be read or is no table of numbers.
    pub(super) fn read(path: &Path) -> Result<Self, ReportError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(source) => {
                let path = path.to_owned();
                return Err(OutputError::Read { path, source }.into());
            }
        };
        let damaged = |problem: String| {
            let path = path.to_owned();
            ReportError::from(OutputError::Format { path, problem })
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut reader = csv::Reader::from_reader(&text.as_bytes()[..whole]);
        let header = reader
            .headers()
            .map_err(|error| damaged(error.to_string()))?;
        let mut table = Self {
            columns: header.iter().map(str::to_owned).collect(),
            rows: Vec::new(),
        };
        for record in reader.records() {
            let record = record.map_err(|error| damaged(error.to_string()))?;
            let row = record.iter().map(str::parse).collect::<Result<_, _>>();
            table
                .rows
                .push(row.map_err(|error: std::num::ParseFloatError| damaged(error.to_string()))?);
        }
        let every = table.rows.len().div_ceil(MOST_ROWS).max(1);
        let mut row = 0;
        table.rows.retain(|_| {
            row += 1;
            (row - 1) % every == 0
        });
        Ok(table)
    }

    /// Little-endian numbers of four bytes, column by column.
    pub(super) fn bytes(&self) -> Vec<u8> {
        (0..self.columns.len())
            .flat_map(|column| self.rows.iter().map(move |row| row[column]))
            .flat_map(f32::to_le_bytes)
            .collect()
    }
}
