//! Mesh files: reading with errors that name the place, writing without half-written files.
//!
//! | extension | read as solid | read as surface | written |
//! |-----------|---------------|-----------------|---------|
//! | `.msh`    | tetrahedra or hexahedra | triangles and quadrangles, or the solid's outside | solid (4.1 ASCII) |
//! | `.mesh`   | likewise      | likewise        | solid   |
//! | `.vtk`    | likewise      | triangles, quadrangles and polygons, else the outside of the solid | – |
//! | `.vtu`    | likewise      | likewise        | solid   |
//! | `.vtp`    | –             | polygons and strips | –   |
//! | `.obj`    | –             | faces           | surface |
//! | `.stl`    | –             | facets, corners at the same position welded | surface (ASCII) |
//! | `.ply`    | –             | faces           | –       |
//!
//! Gmsh `.msh` files may be format 1 to 4.1, ASCII or binary of either byte order; `$Entities` may be missing and
//! unknown sections are skipped; `.stl` and `.ply` files may be ASCII or binary, `.mesh` files are Medit's ASCII.
//! [`vtk`] lists the supported parts of VTK. No reader trusts a count in a header: memory grows with the content read
//! so far. Polygons are cut into triangles, concave ones too. Numbers are metres. Written coordinates are read back as
//! the same `f64`.

mod atomic;
mod error;
mod extract;
mod medit;
mod msh;
mod obj;
mod ply;
mod regular;
mod solid_mesh;
mod stl;
pub mod vtk;

use std::path::Path;

pub use error::{MeshIoError, ParseError, Place};
pub use regular::{open_regular, read_regular};
pub use solid_mesh::{NodeGroup, SolidMesh};

use self::error::Problem;
use self::extract::Elements;
use crate::mesh::repair::RawMesh;
use crate::mesh::{TetMesh, TriangleMesh};

/// Reads a solid of 4-node tetrahedra or of 8-node hexahedra from a `.msh`, `.mesh`, `.vtk` or `.vtu` file; a
/// hexahedron is cut into six tetrahedra.
///
/// Points, lines and surface elements in the file are ignored; any other solid element is an error, because skipping it
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
    read_solids(path.as_ref(), extract::solid_mesh)
}

/// Reads a surface from a `.obj`, `.stl`, `.ply`, `.msh`, `.mesh`, `.vtk`, `.vtu` or `.vtp` file.
///
/// Quadrangles and larger polygons are split into triangles. A `.msh`, `.mesh`, `.vtk` or `.vtu` file with tetrahedra
/// but no surface elements gives the boundary of the tetrahedra. Points that no triangle of such a file uses are
/// dropped; in an `.obj` file they are an error.
///
/// # Errors
/// As [`read_tet_mesh`].
pub fn read_triangle_mesh(path: impl AsRef<Path>) -> Result<TriangleMesh, MeshIoError> {
    let path = path.as_ref();
    read_surfaces(path, |elements| match extension(path).as_str() {
        // These files hold surfaces only, so a vertex without a face is an error.
        "obj" | "stl" => extract::whole_surface(elements),
        _ => extract::triangle_mesh(elements),
    })
}

/// Reads nodes and elements unchecked, for [`RawMesh::repaired_solid`]: tetrahedra, hexahedra and surface triangles.
///
/// # Errors
/// As [`read_solid_mesh`], except [`MeshIoError::Mesh`].
pub fn read_raw_solid(path: impl AsRef<Path>) -> Result<RawMesh, MeshIoError> {
    read_solids(path.as_ref(), extract::raw_solid)
}

/// Reads nodes and surface triangles unchecked, for [`RawMesh::repaired_surface`].
///
/// # Errors
/// As [`read_triangle_mesh`], except [`MeshIoError::Mesh`].
pub fn read_raw_surface(path: impl AsRef<Path>) -> Result<RawMesh, MeshIoError> {
    read_surfaces(path.as_ref(), extract::raw_surface)
}

/// Reads the elements of a file that may hold a solid, and extracts a mesh.
fn read_solids<T>(
    path: &Path,
    extract: impl FnOnce(Elements) -> Result<T, Problem>,
) -> Result<T, MeshIoError> {
    let read = match extension(path).as_str() {
        "msh" => msh::read,
        "mesh" => medit::read,
        "vtk" | "vtu" => vtk::read,
        found => {
            return Err(error::unknown_extension(
                path,
                found,
                "a solid",
                ".msh, .mesh, .vtk or .vtu",
            ));
        }
    };
    let elements = read(&error::read_file(path)?);
    elements
        .and_then(extract)
        .map_err(|problem| problem.at(path))
}

/// Reads the elements of a file that may hold a surface, and extracts a mesh.
fn read_surfaces<T>(
    path: &Path,
    extract: impl FnOnce(Elements) -> Result<T, Problem>,
) -> Result<T, MeshIoError> {
    let read = match extension(path).as_str() {
        "obj" => obj::read,
        "stl" => stl::read,
        "ply" => ply::read,
        "mesh" => medit::read,
        "msh" => msh::read,
        "vtk" | "vtu" | "vtp" => vtk::read,
        found => {
            return Err(error::unknown_extension(
                path,
                found,
                "a surface",
                ".obj, .stl, .ply, .msh, .mesh, .vtk, .vtu or .vtp",
            ));
        }
    };
    let elements = read(&error::read_file(path)?);
    elements
        .and_then(extract)
        .map_err(|problem| problem.at(path))
}

/// Writes a solid as `.msh` (Gmsh 4.1 ASCII), `.vtu` (base64) or `.mesh` (Medit), replacing an existing file only when
/// the new one is complete.
///
/// Reading the file back gives the same mesh, bit for bit.
///
/// # Errors
/// [`MeshIoError::Extension`] if the format is unknown, [`MeshIoError::Write`] if writing fails; an existing file is
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

/// Writes a surface as `.obj` or `.stl` (ASCII), replacing an existing file only when the new one is complete.
///
/// Reading the file back gives the same triangles, bit for bit; those of an `.stl` file number their vertices in the
/// order of their first use.
///
/// # Errors
/// [`MeshIoError::Extension`] if the format is unknown, [`MeshIoError::Write`] if writing fails; an existing file is
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
