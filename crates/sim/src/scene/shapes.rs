//! Procedural meshes from their keys in the scene.

use impinge_geometry::mesh::generate::{self, RingShape, SolidTorusShape, VoussoirShape};
use impinge_geometry::mesh::{MeshError, TetMesh, TriangleMesh};
use nalgebra::Vector3;

use super::format::BodyMesh;

/// The mesh of a procedural body.
///
/// # Panics
/// If `source` is a file.
pub(super) fn solid(source: &BodyMesh) -> Result<TetMesh, MeshError> {
    match *source {
        BodyMesh::Ring {
            major_radius,
            section,
            segments,
        } => generate::ring(RingShape {
            major_radius,
            section,
            segments: segments as usize,
        }),
        BodyMesh::Torus {
            major_radius,
            minor_radius,
            layers,
            rings,
        } => generate::torus(SolidTorusShape {
            major_radius,
            minor_radius,
            layers: layers as usize,
            rings: rings as usize,
        }),
        BodyMesh::Cuboid { size, cells } | BodyMesh::Hexahedra { size, cells } => {
            generate::cuboid(size, cells.map(|n| n as usize))
        }
        BodyMesh::Sphere {
            radius,
            subdivisions,
        } => generate::sphere(radius, subdivisions as usize),
        BodyMesh::Cylinder {
            radius,
            height,
            rings,
            layers,
        } => generate::cylinder(radius, height, rings as usize, layers as usize),
        BodyMesh::Sheet {
            size,
            thickness,
            cells,
        } => generate::sheet(size, thickness, cells.map(|n| n as usize)),
        BodyMesh::Voussoir {
            inner_radius,
            outer_radius,
            degrees,
            depth,
        } => generate::voussoir(VoussoirShape {
            inner_radius,
            outer_radius,
            angle: degrees.to_radians(),
            depth,
        }),
        BodyMesh::Grid { .. } | BodyMesh::Quadrilaterals { .. } | BodyMesh::Strip { .. } => {
            unreachable!("a mesh without volume is refused where a solid is needed")
        }
        BodyMesh::File(_) | BodyMesh::Filled(_) => {
            unreachable!("files are read, not generated")
        }
    }
}

/// Number of nodes of a generated body; 0 if it is known only after generating or reading.
pub(super) fn body_nodes(source: &BodyMesh) -> u64 {
    let points = |cells: u32| u64::from(cells) + 1;
    let product = |counts: &[u64]| counts.iter().fold(1, |a: u64, &b| a.saturating_mul(b));
    let disc = |rings: u32| 1 + product(&[3, u64::from(rings), points(rings)]);
    match *source {
        BodyMesh::Ring { segments, .. } => 4 * u64::from(segments),
        BodyMesh::Cuboid { cells, .. } | BodyMesh::Hexahedra { cells, .. } => {
            product(&cells.map(points))
        }
        BodyMesh::Sheet { cells, .. } => product(&cells.map(points)).saturating_mul(2),
        BodyMesh::Grid { cells, .. } | BodyMesh::Quadrilaterals { cells, .. } => {
            product(&cells.map(points))
        }
        // The shells of a ball have 10 k² + 2 nodes each, in addition to its centre.
        BodyMesh::Sphere { subdivisions, .. } => {
            let n = u64::from(subdivisions);
            1 + product(&[10, n, n + 1, 2 * n + 1]) / 6 + 2 * n
        }
        BodyMesh::Cylinder { rings, layers, .. } => disc(rings).saturating_mul(points(layers)),
        BodyMesh::Torus { rings, layers, .. } => disc(rings).saturating_mul(u64::from(layers)),
        BodyMesh::Voussoir { .. } => 8,
        BodyMesh::Strip { .. } | BodyMesh::File(_) | BodyMesh::Filled(_) => 0,
    }
}

/// The hexahedra of a hexahedral solid, as nodes; empty for others.
pub(super) fn hexahedra(source: &BodyMesh) -> Vec<[u32; 8]> {
    match *source {
        BodyMesh::Hexahedra { cells, .. } => generate::cuboid_cells(cells.map(|n| n as usize)),
        _ => Vec::new(),
    }
}

