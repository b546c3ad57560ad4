//! Files that appear complete or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use super::MeshIoError;

/// Writes to a new file beside `path`, flushes it to the disk and renames it to `path`.
///
/// On any failure the new file is removed and the file at `path` is unchanged.
pub(super) fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), MeshIoError> {
    let temporary = sibling(path);
    let outcome = write_all(&temporary, write).and_then(|()| fs::rename(&temporary, path));
    outcome.map_err(|source| {
        // Only the first error is reported, not a failure to remove the temporary file.
        let _ = fs::remove_file(&temporary);
        MeshIoError::Write {
            path: path.to_path_buf(),
            source,
        }
    })
}

fn write_all(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(OpenOptions::new().write(true).create_new(true).open(path)?);
    write(&mut out)?;
    out.flush()?;
    out.get_ref().sync_all()
}

/// A name in the same folder (renaming across file systems is not atomic) that no other writer uses.
fn sibling(path: &Path) -> PathBuf {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}-{count}.tmp", process::id()))
}
