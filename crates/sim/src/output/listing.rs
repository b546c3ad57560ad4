//! The two lists of a run's frames: `frames.csv` for programs, `frames.pvd` for ParaView. Every frame adds an entry to
//! both.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::rows::{Table, encode, rows_of};
use super::{Checksum, OutputError, atomic, read_regular};
use serde::{Deserialize, Serialize};

/// One stored frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameEntry {
    /// File name within the folder.
    pub file: String,
    /// Number of the step that ends with it; 0 for the initial state.
    pub step: u64,
    /// Simulated time (s).
    pub time: f64,
    /// Straight motions of the points since the previous frame. With 1, the two frames determine the motion, and it can
    /// be verified.
    pub parts: u32,
    /// Checksum of the file.
    pub checksum: Checksum,
    /// Checksum of the file with the pieces of the motion since the previous frame, where that is stored.
    #[serde(default)]
    pub pieces: Option<Checksum>,
}

/// Name of the table.
pub(super) const FRAMES_CSV: &str = "frames.csv";

/// Name of the collection.
pub(super) const FRAMES_PVD: &str = "frames.pvd";

/// Columns of the table: the fields of [`FrameEntry`]. The last one is there in runs that store the pieces of the
/// motion.
const COLUMNS: [&str; 6] = ["file", "step", "time", "parts", "checksum", "pieces"];

/// Number of the columns that every table has.
const USUAL_COLUMNS: usize = 5;

/// The columns of a table with or without pieces.
fn columns(with_pieces: bool) -> &'static [&'static str] {
    if with_pieces {
        &COLUMNS
    } else {
        &COLUMNS[..USUAL_COLUMNS]
    }
}

/// First and last lines of the collection.
const OPENING: &str = "<?xml version=\"1.0\"?>\n\
     <VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  <Collection>\n";
const CLOSING: &str = "  </Collection>\n</VTKFile>\n";

/// Writer of both lists.
#[derive(Debug)]
pub(super) struct Listing {
    /// Whether the table says which pieces belong to a frame.
    with_pieces: bool,
    table: Table,
    collection: Collection,
}

impl Listing {
    /// Creates both lists in `folder`, with `entries`, with or without the column of pieces.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system.
    pub(super) fn create(
        folder: &Path,
        with_pieces: bool,
        entries: &[FrameEntry],
    ) -> Result<Self, OutputError> {
        let pvd = folder.join(FRAMES_PVD);
        let csv = folder.join(FRAMES_CSV);
        // Both files are complete before their first extension.
        let header: Vec<String> = columns(with_pieces)
            .iter()
            .map(ToString::to_string)
            .collect();
        let of_entries = entries.iter().map(|entry| fields(entry, with_pieces));
        let rows = std::iter::once(header).chain(of_entries);
        atomic::write(
            &csv,
            &encode(rows).map_err(|source| OutputError::write(&csv, source))?,
        )?;
        atomic::write(&pvd, collection_of(entries).as_bytes())?;
        Ok(Self {
            with_pieces,
            table: Table::open(csv)?,
            collection: Collection::open(pvd)?,
        })
    }

    /// Adds a frame that is on disk.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system, for example for a full disk; earlier entries remain.
    pub(super) fn append(&mut self, entry: &FrameEntry) -> Result<(), OutputError> {
        self.table.append([fields(entry, self.with_pieces)])?;
        self.collection.append(&data_set(entry))
    }
}

