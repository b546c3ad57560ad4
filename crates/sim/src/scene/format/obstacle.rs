//! Shapes of obstacles: their keys, their sizes and their surfaces.

use impinge_geometry::mesh::generate::{self, TorusShape};
use impinge_geometry::mesh::{MeshError, TriangleMesh};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::mesh::MeshFile;

/// Shape of an obstacle, in its own frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ObstacleShape {
    /// Half-space on one side of a plane; it cannot move.
    HalfSpace {
        /// A point of the plane (m).
        #[serde(default)]
        point: [f64; 3],
        /// Normal of the plane, out of the solid.
        normal: [f64; 3],
    },
    /// The surface of a ball about the origin.
    Sphere {
        /// Radius (m).
        radius: f64,
        /// Subdivisions n of each edge of an icosahedron, ≥ 1: 20 n² triangles.
        #[serde(default = "sphere_subdivisions")]
        subdivisions: u32,
    },
    /// The surface of a cylinder about the z axis, centred at the origin.
    Cylinder {
        /// Radius (m).
        radius: f64,
        /// Length along z (m).
        height: f64,
        /// Flat sides around the axis, ≥ 3.
        #[serde(default = "cylinder_sides")]
        sides: u32,
    },
    /// The surface of a box about the origin.
    Cuboid {
        /// Side lengths (m).
        size: [f64; 3],
    },
    /// The surface of a torus about the z axis.
    Torus {
        /// Radius of the centre line of the tube (m), more than `minor_radius`.
        major_radius: f64,
        /// Radius of the tube (m).
        minor_radius: f64,
        /// Flat sides around the axis, ≥ 3.
        #[serde(default = "torus_sides")]
        sides: u32,
        /// Flat sides around the tube, ≥ 3.
        #[serde(default = "tube_sides")]
        tube_sides: u32,
    },
    /// A surface mesh file (`.obj`, `.stl`, `.ply`, `.vtp`, `.msh`, `.vtk`, `.vtu`). A closed surface is solid, an open
    /// one can be touched on both sides.
    File(MeshFile),
}

impl ObstacleShape {
    /// Number of vertices of a generated obstacle; 0 if it is known only after reading.
    pub(in crate::scene) fn nodes(&self) -> u64 {
        match *self {
            Self::Sphere { subdivisions, .. } => {
                let n = u64::from(subdivisions);
                10_u64.saturating_mul(n * n) + 2
            }
            Self::Cuboid { .. } => 8,
            Self::Cylinder { sides, .. } => 2 + 2 * u64::from(sides),
            Self::Torus {
                sides, tube_sides, ..
            } => u64::from(sides) * u64::from(tube_sides),
            Self::HalfSpace { .. } | Self::File(_) => 0,
        }
    }

    /// The surface of a procedural obstacle.
    ///
    /// # Panics
    /// If it is a file or a half-space.
    pub(in crate::scene) fn surface(&self) -> Result<TriangleMesh, MeshError> {
        match *self {
            Self::Sphere {
                radius,
                subdivisions,
            } => generate::sphere_surface(radius, subdivisions as usize),
            Self::Cuboid { size } => generate::cuboid_surface(size),
            Self::Cylinder {
                radius,
                height,
                sides,
            } => generate::cylinder_surface(radius, height, sides as usize),
            Self::Torus {
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
            Self::HalfSpace { .. } | Self::File(_) => {
                unreachable!("files are read, half-spaces have no mesh")
            }
        }
    }
}

fn cylinder_sides() -> u32 {
    48
}

fn sphere_subdivisions() -> u32 {
    8
}

fn torus_sides() -> u32 {
    48
}

fn tube_sides() -> u32 {
    16
}
