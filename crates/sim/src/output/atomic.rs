//! Files that appear whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::OutputError;

/// Replaces the file at `path` by `bytes`. On an error the old file, or none, is left.
///
/// The bytes go to a hidden file beside it first, which is then renamed: a reader, or a crash of this program, sees
/// the old or the new file and nothing between.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.part"));
    let result = fs::File::create(&temporary)
        .and_then(|file| write_all(file, bytes))
        .and_then(|()| fs::rename(&temporary, path));
    result.map_err(|source| {
        // The first error is the one to tell; the hidden file is only tidied away.
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

    /// `/dev/full` answers every write as a full disk does.
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

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        // A folder in the place of the file makes the rename fail after the bytes were written.
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