/// Reads the entries of the table in `folder`. A last row without an end of line is ignored: a killed program may have
/// written half of it.
///
/// # Errors
/// [`OutputError::Read`] if there is no table, [`OutputError::Format`] naming an invalid row.
pub(super) fn read_entries(folder: &Path) -> Result<Vec<FrameEntry>, OutputError> {
    let path = folder.join(FRAMES_CSV);
    let text = read_regular(&path).map_err(|source| OutputError::read(&path, source))?;
    let whole = text.iter().rposition(|&byte| byte == b'\n');
    let whole = &text[..whole.map_or(0, |end| end + 1)];
    let mut reader =
        rows_of(&path, whole, &COLUMNS).or_else(|_| rows_of(&path, whole, columns(false)))?;
    let mut entries = Vec::new();
    let mut record = csv::StringRecord::new();
    let damaged = |error: &csv::Error| OutputError::format(&path, error.to_string());
    while reader
        .read_record(&mut record)
        .map_err(|error| damaged(&error))?
    {
        let entry: FrameEntry = record.deserialize(None).map_err(|error| damaged(&error))?;
        // Resuming deletes files by these names, so a name must not lead out of the folder.
        if !is_frame_name(&entry.file) {
            let problem = format!("`{}` is not the name of a frame", entry.file);
            return Err(OutputError::format(&path, problem));
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// The text of a collection of `entries`.
pub(super) fn collection_of(entries: &[FrameEntry]) -> String {
    let listed: String = entries.iter().map(data_set).collect();
    format!("{OPENING}{listed}{CLOSING}")
}

fn fields(entry: &FrameEntry, with_pieces: bool) -> Vec<String> {
    let FrameEntry {
        file,
        step,
        time,
        parts,
        checksum,
        pieces,
    } = entry;
    // The shortest text that reads back as the same double.
    let time = format!("{time:?}");
    let mut fields = vec![
        file.clone(),
        step.to_string(),
        time,
        parts.to_string(),
        checksum.to_string(),
    ];
    if with_pieces {
        fields.push(pieces.map_or_else(String::new, |pieces| pieces.to_string()));
    }
    fields
}

fn data_set(entry: &FrameEntry) -> String {
    let (time, file) = (entry.time, &entry.file);
    format!("    <DataSet timestep=\"{time:?}\" file=\"{file}\"/>\n")
}

/// A collection on disk: its entries, then its closing tags, which move with every new entry.
#[derive(Debug)]
struct Collection {
    path: PathBuf,
    file: File,
    /// Position of the closing tags (bytes).
    end: u64,
}

impl Collection {
    /// Opens the complete collection at `path`.
    fn open(path: PathBuf) -> Result<Self, OutputError> {
        let opened = File::options().write(true).open(&path);
        let opened = opened.and_then(|file| Ok((file.metadata()?.len(), file)));
        let (length, file) = opened.map_err(|source| OutputError::write(&path, source))?;
        let end = length - CLOSING.len() as u64;
        Ok(Self { path, file, end })
    }

    /// Adds `entry`. One write replaces the closing tags, so that a killed program leaves a complete file.
    fn append(&mut self, entry: &str) -> Result<(), OutputError> {
        let mut text = entry.to_owned();
        text.push_str(CLOSING);
        let written = self.write_at_end(&text);
        if written.is_err() {
            // The old closing tags fit; the first error is returned.
            let _ = self.write_at_end(CLOSING);
            let _ = self.file.set_len(self.end + CLOSING.len() as u64);
        } else {
            self.end += entry.len() as u64;
        }
        written.map_err(|source| OutputError::write(&self.path, source))
    }

    fn write_at_end(&mut self, text: &str) -> std::io::Result<()> {
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(text.as_bytes())
    }
}

pub(super) fn frame_name(index: usize) -> String {
    format!("frame_{index:05}.vtu")
}

/// Name of the file with the pieces of the motion to frame `index`.
pub(super) fn pieces_name(index: usize) -> String {
    format!("pieces_{index:05}.bin")
}

pub(super) fn is_frame_name(name: &str) -> bool {
    is_numbered(name, "frame_", ".vtu")
}

pub(super) fn is_pieces_name(name: &str) -> bool {
    is_numbered(name, "pieces_", ".bin")
}

/// Whether `name` is a number between `begin` and `end`.
fn is_numbered(name: &str, begin: &str, end: &str) -> bool {
    name.strip_prefix(begin)
        .and_then(|rest| rest.strip_suffix(end))
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Checksum;

    /// Symptom: a run killed while it listed a frame could neither be resumed nor verified. Cause: half a row counted
    /// as damage, or as a row with another checksum. Law: a row counts only with its end of line.
    #[test]
    fn half_a_row_is_left_out() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut entries = [0, 1].map(|index| FrameEntry {
            file: frame_name(index),
            step: index as u64,
            time: 0.5 * index as f64,
            parts: index as u32,
            checksum: Checksum::of(&[index as u8]),
            pieces: None,
        });
        let path = folder.path().join(FRAMES_CSV);
        for with_pieces in [false, true] {
            entries[1].pieces = with_pieces.then(|| Checksum::of(b"pieces"));
            let create = |entries: &[FrameEntry]| {
                Listing::create(folder.path(), with_pieces, entries).expect("room");
                std::fs::read(&path).expect("a table")
            };
            let first = create(&entries[..1]).len();
            let whole = create(&entries);
            for length in first..=whole.len() {
                std::fs::write(&path, &whole[..length]).expect("room");
                let read = read_entries(folder.path()).expect("a table");
                let expected = if length == whole.len() { 2 } else { 1 };
                assert_eq!(read, entries[..expected], "{length} bytes");
            }
        }
    }
}
