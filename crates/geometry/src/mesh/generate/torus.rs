//! Tori of round section.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::prism::{Disc, check_prisms};
use super::{check_counts, check_lengths};
use crate::mesh::{MeshError, TetMesh, TriangleMesh};

/// Dimensions of a [`torus_surface`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TorusShape {
    /// Radius of the circle in the middle of the tube, in m.
    pub major_radius: f64,
    /// Radius of the tube in m.
    pub minor_radius: f64,
    /// Flat sides around the axis, at least 3.
    pub sides: usize,
    /// Flat sides around the tube, at least 3.
    pub tube_sides: usize,
}

/// The surface of a torus around the z axis, centred on the origin: `2 sides tube_sides` triangles wound outwards, all
/// vertices on the true torus.
///
/// # Errors
/// [`MeshError::Shape`] if a length is not positive, the tube reaches the axis or a count is below 3.
pub fn torus_surface(shape: TorusShape) -> Result<TriangleMesh, MeshError> {
    let TorusShape {
        major_radius,
        minor_radius,
        sides,
        tube_sides,
    } = shape;
    check_lengths(
        "torus surface",
        &[
            ("major_radius", major_radius),
            ("minor_radius", minor_radius),
        ],
    )?;
    check_counts(
        "torus surface",
        &[("sides", sides, 3), ("tube_sides", tube_sides, 3)],
    )?;
    check_hole("torus surface", major_radius, minor_radius)?;
    let mut vertices = Vec::with_capacity(sides * tube_sides);
    for side in 0..sides {
        let (sin, cos) = (TAU * side as f64 / sides as f64).sin_cos();
        for tube_side in 0..tube_sides {
            let (up, out) = (TAU * tube_side as f64 / tube_sides as f64).sin_cos();
            let radius = major_radius + minor_radius * out;
            vertices.push(Vector3::new(radius * cos, radius * sin, minor_radius * up));
        }
    }
    let at = |side: usize, tube_side: usize| {
        (tube_sides * (side % sides) + tube_side % tube_sides) as u32
    };
    let mut triangles = Vec::with_capacity(2 * vertices.len());
    for side in 0..sides {
        for tube_side in 0..tube_sides {
            let [a, b] = [at(side, tube_side), at(side + 1, tube_side)];
            let [c, d] = [at(side + 1, tube_side + 1), at(side, tube_side + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    TriangleMesh::new(vertices, triangles)
}

/// Dimensions of a [`torus`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolidTorusShape {
    /// Radius of the circle in the middle of the tube, in m.
    pub major_radius: f64,
    /// Radius of the tube in m.
    pub minor_radius: f64,
    /// Layers around the axis, at least 3.
    pub layers: usize,
    /// Concentric rings of the section, at least 1: it is a polygon of `6 rings` sides.
    pub rings: usize,
}

/// A solid torus around the z axis, centred on the origin: a [`cylinder()`](super::cylinder()) bent to a ring, with
/// `18 rings² layers` tetrahedra and surface nodes on the true torus.
///
/// # Errors
/// [`MeshError::Shape`] if a length is not positive, the tube reaches the axis, a count is below its minimum, or the
/// tetrahedra are too many.
pub fn torus(shape: SolidTorusShape) -> Result<TetMesh, MeshError> {
    let SolidTorusShape {
        major_radius,
        minor_radius,
        layers,
        rings,
    } = shape;
    check_lengths(
        "torus",
        &[
            ("major_radius", major_radius),
            ("minor_radius", minor_radius),
        ],
    )?;
    check_prisms("torus", rings, layers, 3)?;
    check_hole("torus", major_radius, minor_radius)?;
    let disc = Disc::new(rings);
    let mut nodes = Vec::with_capacity(disc.points.len() * layers);
    for layer in 0..layers {
        let (sin, cos) = (TAU * layer as f64 / layers as f64).sin_cos();
        let place = |point: &Vector3<f64>| {
            let radius = major_radius + minor_radius * point.x;
            Vector3::new(radius * cos, radius * sin, minor_radius * point.y)
        };
        nodes.extend(disc.points.iter().map(place));
    }
    let tets = disc.ring_of_prisms(&nodes);
    TetMesh::new(nodes, tets)
}

/// Rejects a tube that reaches the axis.
fn check_hole(shape: &'static str, major_radius: f64, minor_radius: f64) -> Result<(), MeshError> {
    if minor_radius < major_radius {
        return Ok(());
    }
    Err(MeshError::Shape {
        shape,
        problem: format!(
            "its minor_radius of {minor_radius} m reaches the axis: it must be below the major_radius of \
             {major_radius} m"
        ),
    })
}
