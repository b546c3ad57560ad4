//! Procedural meshes by their keys in the scene.

use impinge_geometry::mesh::generate::{self, RingShape, TorusShape, VoussoirShape};
use impinge_geometry::mesh::{MeshError, TetMesh, TriangleMesh};
use nalgebra::Vector3;

use super::format::{BodyMesh, ObstacleShape};

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
        BodyMesh::Cuboid { size, cells } => generate::cuboid(size, cells.map(|n| n as usize)),
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
        BodyMesh::Grid { .. } => unreachable!("a grid is refused where a solid is needed"),
        BodyMesh::File(_) | BodyMesh::Filled(_) => {
            unreachable!("files are read, not generated")
        }
    }
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
            // Diagonals alternate, so that the sheet prefers no direction.
            if (i + j) % 2 == 0 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    TriangleMesh::new(vertices, triangles)
}

/// The surface of a procedural obstacle.
///
/// # Panics
/// If `shape` is a file or a half-space.
pub(super) fn surface(shape: &ObstacleShape) -> Result<TriangleMesh, MeshError> {
    match *shape {
        ObstacleShape::Sphere {
            radius,
            subdivisions,
        } => generate::sphere_surface(radius, subdivisions as usize),
        ObstacleShape::Cuboid { size } => generate::cuboid_surface(size),
        ObstacleShape::Cylinder {
            radius,
            height,
            sides,
        } => generate::cylinder_surface(radius, height, sides as usize),
        ObstacleShape::Torus {
            major_radius,
            minor_radius,
            sides,
            tube_sides,
        } => generate::torus_surface(TorusShape {
            major_radius,
            minor_radius,
            sides: sides as usize,
            tube_sides: tube_sides as usize,
        }),
        ObstacleShape::HalfSpace { .. } | ObstacleShape::File(_) => {
            unreachable!("files are read, half-spaces have no mesh")
        }
    }
}
