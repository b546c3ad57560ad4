//! Mesh files: reading with errors that name the place, writing without half-written files.
//!
//! | extension | read as solid | read as surface | written |
//! |-----------|---------------|-----------------|---------|
//! | `.msh`    | tetrahedra    | triangles and quadrangles, else the outside of the tetrahedra | solid (4.1 ASCII) |
//! | `.vtk`    | tetrahedra    | triangles, quadrangles and polygons, else the outside of the tetrahedra | – |
//! | `.vtu`    | tetrahedra    | likewise        | solid   |
//! | `.vtp`    | –             | polygons        | –       |
//! | `.obj`    | –             | faces           | surface |
//!
//! Gmsh `.msh` files may be format 2.2 or 4.1, ASCII or binary of either byte order; `$Entities` may be missing and unknown
//! sections are skipped. Polygons are split into a fan of triangles around their first corner, which suits convex
//! ones. Numbers are taken as metres. Coordinates are written with as many digits as it takes to read back the same
//! `f64`.

mod atomic;
mod error;
mod extract;
mod msh;
mod obj;
mod vtk;

use std::path::Path;

pub use error::{MeshIoError, ParseError, Place};

use crate::mesh::{TetMesh, TriangleMesh};

/// Reads a solid of 4-node tetrahedra from a `.msh`, `.vtk` or `.vtu` file.
///
/// Points, lines and surface elements in the file are ignored; any solid element that is not a 4-node tetrahedron is an
/// error, because leaving it out would leave a hole.
///
/// # Errors
/// [`MeshIoError::Read`] if the file cannot be read, [`MeshIoError::Extension`] if its format is unknown,
/// [`MeshIoError::Parse`] naming the line or byte of a malformed file, [`MeshIoError::WrongElement`] for an element
/// that cannot be used, [`MeshIoError::Mesh`] if the mesh itself is unusable.
pub fn read_tet_mesh(path: impl AsRef<Path>) -> Result<TetMesh, MeshIoError> {
    let path = path.as_ref();
    let elements = match extension(path).as_str() {
        "msh" => msh::read(&error::read_file(path)?),
        "vtk" | "vtu" => vtk::read(&error::read_file(path)?),
        found => {
            return Err(error::unknown_extension(
                path,
                found,
                "a solid",
                ".msh, .vtk or .vtu",
            ));
        }
    };
    elements
        .and_then(extract::tet_mesh)
        .map_err(|problem| problem.at(path))
}

/// Reads a surface from a `.obj`, `.msh`, `.vtk`, `.vtu` or `.vtp` file.
///
/// Quadrangles and larger polygons are split into triangles. A `.msh`, `.vtk` or `.vtu` file with tetrahedra but no surface
/// elements gives the outside of the tetrahedra. Points that no triangle of such a file uses are left out; in an `.obj` file
/// they are an error.
///
/// # Errors
/// As [`read_tet_mesh`].
pub fn read_triangle_mesh(path: impl AsRef<Path>) -> Result<TriangleMesh, MeshIoError> {
    let path = path.as_ref();
    let mesh = match extension(path).as_str() {
        "obj" => obj::read(&error::read_file(path)?),
        "msh" => msh::read(&error::read_file(path)?).and_then(extract::triangle_mesh),
        "vtk" | "vtu" | "vtp" => {
            vtk::read(&error::read_file(path)?).and_then(extract::triangle_mesh)
        }
        found => {
            return Err(error::unknown_extension(
                path,
                found,
                "a surface",
                ".obj, .msh, .vtk, .vtu or .vtp",
            ));
        }
    };
    mesh.map_err(|problem| problem.at(path))
}

/// Writes a solid as `.msh` (Gmsh 4.1 ASCII) or `.vtu` (ASCII), replacing a file of that name only once all is written.
///
/// Reading the file back gives the same mesh, bit for bit.
///
/// # Errors
/// [`MeshIoError::Extension`] if the format is unknown, [`MeshIoError::Write`] if the disk refuses; an existing file is
/// then unchanged.
pub fn write_tet_mesh(path: impl AsRef<Path>, mesh: &TetMesh) -> Result<(), MeshIoError> {
    let path = path.as_ref();
    match extension(path).as_str() {
        "msh" => atomic::replace(path, |out| msh::write(out, mesh)),
        "vtu" => atomic::replace(path, |out| vtk::write(out, mesh)),
        found => Err(error::unknown_extension(
            path,
            found,
            "a solid",
            ".msh or .vtu",
        )),
    }
}

/// Writes a surface as `.obj`, replacing a file of that name only once all is written.
///
/// Reading the file back gives the same mesh, bit for bit.
///
/// # Errors
/// [`MeshIoError::Extension`] if the format is unknown, [`MeshIoError::Write`] if the disk refuses; an existing file is
/// then unchanged.
pub fn write_triangle_mesh(path: impl AsRef<Path>, mesh: &TriangleMesh) -> Result<(), MeshIoError> {
    let path = path.as_ref();
    match extension(path).as_str() {
        "obj" => atomic::replace(path, |out| obj::write(out, mesh)),
        found => Err(error::unknown_extension(path, found, "a surface", ".obj")),
    }
}

/// The extension in lower case, empty if there is none.
fn extension(path: &Path) -> String {
    path.extension()
        .map(|extension| extension.to_string_lossy().to_lowercase())
        .unwrap_or_default()
}
