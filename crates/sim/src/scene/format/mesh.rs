//! Meshes of bodies and shapes of obstacles.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mesh file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshFile {
    /// Path, relative to the scene file. `${NAME}` stands for the environment variable NAME.
    pub path: String,
    /// Metres per unit of the file, > 0.
    #[serde(default = "one")]
    pub scale: f64,
    /// Whether the centre of the bounding box moves to the origin first.
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
    /// Metres per unit of the file, > 0.
    #[serde(default = "one")]
    pub scale: f64,
    /// Whether the centre of the bounding box moves to the origin first.
    #[serde(default)]
    pub center: bool,
    /// Elements of the filling.
    #[serde(default)]
    pub kind: Filling,
    /// Length of the longest inner edges (m), > 0: about 12 volume/`size`³ tetrahedra or volume/`size`³ hexahedra.
    /// Smaller details are lost.
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
        /// Radius of the centre line (m), more than half of `section`.
        major_radius: f64,
        /// Side of the square section (m).
        section: f64,
        /// Hexahedra around the axis, ≥ 3, of 6 tetrahedra each.
        #[serde(default = "ring_segments")]
        segments: u32,
    },
    /// A torus of round section about the z axis.
    Torus {
        /// Radius of the centre line (m), more than `minor_radius`.
        major_radius: f64,
        /// Radius of the tube (m).
        minor_radius: f64,
        /// Layers around the axis, ≥ 3: 18 rings² layers elements.
        layers: u32,
        /// Concentric rings of the section, ≥ 1: it is a polygon of 6 rings sides.
        #[serde(default = "torus_rings")]
        rings: u32,
    },
    /// A box about the origin.
    Cuboid {
        /// Side lengths (m).
        size: [f64; 3],
        /// Cells along each side, ≥ 1, of 6 tetrahedra each.
        cells: [u32; 3],
    },
    /// A box about the origin, of hexahedra with eight integration points and a surface of triangles.
    Hexahedra {
        /// Side lengths (m).
        size: [f64; 3],
        /// Hexahedra along each side, ≥ 1.
        cells: [u32; 3],
    },
    /// A ball about the origin.
    Sphere {
        /// Radius (m).
        radius: f64,
        /// Subdivisions n of each edge of an icosahedron, ≥ 1: 20 n³ elements.
        subdivisions: u32,
    },
    /// A solid cylinder about the z axis, centred at the origin.
    Cylinder {
        /// Radius (m).
        radius: f64,
        /// Length along z (m).
        height: f64,
        /// Concentric rings, ≥ 1.
        rings: u32,
        /// Layers along z, ≥ 1: 18 rings² layers elements.
        layers: u32,
    },
    /// A plate in the xy plane about the origin, one cell thick.
    Sheet {
        /// Side lengths along x and y (m).
        size: [f64; 2],
        /// Thickness along z (m).
        thickness: f64,
        /// Cells along x and y, ≥ 1.
        cells: [u32; 2],
    },
    /// A flat sheet in the xy plane about the origin, two triangles per cell; for shells.
    Grid {
        /// Side lengths along x and y (m).
        size: [f64; 2],
        /// Cells along x and y, ≥ 1.
        cells: [u32; 2],
    },
    /// The sheet of `grid`, of bilinear quadrilaterals with four integration points, each two triangles in contact; for
    /// shells with `poisson`.
    Quadrilaterals {
        /// Side lengths along x and y (m).
        size: [f64; 2],
        /// Quadrilaterals along x and y, ≥ 1.
        cells: [u32; 2],
    },
    /// A strip along a line, for shells. The given shape, with its bends, is the rest shape.
    Strip {
        /// Corners of the centre line (m), ≥ 2; nodes stand at each and between them.
        points: Vec<[f64; 3]>,
        /// Direction of the width, nowhere along the line.
        across: [f64; 3],
        /// Width (m).
        width: f64,
        /// Largest cell length along the line (m), > 0.
        spacing: f64,
    },
    /// A block of an arch about the y axis, at its top: flat sides, six tetrahedra.
    Voussoir {
        /// Distance of the lower corners from the axis (m).
        inner_radius: f64,
        /// Distance of the upper corners from the axis (m), more than `inner_radius`.
        outer_radius: f64,
        /// Angle between its two joints (degrees), > 0 and < 180.
        degrees: f64,
        /// Length along y (m).
        depth: f64,
    },
    /// A file of tetrahedra or hexahedra (`.msh`, `.mesh`, `.vtk`, `.vtu`), of a rigid body also of a closed surface
    /// (`.obj`, `.stl`, `.ply`, `.vtp` too).
    File(MeshFile),
    /// The inside of a closed surface, filled with tetrahedra or hexahedra of nearly one size.
    Filled(FilledSurface),
}

fn ring_segments() -> u32 {
    18
}

fn torus_rings() -> u32 {
    1
}
