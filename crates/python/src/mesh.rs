//! `impinge.mesh`.

use std::path::PathBuf;

use impinge_geometry::io::{
    read_solid_mesh, read_triangle_mesh, write_tet_mesh, write_triangle_mesh,
};
use impinge_geometry::mesh::repair::RawMesh;
use impinge_geometry::mesh::{self, StuffingOptions, TetMesh, TriangleMesh};
use numpy::{PyArray2, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::{arrays, compute, errors};

/// Nodes and elements.
type Arrays<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<u32>>);

/// Nodes, elements and a report.
type Reported<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<u32>>,
    Bound<'py, PyDict>,
);

/// Elements by their number of nodes.
enum Elements {
    Triangles(Vec<[u32; 3]>),
    Tets(Vec<[u32; 4]>),
}

fn elements(value: &Bound<'_, PyAny>) -> PyResult<Elements> {
    let array = value
        .py()
        .import("numpy")?
        .call_method1("asarray", (value,))?;
    let columns = match array.cast::<PyUntypedArray>()?.shape() {
        &[_, columns] => columns,
        _ => 0,
    };
    match columns {
        3 => Ok(Elements::Triangles(arrays::elements(&array, "elements")?)),
        4 => Ok(Elements::Tets(arrays::elements(&array, "elements")?)),
        _ => Err(errors::argument(format!(
            "elements has shape {}; give (n, 3) for triangles or (n, 4) for tetrahedra",
            array.getattr("shape")?
        ))),
    }
}

fn solid<'py>(py: Python<'py>, mesh: &TetMesh) -> PyResult<Arrays<'py>> {
    Ok((
        arrays::from_vectors(py, mesh.nodes())?,
        arrays::from_elements(py, mesh.tets())?,
    ))
}

fn surface<'py>(py: Python<'py>, mesh: &TriangleMesh) -> PyResult<Arrays<'py>> {
    Ok((
        arrays::from_vectors(py, mesh.vertices())?,
        arrays::from_elements(py, mesh.triangles())?,
    ))
}

/// Reads a mesh file.
///
/// Args:
///     path: a file ``.msh``, ``.mesh``, ``.vtk``, ``.vtu``, ``.vtp``, ``.obj``, ``.stl`` or ``.ply``.
///     kind: ``"solid"``, ``"surface"``, or ``None`` for a solid if the file has one.
///
/// Returns:
///     The nodes (m), shape (n, 3), and the tetrahedra, shape (m, 4), or triangles, shape (m, 3).
///
/// Raises:
///     MeshError: naming the place in the file.
#[pyfunction]
#[pyo3(signature = (path, kind=None))]
pub(crate) fn read_mesh<'py>(
    py: Python<'py>,
    path: PathBuf,
    kind: Option<&str>,
) -> PyResult<Arrays<'py>> {
    let failed = |error| errors::mesh_file(&error);
    match kind {
        Some("solid") => {
            let read = py.detach(|| read_solid_mesh(&path)).map_err(failed)?;
            solid(py, &read.mesh)
        }
        Some("surface") => {
            let read = py.detach(|| read_triangle_mesh(&path)).map_err(failed)?;
            surface(py, &read)
        }
        None => match py.detach(|| read_solid_mesh(&path)) {
            Ok(read) => solid(py, &read.mesh),
            Err(no_solid) => match py.detach(|| read_triangle_mesh(&path)) {
                Ok(read) => surface(py, &read),
                Err(no_surface) if has_solids(&path) => {
                    drop(no_surface);
                    Err(failed(no_solid))
                }
                Err(no_surface) => Err(failed(no_surface)),
            },
        },
        Some(other) => Err(errors::unknown("kind of mesh", other, ["solid", "surface"])),
    }
}

/// Whether files of this name can hold solids.
fn has_solids(path: &std::path::Path) -> bool {
    ["msh", "mesh", "vtk", "vtu"].iter().any(|known| {
        path.extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case(known))
    })
}

/// Writes a mesh file; it is read back bit for bit.
///
/// Args:
///     path: the file: ``.msh``, ``.vtu`` or ``.mesh`` for a solid, ``.obj`` or ``.stl`` for a surface.
///     nodes: positions (m), shape (n, 3).
///     elements: tetrahedra, shape (m, 4), or triangles, shape (m, 3).
///
/// Raises:
///     MeshError: if the mesh is invalid, or the file cannot be written.
#[pyfunction]
pub(crate) fn write_mesh(
    py: Python<'_>,
    path: PathBuf,
    nodes: &Bound<'_, PyAny>,
    elements: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let nodes = arrays::vectors(nodes, "nodes")?;
    let elements = self::elements(elements)?;
    py.detach(|| match elements {
        Elements::Tets(tets) => {
            let mesh = TetMesh::new(nodes, tets).map_err(|error| errors::mesh(&error))?;
            write_tet_mesh(path, &mesh).map_err(|error| errors::mesh_file(&error))
        }
        Elements::Triangles(triangles) => {
            let mesh = TriangleMesh::new(nodes, triangles).map_err(|error| errors::mesh(&error))?;
            write_triangle_mesh(path, &mesh).map_err(|error| errors::mesh_file(&error))
        }
    })
}

