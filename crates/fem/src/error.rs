//! Errors of meshes and patterns for an elastic model.

use thiserror::Error;

/// Unusable input of [`ElasticModel`](crate::ElasticModel) or [`RigidInertia`](crate::RigidInertia), found before any
/// computation.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FemError {
    /// A rest position is NaN or infinite.
    #[error("rest position {point} is ({}, {}, {}); every coordinate must be finite",
    position[0], position[1], position[2])]
    RestPosition {
        /// Index of the point.
        point: usize,
        /// Its coordinates, m.
        position: [f64; 3],
    },
    /// A tetrahedron names a point that does not exist.
    #[error(
        "tetrahedron {element} uses point {point}, but there are only {points} points; check the index base (the \
         first point is 0)"
    )]
    PointIndex {
        /// Index of the tetrahedron.
        element: usize,
        /// The missing point.
        point: u32,
        /// Number of points.
        points: usize,
    },
    /// A tetrahedron has no volume, or a negative one.
    #[error("tetrahedron {element} {nodes:?} has the rest volume {volume} m³; {}", mend_of_volume(*volume))]
    RestVolume {
        /// Index of the tetrahedron.
        element: usize,
        /// Its points.
        nodes: [u32; 4],
        /// Signed rest volume, m³.
        volume: f64,
    },
    /// A hexahedron is folded or flat at a corner.
    #[error(
        "hexahedron {cell} {nodes:?} is flat, folded or inverted at a corner (corner volume / longest edge³ = \
         {ratio}); list the four bottom points in order, then the four top points"
    )]
    RestHexahedron {
        /// Index of the hexahedron.
        cell: usize,
        /// Its points.
        nodes: [u32; 8],
        /// Smallest triple product of the edges at a corner over the cube of the longest edge.
        ratio: f64,
    },
    /// A tetrahedron names a material that does not exist.
    #[error(
        "tetrahedron {element} has the material {material}, but there are only {materials} materials; the first one \
         is 0"
    )]
    MaterialIndex {
        /// Index of the tetrahedron.
        element: usize,
        /// The missing material.
        material: u32,
        /// Number of materials.
        materials: usize,
    },
    /// A density is not a positive finite number.
    #[error(
        "tetrahedron {element} has the density {density} kg/m³; give a positive, finite density, e.g. 1000 for water"
    )]
    Density {
        /// Index of the tetrahedron.
        element: usize,
        /// The density given, kg/m³.
        density: f64,
    },
    /// The density of a rigid body is not a positive finite number.
    #[error(
        "a rigid body has the density {density} kg/m³; give a positive, finite density, e.g. 1000 for water"
    )]
    RigidDensity {
        /// The density given, kg/m³.
        density: f64,
    },
    /// The mass of a rigid body is not a positive finite number.
    #[error("a rigid body has the mass {mass} kg; give a positive, finite mass")]
    RigidMass {
        /// The mass given, kg.
        mass: f64,
    },
    /// The shape of a rigid body encloses no positive volume.
    #[error(
        "a rigid body encloses {volume} m³; its surface must be closed, wound outwards, and not flat"
    )]
    RigidVolume {
        /// Signed volume, m³.
        volume: f64,
    },
    /// The matrix pattern has no block for a pair that an element couples.
    #[error(
        "the matrix pattern has no block ({row}, {column}), which {kind} {element} needs; build the pattern from \
         `block_pairs` of this model"
    )]
    MissingBlock {
        /// Kind of the element.
        kind: &'static str,
        /// Kind of the element.
        element: usize,
        /// Block row.
        row: u32,
        /// Block column.
        column: u32,
    },
}

fn mend_of_volume(volume: f64) -> &'static str {
    if volume < 0.0 {
        "it is inverted: exchange two of its points"
    } else {
        "it is flat: remove it or move its points apart"
    }
}
