//! Code shared by the fuzz targets: reading bytes as a file of some format.

use std::cell::OnceCell;
use std::fs;

use impinge_geometry::io::{
    read_raw_solid, read_raw_surface, read_tet_mesh, read_triangle_mesh,
};
use tempfile::TempDir;

thread_local! {
    static FOLDER: OnceCell<TempDir> = const { OnceCell::new() };
}

/// Reads `content` with all readers for this extension, and repairs the mesh if there is one.
///
/// # Panics
/// If a reader or the repair panics, or if there is no temporary folder.
pub fn read(extension: &str, content: &[u8]) {
    FOLDER.with(|folder| {
        let folder = folder.get_or_init(|| TempDir::new().expect("a temporary folder"));
        let path = folder.path().join("mesh").with_extension(extension);
        fs::write(&path, content).expect("a writable folder");
        let _ = read_tet_mesh(&path);
        let _ = read_triangle_mesh(&path);
        if let Ok(raw) = read_raw_solid(&path) {
            let _ = raw.repaired_solid(None);
        }
        if let Ok(raw) = read_raw_surface(&path) {
            let _ = raw.repaired_surface(None);
        }
    });
}
