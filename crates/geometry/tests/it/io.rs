//! Reading and writing mesh files.

mod damage;
mod formats;
mod groups;
mod hexahedra;
mod medit;
mod ply;
mod polygons;
mod real_files;
mod round_trip;
mod stl;
mod table;
mod vtk;
mod vtk_written;

use std::path::PathBuf;

/// A file of this name and content in a folder that exists as long as the first value.
fn file(name: &str, content: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a writable temporary folder");
    (folder, path)
}
