//! `impinge mesh`: check, convert, repair and generate meshes.

mod repair;
mod tetrahedralize;

use std::path::Path;

use impinge_geometry::MeshIoError;
use impinge_geometry::io::{
    read_solid_mesh, read_tet_mesh, read_triangle_mesh, write_tet_mesh, write_triangle_mesh,
};
use impinge_geometry::mesh::generate::{self, RingShape, SolidTorusShape};
use impinge_geometry::mesh::{MeshError, MeshSummary, TetMesh, TriangleMesh};

use super::arguments::{Make, Mesh};
use super::exit::{Code, Failure};
use super::terminal;

/// Executes `command`.
pub(crate) fn mesh(command: &Mesh) -> Result<(), Failure> {
    match command {
        Mesh::Info { files } => info(files),
        Mesh::Convert {
            from,
            to,
            scale,
            reverse,
            weld,
        } => convert(from, to, *scale, *reverse, *weld),
        Mesh::Repair { from, to, weld } => repair::repair(from, to, *weld),
        Mesh::Tetrahedralize(options) => tetrahedralize::tetrahedralize(options),
        Mesh::Make(shape) => make(shape),
    }
}

fn info(files: &[impl AsRef<Path>]) -> Result<(), Failure> {
    terminal::say_of_each(files, |file| {
        let file = file.as_ref();
        summarise(file).map(|summary| format!("{}\n{summary}", file.display()))
    })
}

/// Reads a file as a solid if possible, else as a surface.
fn summarise(file: &Path) -> Result<MeshSummary, Failure> {
    if is_surface_file(file) {
        let mesh = read_triangle_mesh(file).map_err(|error| Failure::bad_input(&error))?;
        return Ok(MeshSummary::of_surface(&mesh));
    }
    match read_solid_mesh(file) {
        Ok(solid) => {
            if solid.reoriented {
                terminal::remark(&format!(
                    "{}: all elements are inverted; they were reoriented",
                    file.display()
                ));
            }
            MeshSummary::of_solid(&solid.mesh).map_err(|error| Failure::bad_input(&error))
        }
        Err(solid_error) => match read_triangle_mesh(file) {
            Ok(mesh) => {
                terminal::remark(&format!(
                    "read as a surface, because it is no valid solid: {solid_error}"
                ));
                Ok(MeshSummary::of_surface(&mesh))
            }
            // The error names the formats of solids only.
            Err(MeshIoError::Extension {
                path, extension, ..
            }) => Err(Failure::new(
                Code::BadInput,
                format!(
                    "{}: the extension {extension:?} is not a known format: use .msh, .mesh, .vtk, .vtu, .vtp, .obj, \
                     .stl or .ply",
                    path.display()
                ),
            )),
            Err(_) => Err(Failure::bad_input(&solid_error)),
        },
    }
}

fn convert(from: &Path, to: &Path, scale: f64, reverse: bool, weld: bool) -> Result<(), Failure> {
    // If the source can hold both, the target decides.
    if is_surface_file(from) || (is_surface_file(to) && !holds_tets(from)) {
        let mut mesh = read_triangle_mesh(from)
            .and_then(|mesh| scaled(&mesh, scale).map_err(|source| unusable(from, source)))
            .map_err(|error| Failure::bad_input(&error))?;
        if weld {
            mesh = mesh
                .welded()
                .map_err(|error| Failure::bad_input(&unusable(from, error)))?;
        }
        if reverse {
            mesh = mesh.reversed();
        }
        return write_triangle_mesh(to, &mesh)
            .map_err(|error| Failure::new(Code::Output, error.to_string()));
    }
    if reverse || weld {
        return Err(Failure::new(
            Code::BadInput,
            format!(
                "{}: --reverse and --weld apply to surfaces only\n  \
                 mend: leave them out, or convert the solid to a surface first, for example .obj",
                from.display()
            ),
        ));
    }
    let mesh = read_tet_mesh(from)
        .map_err(|error| Failure::bad_input(&error))?
        .map_nodes(|node| node * scale)
        .map_err(|error| Failure::bad_input(&error))?;
    write(&mesh, to)
}

fn scaled(mesh: &TriangleMesh, scale: f64) -> Result<TriangleMesh, MeshError> {
    mesh.map_vertices(|vertex| vertex * scale)
}

fn unusable(path: &Path, source: MeshError) -> MeshIoError {
    MeshIoError::Mesh {
        path: path.to_path_buf(),
        source,
    }
}

fn make(shape: &Make) -> Result<(), Failure> {
    let (mesh, to): (Result<TetMesh, MeshError>, _) = match shape {
        Make::Ring {
            major_radius,
            section,
            segments,
            to,
        } => (
            generate::ring(RingShape {
                major_radius: *major_radius,
                section: *section,
                segments: *segments,
            }),
            to,
        ),
        Make::Torus {
            major_radius,
            minor_radius,
            layers,
            rings,
            to,
        } => (
            generate::torus(SolidTorusShape {
                major_radius: *major_radius,
                minor_radius: *minor_radius,
                layers: *layers,
                rings: *rings,
            }),
            to,
        ),
        Make::Cuboid { size, cells, to } => (
            generate::cuboid([size[0], size[1], size[2]], [cells[0], cells[1], cells[2]]),
            to,
        ),
        Make::Sphere {
            radius,
            subdivisions,
            to,
        } => (generate::sphere(*radius, *subdivisions), to),
        Make::Cylinder {
            radius,
            height,
            rings,
            layers,
            to,
        } => (generate::cylinder(*radius, *height, *rings, *layers), to),
        Make::Sheet {
            size,
            thickness,
            cells,
            to,
        } => (
            generate::sheet([size[0], size[1]], *thickness, [cells[0], cells[1]]),
            to,
        ),
    };
    write(&mesh.map_err(|error| Failure::bad_input(&error))?, to)
}

/// Writes a solid, or its surface if the format has no solids.
fn write(mesh: &TetMesh, to: &Path) -> Result<(), Failure> {
    let failed = |error: &dyn std::error::Error| Failure::new(Code::Output, error.to_string());
    if !is_surface_file(to) {
        return write_tet_mesh(to, mesh).map_err(|error| failed(&error));
    }
    let surface = mesh
        .surface()
        .and_then(|surface| surface.to_triangle_mesh(mesh))
        .map_err(|error| Failure::bad_input(&error))?;
    write_triangle_mesh(to, &surface).map_err(|error| failed(&error))
}

/// Whether files of this name hold surfaces only.
fn is_surface_file(file: &Path) -> bool {
    ["obj", "stl", "ply", "vtp"].iter().any(|known| {
        file.extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case(known))
    })
}

/// Whether a file of a format for both can be read as a solid.
fn holds_tets(file: &Path) -> bool {
    read_tet_mesh(file).is_ok()
}
