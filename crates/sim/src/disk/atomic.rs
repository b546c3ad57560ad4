//! Atomic writing of files.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::OutputError;

/// Creates an empty file at `path`, in place of an earlier one.
///
/// A link is removed, not followed: its target may be anywhere.
pub(crate) fn new_file(path: &Path) -> io::Result<fs::File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::File::options().write(true).create_new(true).open(path)
}

/// Name of the hidden file that holds the bytes of `name` until it is complete.
pub(crate) fn part_of(name: &str) -> String {
    format!(".{name}.part")
}

/// Replaces the file at `path` by `bytes`. On an error the old file, or none, remains.
///
/// The bytes go to a hidden file in the same folder, which is then renamed: a reader, also after a crash, sees either
/// the old or the new file.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(part_of(&name));
    let result = new_file(&temporary)
        .and_then(|file| write_all(file, bytes))
        .and_then(|()| fs::rename(&temporary, path));
    result.map_err(|source| {
        // The first error is returned; removing the hidden file is only cleaning up.
        let _ = fs::remove_file(&temporary);
        OutputError::write(path, source)
    })
}

fn write_all(mut file: fs::File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `/dev/full` fails every write like a full disk.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_called_so() {
        let file = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let error = OutputError::write(
            Path::new("out/frame_00000.vtu"),
            write_all(file, b"x").unwrap_err(),
        );
        assert!(matches!(error, OutputError::DiskFull { .. }), "{error}");
        assert!(error.to_string().contains("out/frame_00000.vtu"));
    }

    /// Symptom: a link with the hidden name was followed, and a file elsewhere overwritten.
    #[cfg(unix)]
    #[test]
    fn a_planted_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = folder.path().join("elsewhere");
        fs::write(&elsewhere, b"untouched").unwrap();
        let path = folder.path().join("frames.pvd");
        std::os::unix::fs::symlink(&elsewhere, folder.path().join(part_of("frames.pvd"))).unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&elsewhere).unwrap(), b"untouched");
        assert_eq!(fs::read(&path).unwrap(), b"new");
        std::os::unix::fs::symlink(&elsewhere, folder.path().join("steps.csv")).unwrap();
        new_file(&folder.path().join("steps.csv")).unwrap();
        assert_eq!(fs::read(&elsewhere).unwrap(), b"untouched");
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        // A folder in place of the file makes the rename fail after the bytes are written.
        let path = folder.path().join("frames.pvd");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("inside"), b"").unwrap();
        assert!(write(&path, b"new").is_err());
        let left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, ["frames.pvd"]);
    }
}
