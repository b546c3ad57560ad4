//! Meshes of bodies and shapes of obstacles.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mesh file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshFile {
    /// The file, relative to the scene file. `${NAME}` stands for the environment variable NAME, for example
    /// `${IMPINGE_DATA}/meshes/tetMeshes/bunny.msh`.
    pub path: String,
    /// Metres per unit of length of the file, greater than 0.
    #[serde(default = "one")]
    pub scale: f64,
    /// Whether to move the centre of the bounding box to the origin first.
    #[serde(default)]
    pub center: bool,
}

fn one() -> f64 {
    1.0
}

/// A surface mesh file and how to fill it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilledSurface {
    /// The file of a closed surface, or of a solid whose surface is taken; see `path` of `file`.
    pub path: String,
    /// Metres per unit of length of the file, greater than 0.
    #[serde(default = "one")]
    pub scale: f64,
    /// Whether to move the centre of the bounding box to the origin first.
    #[serde(default)]
    pub center: bool,
    /// Length of the longest edges inside (m), greater than 0: a volume V takes about 12 V / size³ elements, and details
    /// smaller than this are lost.
    pub size: f64,
}

impl FilledSurface {
    /// The file without its filling.
    pub(in crate::scene) fn file(&self) -> MeshFile {
        MeshFile {
            path: self.path.clone(),
            scale: self.scale,
            center: self.center,
        }
    }
}

/// Tetrahedral mesh of a body, in its own frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum BodyMesh {
    /// A torus of square section about the z axis.
    Ring {
        /// Radius of the centre line (m), greater than half of `section`.
        major_radius: f64,
        /// Side of the square section (m).
        section: f64,
        /// Hexahedra around the ring, at least 3; each becomes 6 tetrahedra.
        #[serde(default = "ring_segments")]
        segments: u32,
    },
    /// A box about the origin.
    Cuboid {
        /// Side lengths (m).
        size: [f64; 3],
        /// Cells along each side, at least 1; each becomes 6 tetrahedra.
        cells: [u32; 3],
    },
    /// A box about the origin of hexahedra of eight integration points each; its surface is triangles.
    Hexahedra {
        /// Side lengths (m).
        size: [f64; 3],
        /// Hexahedra along each side, at least 1.
        cells: [u32; 3],
    },
    /// A ball about the origin.
    Sphere {
        /// Radius (m).
        radius: f64,
        /// Cuts along each edge of the twenty tetrahedra of an icosahedron, at least 1: 20 n³ elements.
        subdivisions: u32,
    },
    /// A solid cylinder about the z axis, centred at the origin.
    Cylinder {
        /// Radius (m).
        radius: f64,
        /// Length along z (m).
        height: f64,
        /// Concentric rings of elements, at least 1.
        rings: u32,
        /// Layers along z, at least 1: 18 rings² layers elements.
        layers: u32,
    },
    /// A thin plate in the xy plane, one cell thick, centred at the origin.
    Sheet {
        /// Side lengths along x and y (m).
        size: [f64; 2],
        /// Thickness along z (m).
        thickness: f64,
        /// Cells along x and y, at least 1.
        cells: [u32; 2],
    },
    /// A flat sheet without thickness in the xy plane, centred at the origin, two triangles per cell; for shells only.
    Grid {
        /// Side lengths along x and y (m).
        size: [f64; 2],
        /// Cells along x and y, at least 1.
        cells: [u32; 2],
    },
    /// The same of bilinear quadrilaterals with four integration points each; for shells with `poisson` only. It is touched as
    /// two triangles per quadrilateral.
    Quadrilaterals {
        /// Side lengths along x and y (m).
        size: [f64; 2],
        /// Quadrilaterals along x and y, at least 1.
        cells: [u32; 2],
    },
    /// A strip without thickness along a line of `points`, for straps, cables and ropes; for shells only. It is at rest as it is
    /// drawn, bends included.
    Strip {
        /// Corners of its middle line (m), at least 2; at each of them and in between there are points of the strip.
        points: Vec<[f64; 3]>,
        /// Direction across (any length but 0), nowhere along the line.
        across: [f64; 3],
        /// Width (m).
        width: f64,
        /// Longest cell along the line (m), greater than 0.
        spacing: f64,
    },
    /// A block of an arch about the y axis, as the keystone at the top of the arch: flat sides, six tetrahedra.
    Voussoir {
        /// Distance of the lower corners from the axis (m).
        inner_radius: f64,
        /// Distance of the upper corners from the axis (m), greater than `inner_radius`.
        outer_radius: f64,
        /// Angle between its two joints (degrees), greater than 0 and below 180.
        degrees: f64,
        /// Length along y (m).
        depth: f64,
    },
    /// A mesh file of tetrahedra or hexahedra (`.msh`, `.mesh`, `.vtk`, `.vtu`); for a rigid body also of a closed
    /// surface (`.obj`, `.stl`, `.ply`, `.vtp` too).
    File(MeshFile),
    /// What a closed surface encloses, filled with tetrahedra of about one size.
    Filled(FilledSurface),
}

fn ring_segments() -> u32 {
    18
}

/// Shape of an obstacle, in its own frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ObstacleShape {
    /// Everything on one side of a plane. It stands still.
    HalfSpace {
        /// A point of the plane (m).
        #[serde(default)]
        point: [f64; 3],
        /// Normal of the plane, out of the solid side (any length but 0).
        normal: [f64; 3],
    },
    /// The surface of a ball about the origin.
    Sphere {
        /// Radius (m).
        radius: f64,
        /// Cuts along each edge of an icosahedron, at least 1: 20 n² triangles.
        #[serde(default = "sphere_subdivisions")]
        subdivisions: u32,
    },
    /// The surface of a cylinder about the z axis, centred at the origin.
    Cylinder {
        /// Radius (m).
        radius: f64,
        /// Length along z (m).
        height: f64,
        /// Flat sides around the axis, at least 3.
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
        /// Radius of the circle in the middle of the tube (m), greater than `minor_radius`.
        major_radius: f64,
        /// Radius of the tube (m).
        minor_radius: f64,
        /// Flat sides around the axis, at least 3.
        #[serde(default = "torus_sides")]
        sides: u32,
        /// Flat sides around the tube, at least 3.
        #[serde(default = "tube_sides")]
        tube_sides: u32,
    },
    /// A surface mesh file (`.obj`, `.stl`, `.ply`, `.vtp`, `.msh`, `.vtk`, `.vtu`): closed, its inside is solid; open,
    /// it has two sides.
    File(MeshFile),
}

fn sphere_subdivisions() -> u32 {
    8
}

fn cylinder_sides() -> u32 {
    48
}

fn torus_sides() -> u32 {
    48
}

fn tube_sides() -> u32 {
    16
}
