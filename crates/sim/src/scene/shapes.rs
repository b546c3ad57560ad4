//! Procedural meshes by their keys in the scene.

use impinge_geometry::mesh::generate::{self, RingShape, TorusShape, VoussoirShape};
use impinge_geometry::mesh::{MeshError, TetMesh, TriangleMesh};

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
        BodyMesh::File(_) => unreachable!("files are read, not generated"),
    }
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
