//! Circular cylinders.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::lattice::Subdivision;
use super::{check_counts, check_lengths};
use crate::mesh::{MeshError, TetMesh, TriangleMesh, tet_volume};

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
    check_counts("cylinder", &[("rings", rings, 1), ("layers", layers, 1)])?;
    check_counts(
        "cylinder",
        &[
            ("rings", rings.saturating_mul(rings).saturating_mul(18), 1),
            ("layers", layers, 1),
        ],
    )?;

    let (disc, triangles) = disc(rings);
    let mut nodes = Vec::with_capacity(disc.len() * (layers + 1));
    for layer in 0..=layers {
        let z = height * (layer as f64 / layers as f64 - 0.5);
        nodes.extend(
            disc.iter()
                .map(|point| Vector3::new(radius * point.x, radius * point.y, z)),
        );
    }

    let mut tets = Vec::with_capacity(3 * triangles.len() * layers);
    for layer in 0..layers {
        for triangle in &triangles {
            // Cutting by ascending disc node makes the diagonals of neighbouring prisms agree.
            let mut corners = *triangle;
            corners.sort_unstable();
            let [a, b, c] = corners.map(|node| node + (layer * disc.len()) as u32);
            let [a_up, b_up, c_up] = [a, b, c].map(|node| node + disc.len() as u32);
            for mut tet in [[a, b, c, c_up], [a, b, b_up, c_up], [a, a_up, b_up, c_up]] {
                if tet_volume(tet.map(|node| nodes[node as usize])) < 0.0 {
                    tet.swap(2, 3);
                }
                tets.push(tet);
            }
        }
    }
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

/// The unit disc: a hexagon of `rings` rings with every ring moved onto its circle.
fn disc(rings: usize) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let mut hexagon = vec![Vector3::zeros()];
    hexagon.extend((0..6).map(|corner| {
        let (sin, cos) = (TAU * f64::from(corner) / 6.0).sin_cos();
        Vector3::new(cos, sin, 0.0)
    }));
    let mut subdivision = Subdivision::new(&hexagon, rings);
    let mut triangles = Vec::with_capacity(6 * rings * rings);
    for sector in 0..6 {
        triangles.extend(subdivision.triangles([0, 1 + sector, 1 + (sector + 1) % 6]));
    }
    let points = subdivision
        .points
        .iter()
        .map(|point| {
            // The ring is the largest distance along the six side normals over the hexagon's inradius √3/2. Equal
            // angles within a ring keep the triangles even.
            let angle = point.y.atan2(point.x);
            let within = (angle / (TAU / 6.0)).rem_euclid(1.0);
            let sector = (angle / (TAU / 6.0)).floor();
            let middle = (sector + 0.5) * (TAU / 6.0);
            let ring = (point.x * middle.cos() + point.y * middle.sin()) / (TAU / 12.0).cos();
            let ring = (ring * rings as f64).round() / rings as f64;
            // Position along the side of the hexagon, 0 to 1, becomes the angle in the sector.
            let along = if ring > 0.0 {
                0.5 + (within - 0.5).signum() * side_offset(within)
            } else {
                0.0
            };
            let (sin, cos) = ((sector + along) * (TAU / 6.0)).sin_cos();
            Vector3::new(ring * cos, ring * sin, 0.0)
        })
        .collect();
    (points, triangles)
}

/// Distance from the middle of a hexagon side, in sides, of the ray at sector fraction `within`.
fn side_offset(within: f64) -> f64 {
    let angle = (within - 0.5).abs() * (TAU / 6.0);
    // The side has the length of the circumradius and lies cos 30° of it from the centre.
    angle.tan() * (TAU / 12.0).cos()
}