/// Fills a watertight surface with well-shaped tetrahedra.
///
/// Args:
///     vertices: positions (m), shape (n, 3).
///     faces: triangles, wound outwards, shape (m, 3).
///     size: length of the longest inner edges (m); details smaller than this are lost.
///     volume_tolerance: largest relative difference between the volumes of the result and of the surface.
///     most_tets: largest number of tetrahedra.
///
/// Returns:
///     The nodes (m), shape (n, 3), the tetrahedra, shape (m, 4), and a report: ``dihedral`` (degrees),
///     ``surface_volume`` and ``volume`` (m³), ``parts``, ``welded``, ``removed``.
///
/// Raises:
///     MeshError: naming the triangle or edge: open, intersecting or inverted surfaces, and unfit sizes.
#[pyfunction]
#[pyo3(signature = (vertices, faces, size, *, volume_tolerance=0.1, most_tets=20_000_000))]
#[expect(
    clippy::too_many_arguments,
    reason = "the arguments of the Python function"
)]
pub(crate) fn tetrahedralize<'py>(
    py: Python<'py>,
    vertices: &Bound<'py, PyAny>,
    faces: &Bound<'py, PyAny>,
    size: f64,
    volume_tolerance: f64,
    most_tets: usize,
) -> PyResult<Reported<'py>> {
    let vertices = arrays::vectors(vertices, "vertices")?;
    let faces = arrays::elements(faces, "faces")?;
    let mut options = StuffingOptions::new(size);
    options.volume_tolerance = volume_tolerance;
    options.most_tets = most_tets;
    let made = compute::or_abandon(py, move || {
        let surface = TriangleMesh::new(vertices, faces).map_err(|error| errors::mesh(&error))?;
        mesh::tetrahedralize(&surface, &options).map_err(|error| errors::stuffing(&error))
    })?;
    let (mesh, report) = made?;
    let numbers = PyDict::new(py);
    numbers.set_item("dihedral", report.dihedral)?;
    numbers.set_item("surface_volume", report.surface_volume)?;
    numbers.set_item("volume", report.volume)?;
    numbers.set_item("parts", report.parts)?;
    numbers.set_item("welded", report.welded)?;
    numbers.set_item("removed", report.removed)?;
    let (nodes, tets) = solid(py, &mesh)?;
    Ok((nodes, tets, numbers))
}

/// Repairs a mesh: unused, duplicate and touching nodes; flat, duplicate and inverted elements.
///
/// Args:
///     nodes: positions (m), shape (n, 3).
///     elements: tetrahedra, shape (m, 4), or triangles, shape (m, 3).
///     weld: distance within which nodes are merged (m); by default a millionth of the size.
///
/// Returns:
///     The nodes (m), the elements, and a report: ``changed``, ``text``, and counts of changes and of remaining
///     defects.
///
/// Raises:
///     MeshError: for a defect that has no evident remedy.
#[pyfunction]
#[pyo3(signature = (nodes, elements, weld=None))]
pub(crate) fn repair<'py>(
    py: Python<'py>,
    nodes: &Bound<'py, PyAny>,
    elements: &Bound<'py, PyAny>,
    weld: Option<f64>,
) -> PyResult<Reported<'py>> {
    if let Some(weld) = weld.filter(|weld| !(*weld >= 0.0 && weld.is_finite())) {
        return Err(errors::argument(format!(
            "weld is {weld}; give a finite length of at least 0 m"
        )));
    }
    let mut raw = RawMesh {
        nodes: arrays::vectors(nodes, "nodes")?,
        ..RawMesh::default()
    };
    let failed = |error| errors::mesh(&error);
    let (nodes, elements, report) = match self::elements(elements)? {
        Elements::Tets(tets) => {
            raw.tets = tets;
            let repaired = compute::or_abandon(py, move || raw.repaired_solid(weld))?;
            let (mesh, report) = repaired.map_err(failed)?;
            let (nodes, tets) = solid(py, &mesh)?;
            (nodes, tets, report)
        }
        Elements::Triangles(triangles) => {
            raw.triangles = triangles;
            let repaired = compute::or_abandon(py, move || raw.repaired_surface(weld))?;
            let (mesh, report) = repaired.map_err(failed)?;
            let (nodes, triangles) = surface(py, &mesh)?;
            (nodes, triangles, report)
        }
    };
    let numbers = PyDict::new(py);
    numbers.set_item("changed", !report.is_unchanged())?;
    numbers.set_item("text", report.to_string())?;
    for (name, count) in [
        ("welded_nodes", report.welded_nodes),
        ("unused_nodes", report.unused_nodes),
        ("split_nodes", report.split_nodes),
        ("flat_elements", report.flat_elements),
        ("duplicate_elements", report.duplicate_elements),
        ("wall_triangles", report.wall_triangles),
        ("reversed_elements", report.reversed_elements),
        ("open_edges", report.open_edges),
        ("intersections", report.intersections),
    ] {
        numbers.set_item(name, count)?;
    }
    Ok((nodes, elements, numbers))
}
