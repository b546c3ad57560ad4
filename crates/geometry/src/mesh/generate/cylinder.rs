//! Circular cylinders.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::prism::{Disc, check_prisms};
use super::{check_counts, check_lengths};
use crate::mesh::{MeshError, TetMesh, TriangleMesh};

/// A solid cylinder of `radius` and `height` (m) around the z axis, centred on the origin.
///
/// The disc has `rings` concentric rings, ring `r` with `6r` nodes on its circle. Each of its triangles is a prism of
/// three tetrahedra in each of the `layers` layers: `18 rings² layers` in all.
///
/// # Errors
/// [`MeshError::Shape`] if a length is not positive or a count is zero.
pub fn cylinder(
    radius: f64,
    height: f64,
    rings: usize,
    layers: usize,
) -> Result<TetMesh, MeshError> {
    check_lengths("cylinder", &[("radius", radius), ("height", height)])?;
    check_prisms("cylinder", rings, layers, 1)?;
    let disc = Disc::new(rings);
    let mut nodes = Vec::with_capacity(disc.points.len() * (layers + 1));
    for layer in 0..=layers {
        let z = height * (layer as f64 / layers as f64 - 0.5);
        let place = |point: &Vector3<f64>| Vector3::new(radius * point.x, radius * point.y, z);
        nodes.extend(disc.points.iter().map(place));
    }
    let tets = disc.row_of_prisms(&nodes);
    TetMesh::new(nodes, tets)
}

/// The surface of a cylinder of `radius` and `height` (m) around the z axis, centred on the origin: a prism of `sides`
/// sides whose caps are fans around their centres, wound outwards.
///
/// # Errors
/// [`MeshError::Shape`] if a length is not positive or there are fewer than 3 sides.
pub fn cylinder_surface(radius: f64, height: f64, sides: usize) -> Result<TriangleMesh, MeshError> {
    check_lengths(
        "cylinder surface",
        &[("radius", radius), ("height", height)],
    )?;
    check_counts("cylinder surface", &[("sides", sides, 3)])?;
    let [low, high] = [-0.5 * height, 0.5 * height];
    // Vertices 0 and 1 are the cap centres, then one pair (low, high) per side.
    let mut vertices = vec![Vector3::new(0.0, 0.0, low), Vector3::new(0.0, 0.0, high)];
    let mut triangles = Vec::with_capacity(4 * sides);
    for side in 0..sides {
        let (sin, cos) = (TAU * side as f64 / sides as f64).sin_cos();
        vertices.extend([low, high].map(|z| Vector3::new(radius * cos, radius * sin, z)));
        let a = (2 + 2 * side) as u32;
        let b = (2 + 2 * ((side + 1) % sides)) as u32;
        triangles.extend([
            [a, b, b + 1],
            [a, b + 1, a + 1],
            [0, b, a],
            [1, a + 1, b + 1],
        ]);
    }
    TriangleMesh::new(vertices, triangles)
}
