//! Mesh files: reading with errors that name the place, writing without half-written files.
//!
//! | extension | read as solid | read as surface | written |
//! |-----------|---------------|-----------------|---------|
//! | `.msh`    | tetrahedra, or hexahedra | triangles and quadrangles, else the outside of the solid | solid (4.1 ASCII) |
//! | `.mesh`   | likewise      | likewise        | solid   |
//! | `.vtk`    | likewise      | triangles, quadrangles and polygons, else the outside of the solid | – |
//! | `.vtu`    | likewise      | likewise        | solid   |
//! | `.vtp`    | –             | polygons        | –       |
//! | `.obj`    | –             | faces           | surface |
//! | `.stl`    | –             | facets, corners at the same position welded | surface (ASCII) |
//! | `.ply`    | –             | faces           | –       |
//!
//! Gmsh `.msh` files may be format 2.2 or 4.1, ASCII or binary of either byte order; `$Entities` may be missing and unknown
//! sections are skipped; `.stl` and `.ply` files may be ASCII or binary, `.mesh` files are Medit's ASCII. No reader believes
//! a count in a header: memory grows with what has been read. Polygons are split into a fan of triangles around their first corner, which suits convex
//! ones. Numbers are taken as metres. Coordinates are written with as many digits as it takes to read back the same
//! `f64`.

mod atomic;
mod error;
mod extract;
mod medit;
mod msh;
mod obj;
mod ply;
mod regular;
mod stl;
mod vtk;

use std::path::Path;

pub use error::{MeshIoError, ParseError, Place};
pub use regular::{open_regular, read_regular};

use crate::mesh::{TetMesh, TriangleMesh};

/// A solid as a file holds it.
#[derive(Debug, Clone)]
pub struct SolidMesh {
    /// Its tetrahedra: those of the file, or six for each of its hexahedra.
    pub mesh: TetMesh,
    /// Its 8-node hexahedra, corners as in VTK and Gmsh: four around the bottom, then those above; empty in a file of tetrahedra.
    pub hexahedra: Vec<[u32; 8]>,
}

/// Reads a solid of 4-node tetrahedra or of 8-node hexahedra from a `.msh`, `.mesh`, `.vtk` or `.vtu` file; a hexahedron is cut
/// into six tetrahedra.
///
/// Points, lines and surface elements in the file are ignored; any other solid element is an error, because leaving it out
/// would leave a hole.
///
/// # Errors
/// [`MeshIoError::Read`] if the file cannot be read, [`MeshIoError::Extension`] if its format is unknown,
/// [`MeshIoError::Parse`] naming the line or byte of a malformed file, [`MeshIoError::WrongElement`] for an element
/// that cannot be used, [`MeshIoError::Mesh`] if the mesh itself is unusable.
pub fn read_tet_mesh(path: impl AsRef<Path>) -> Result<TetMesh, MeshIoError> {
    Ok(read_solid_mesh(path)?.mesh)
}

/// As [`read_tet_mesh`], with the hexahedra.
///
/// # Errors
/// As [`read_tet_mesh`].
pub fn read_solid_mesh(path: impl AsRef<Path>) -> Result<SolidMesh, MeshIoError> {
    let path = path.as_ref();
    let elements = match extension(path).as_str() {
        "msh" => msh::read(&error::read_file(path)?),
        "mesh" => medit::read(&error::read_file(path)?),
        "vtk" | "vtu" => vtk::read(&error::read_file(path)?),
        found => {
            return Err(error::unknown_extension(
                path,
                found,
                "a solid",
                ".msh, .mesh, .vtk or .vtu",
            ));
        }
    };
    elements
        .and_then(extract::solid_mesh)
        .map_err(|problem| problem.at(path))
}

/// Reads a surface from a `.obj`, `.stl`, `.ply`, `.msh`, `.mesh`, `.vtk`, `.vtu` or `.vtp` file.
///
/// Quadrangles and larger polygons are split into triangles. A `.msh`, `.mesh`, `.vtk` or `.vtu` file with tetrahedra but no surface
/// elements gives the outside of the tetrahedra. Points that no triangle of such a file uses are left out; in an `.obj` file
/// they are an error.
///
/// # Errors
/// As [`read_tet_mesh`].
pub fn read_triangle_mesh(path: impl AsRef<Path>) -> Result<TriangleMesh, MeshIoError> {
    let path = path.as_ref();
    let mesh = match extension(path).as_str() {
        "obj" => obj::read(&error::read_file(path)?),
        "stl" => stl::read(&error::read_file(path)?),
        "ply" => ply::read(&error::read_file(path)?).and_then(extract::triangle_mesh),
        "mesh" => medit::read(&error::read_file(path)?).and_then(extract::triangle_mesh),
        "msh" => msh::read(&error::read_file(path)?).and_then(extract::triangle_mesh),
        "vtk" | "vtu" | "vtp" => {
            vtk::read(&error::read_file(path)?).and_then(extract::triangle_mesh)
        }
        found => {
            return Err(error::unknown_extension(
                path,
                found,
                "a surface",
                ".obj, .stl, .ply, .msh, .mesh, .vtk, .vtu or .vtp",
            ));
        }
    };
    mesh.map_err(|problem| problem.at(path))
}

/// Writes a solid as `.msh` (Gmsh 4.1 ASCII), `.vtu` (ASCII) or `.mesh` (Medit), replacing a file of that name only once all is written.
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
        "mesh" => atomic::replace(path, |out| medit::write(out, mesh)),
        "vtu" => atomic::replace(path, |out| vtk::write(out, mesh)),
        found => Err(error::unknown_extension(
            path,
            found,
            "a solid",
            ".msh, .vtu or .mesh",
        )),
    }
}

/// Writes a surface as `.obj` or `.stl` (ASCII), replacing a file of that name only once all is written.
///
/// Reading the file back gives the same triangles, bit for bit; those of an `.stl` file number their vertices in the order
/// of their first use.
///
/// # Errors
/// [`MeshIoError::Extension`] if the format is unknown, [`MeshIoError::Write`] if the disk refuses; an existing file is
/// then unchanged.
pub fn write_triangle_mesh(path: impl AsRef<Path>, mesh: &TriangleMesh) -> Result<(), MeshIoError> {
    let path = path.as_ref();
    match extension(path).as_str() {
        "obj" => atomic::replace(path, |out| obj::write(out, mesh)),
        "stl" => atomic::replace(path, |out| stl::write(out, mesh)),
        found => Err(error::unknown_extension(
            path,
            found,
            "a surface",
            ".obj or .stl",
        )),
    }
}

/// The extension in lower case, empty if there is none.
fn extension(path: &Path) -> String {
    path.extension()
        .map(|extension| extension.to_string_lossy().to_lowercase())
        .unwrap_or_default()
}
