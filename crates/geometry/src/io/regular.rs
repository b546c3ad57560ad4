//! Files read whole, up to a bound.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Longest file that is read (bytes): ten times the largest meshes, and far below the address space.
const LONGEST: u64 = 1 << 32;

/// Opens the file at `path`, which must be a regular one: reading a pipe or device may never end.
///
/// # Errors
/// Errors of the system, [`io::ErrorKind::InvalidInput`] for anything but a regular file,
/// [`io::ErrorKind::FileTooLarge`] for one longer than 4 GiB.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Checked first: opening a pipe waits for its other end.
    let found = std::fs::metadata(path)?;
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        let problem = "it is a device or a pipe, not a regular file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
    }
    if found.len() > LONGEST {
        let problem = format!("it has {} bytes, more than {LONGEST}", found.len());
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    File::open(path)
}

/// Reads the file at `path` whole.
///
/// # Errors
/// As [`open_regular`].
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Symptom: reading a link to an endless device never ended.
    #[cfg(unix)]
    #[test]
    fn endless_and_huge_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link.stl");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        let error = read_regular(&link).unwrap_err();
        assert!(error.to_string().contains("device"), "{error}");
        let huge = folder.path().join("huge.stl");
        File::create(&huge).unwrap().set_len(LONGEST + 1).unwrap();
        let error = read_regular(&huge).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge, "{error}");
        std::fs::write(&huge, b"solid").unwrap();
        assert_eq!(read_regular(&huge).unwrap(), b"solid");
    }
}
