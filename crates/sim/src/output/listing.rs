//! The lists of a run's frames: `frames.csv` for programs, `frames.pvd` for ParaView, and `contacts.pvd` and
//! `lines.pvd` of the files beside them. Every frame adds an entry to each.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::companions::{Companion, Companions, is_numbered};
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
    /// Checksum of the file with the contacts of the frame, where these are stored.
    #[serde(default)]
    pub contacts: Option<Checksum>,
    /// Checksum of the file with the lines of the frame, where these are stored.
    #[serde(default)]
    pub lines: Option<Checksum>,
}

impl FrameEntry {
    /// Checksum of the file of a `kind` beside the frame, where that is stored.
    pub(super) fn beside(&self, kind: Companion) -> Option<Checksum> {
        match kind {
            Companion::Pieces => self.pieces,
            Companion::Contacts => self.contacts,
            Companion::Lines => self.lines,
        }
    }
}

/// Name of the table.
pub(super) const FRAMES_CSV: &str = "frames.csv";

/// Name of the collection of frames.
pub(super) const FRAMES_PVD: &str = "frames.pvd";

/// Columns that every table has: fields of [`FrameEntry`].
const COLUMNS: [&str; 5] = ["file", "step", "time", "parts", "checksum"];

/// The columns of a table of frames with such `companions`.
fn columns(companions: Companions) -> Vec<&'static str> {
    let own = companions.iter().map(Companion::name);
    COLUMNS.into_iter().chain(own).collect()
}

/// First and last lines of the collection.
const OPENING: &str = "<?xml version=\"1.0\"?>\n\
     <VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  <Collection>\n";
const CLOSING: &str = "  </Collection>\n</VTKFile>\n";

/// Writer of all lists.
#[derive(Debug)]
pub(super) struct Listing {
    companions: Companions,
    table: Table,
    frames: Collection,
    /// The collections of files beside the frames.
    beside: Vec<(Companion, Collection)>,
}

impl Listing {
    /// Creates the lists in `folder`, with `entries`, for runs with such `companions`.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system.
    pub(super) fn create(
        folder: &Path,
        companions: Companions,
        entries: &[FrameEntry],
    ) -> Result<Self, OutputError> {
        let csv = folder.join(FRAMES_CSV);
        // All files are complete before their first extension.
        let header = columns(companions).into_iter().map(str::to_owned).collect();
        let of_entries = entries.iter().map(|entry| fields(entry, companions));
        let rows = std::iter::once(header).chain(of_entries);
        atomic::write(
            &csv,
            &encode(rows).map_err(|source| OutputError::write(&csv, source))?,
        )?;
        let collection = |name: &str, text: String| {
            let path = folder.join(name);
            atomic::write(&path, text.as_bytes())?;
            Collection::open(path)
        };
        let beside = companions.iter().filter_map(|kind| {
            let collection = collection(kind.collection()?, beside_of(kind, entries));
            Some(collection.map(|collection| (kind, collection)))
        });
        Ok(Self {
            companions,
            beside: beside.collect::<Result<_, _>>()?,
            frames: collection(FRAMES_PVD, collection_of(entries))?,
            table: Table::open(csv)?,
        })
    }

    /// The kinds of files beside the frames.
    pub(super) fn companions(&self) -> Companions {
        self.companions
    }

    /// Adds frame `index`, which is on disk with the files beside it.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system, for example for a full disk; earlier entries remain.
    pub(super) fn append(&mut self, index: usize, entry: &FrameEntry) -> Result<(), OutputError> {
        self.table.append([fields(entry, self.companions)])?;
        self.frames.append(&data_set(entry.time, &entry.file))?;
        for (kind, collection) in &mut self.beside {
            if entry.beside(*kind).is_some() {
                collection.append(&data_set(entry.time, &kind.file(index)))?;
            }
        }
        Ok(())
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
    let damaged = |error: &csv::Error| OutputError::format(&path, error.to_string());
    let whole = text.iter().rposition(|&byte| byte == b'\n');
    let whole = &text[..whole.map_or(0, |end| end + 1)];
    let of = |companions: Companions| rows_of(&path, whole, &columns(companions));
    let tables = Companions::all().map(of);
    let mut reader = tables.reduce(Result::or).expect("there are combinations")?;
    let heads = reader.headers().map_err(|error| damaged(&error))?.clone();
    let mut entries = Vec::new();
    let mut record = csv::StringRecord::new();
    while reader
        .read_record(&mut record)
        .map_err(|error| damaged(&error))?
    {
        let entry: FrameEntry = record
            .deserialize(Some(&heads))
            .map_err(|error| damaged(&error))?;
        // Resuming deletes files by these names, so a name must not lead out of the folder.
        if !is_frame_name(&entry.file) {
            let problem = format!("`{}` is not the name of a frame", entry.file);
            return Err(OutputError::format(&path, problem));
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// The text of the collection of `entries`.
pub(super) fn collection_of(entries: &[FrameEntry]) -> String {
    let listed = entries
        .iter()
        .map(|entry| data_set(entry.time, &entry.file));
    format!("{OPENING}{}{CLOSING}", listed.collect::<String>())
}

/// The text of the collection of the files of a `kind` beside `entries`.
pub(super) fn beside_of(kind: Companion, entries: &[FrameEntry]) -> String {
    let stored = (entries.iter().enumerate()).filter(|(_, entry)| entry.beside(kind).is_some());
    let listed = stored.map(|(index, entry)| data_set(entry.time, &kind.file(index)));
    format!("{OPENING}{}{CLOSING}", listed.collect::<String>())
}

fn fields(entry: &FrameEntry, companions: Companions) -> Vec<String> {
    let FrameEntry {
        file,
        step,
        time,
        parts,
        checksum,
        pieces: _,
        contacts: _,
        lines: _,
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
    let own = companions.iter().map(|kind| entry.beside(kind));
    fields.extend(own.map(|checksum| checksum.map_or_else(String::new, |sum| sum.to_string())));
    fields
}

fn data_set(time: f64, file: &str) -> String {
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

pub(super) fn is_frame_name(name: &str) -> bool {
    is_numbered(name, "frame_", ".vtu")
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
            contacts: None,
            lines: None,
        });
        let path = folder.path().join(FRAMES_CSV);
        for companions in Companions::all() {
            let checksum = |kind: Companion| {
                companions
                    .has(kind)
                    .then(|| Checksum::of(kind.name().as_bytes()))
            };
            entries[1].pieces = checksum(Companion::Pieces);
            entries[1].contacts = checksum(Companion::Contacts);
            entries[1].lines = checksum(Companion::Lines);
            let create = |entries: &[FrameEntry]| {
                Listing::create(folder.path(), companions, entries).expect("room");
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