/// The quadrilaterals of a quadrilateral grid, as vertices in order around each; empty for others.
pub(super) fn quadrilaterals(source: &BodyMesh) -> Vec<[u32; 4]> {
    let BodyMesh::Quadrilaterals {
        cells: [nx, ny], ..
    } = *source
    else {
        return Vec::new();
    };
    let at = |i: u32, j: u32| i * (ny + 1) + j;
    let columns = (0..nx).flat_map(|i| (0..ny).map(move |j| (i, j)));
    columns
        .map(|(i, j)| [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)])
        .collect()
}

/// The flat sheet of a grid.
pub(super) fn grid(size: [f64; 2], cells: [u32; 2]) -> Result<TriangleMesh, MeshError> {
    let [nx, ny] = cells;
    let index = |i: u32, j: u32| i * (ny + 1) + j;
    let place = |k: u32, n: u32, size: f64| size * (f64::from(k) / f64::from(n) - 0.5);
    let mut vertices = Vec::new();
    for i in 0..=nx {
        for j in 0..=ny {
            let (x, y) = (place(i, nx, size[0]), place(j, ny, size[1]));
            vertices.push(Vector3::new(x, y, 0.0));
        }
    }
    let mut triangles = Vec::new();
    for i in 0..nx {
        for j in 0..ny {
            let (a, b) = (index(i, j), index(i + 1, j));
            let (c, d) = (index(i + 1, j + 1), index(i, j + 1));
            // Alternating diagonals give the sheet no preferred direction.
            if (i + j) % 2 == 0 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    TriangleMesh::new(vertices, triangles)
}

/// The strip of `width` along a polyline, two triangles per cell, no cell longer than `spacing` (m).
///
/// Its transverse edges are the part of `across` orthogonal to the line there; at a corner, to the bisector.
pub(super) fn strip(
    corners: &[[f64; 3]],
    across: [f64; 3],
    width: f64,
    spacing: f64,
) -> Result<TriangleMesh, MeshError> {
    let problem = |problem: String| MeshError::Shape {
        shape: "strip",
        problem,
    };
    let corners: Vec<Vector3<f64>> = corners.iter().map(|&x| x.into()).collect();
    let mut middle = Vec::new();
    let mut along = Vec::new();
    for (index, pair) in corners.windows(2).enumerate() {
        let side = pair[1] - pair[0];
        let Some(direction) = side.try_normalize(0.0) else {
            return Err(problem(format!(
                "its points {index} and {} coincide",
                index + 1
            )));
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the count is positive, and a large one is refused"
        )]
        let cells = (side.norm() / spacing).ceil().clamp(1.0, 1e6) as usize;
        if middle.len() + cells > MAX_CELLS {
            return Err(problem(format!(
                "it has more than {MAX_CELLS} cells of the spacing {spacing} m"
            )));
        }
        // A corner belongs to both adjacent sides.
        if let Some(last) = along.last_mut() {
            *last += direction;
        }
        if index == 0 {
            middle.push(pair[0]);
            along.push(direction);
        }
        for cell in 1..=cells {
            middle.push(pair[0] + side * (cell as f64 / cells as f64));
            along.push(direction);
        }
    }
    let mut vertices = Vec::with_capacity(2 * middle.len());
    for (x, along) in middle.iter().zip(&along) {
        let across = Vector3::from(across).normalize();
        let lengthwise = along
            .try_normalize(1e-6)
            .map(|a| (a, across - a * a.dot(&across)));
        let Some((_, across)) = lengthwise.filter(|(_, rest)| rest.norm() > LEAST_ACROSS) else {
            let at = format!("({}, {}, {}) m", x.x, x.y, x.z);
            return Err(problem(format!(
                "at {at} it turns back on itself, or runs along `across`"
            )));
        };
        let half = across.normalize() * (0.5 * width);
        vertices.extend([x - half, x + half]);
    }
    let mut triangles = Vec::with_capacity(2 * middle.len());
    for cell in 0..middle.len() as u32 - 1 {
        let [a, b, c, d] = [2 * cell, 2 * cell + 1, 2 * cell + 2, 2 * cell + 3];
        if cell % 2 == 0 {
            triangles.extend([[a, c, d], [a, d, b]]);
        } else {
            triangles.extend([[a, c, b], [c, d, b]]);
        }
    }
    TriangleMesh::new(vertices, triangles)
}

/// Largest number of cells along a strip: a typing error must not exhaust the memory.
const MAX_CELLS: usize = 100_000;

/// Least relative length of `across` orthogonal to the line.
const LEAST_ACROSS: f64 = 1e-2;
