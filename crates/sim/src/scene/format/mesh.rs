//! Meshes of bodies and shapes of obstacles.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mesh file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshFile {
    /// Path of the file, relative to the scene file. `${NAME}` stands for the environment variable NAME, for example
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

/// Elements that fill a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Filling {
    /// Tetrahedra, with surface nodes on the surface.
    #[default]
    Tetrahedra,
    /// Hexahedra: cubes of a grid along the axes, with surface nodes moved towards the surface.
    Hexahedra,
}

/// A surface mesh file to be filled with elements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilledSurface {
    /// File of a closed surface, or of a solid whose surface is used; path as in `file`.
    pub path: String,
    /// Metres per unit of length of the file, greater than 0.
    #[serde(default = "one")]
    pub scale: f64,
    /// Whether to move the centre of the bounding box to the origin first.
    #[serde(default)]
    pub center: bool,
    /// Elements of the filling.
    #[serde(default)]
    pub kind: Filling,
    /// Length of the longest inner edges (m), greater than 0. A volume V takes about 12 V / size³ tetrahedra or
    /// V / size³ hexahedra; details smaller than `size` are lost.
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

/// Mesh of a body, in its own frame.
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
    /// A box about the origin, made of hexahedra with eight integration points each; its surface consists of triangles.
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
        /// Subdivisions of each edge of the twenty tetrahedra of an icosahedron, at least 1: 20 n³ elements.
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
    /// A flat sheet without thickness in the xy plane, centred at the origin, made of bilinear quadrilaterals with four
    /// integration points each; for shells with `poisson` only. In contact, each quadrilateral is two triangles.
    Quadrilaterals {
        /// Side lengths along x and y (m).
        size: [f64; 2],
        /// Quadrilaterals along x and y, at least 1.
        cells: [u32; 2],
    },
    /// A strip without thickness along a line of `points`, for straps, cables and ropes; for shells only. The given
    /// shape, including bends, is the rest shape.
    Strip {
        /// Corners of the centre line (m), at least 2. The strip has nodes at each of them and in between.
        points: Vec<[f64; 3]>,
        /// Direction of the width (any non-zero length), nowhere parallel to the line.
        across: [f64; 3],
        /// Width (m).
        width: f64,
        /// Largest cell length along the line (m), greater than 0.
        spacing: f64,
    },
    /// A block of an arch about the y axis, in the position of the keystone at the top: flat sides, six tetrahedra.
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
    /// The inside of a closed surface, filled with tetrahedra or hexahedra of nearly uniform size.
    Filled(FilledSurface),
}

fn ring_segments() -> u32 {
    18
}
