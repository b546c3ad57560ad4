//! Layers of prisms between copies of a disc.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::check_counts;
use super::lattice::Subdivision;
use crate::mesh::{MeshError, tet_volume};

/// The unit disc in the xy plane, cut into triangles.
pub(super) struct Disc {
    pub(super) points: Vec<Vector3<f64>>,
    triangles: Vec<[u32; 3]>,
}

impl Disc {
    /// A hexagon of `rings` concentric rings with every ring moved onto its circle: `6 rings²` triangles.
    pub(super) fn new(rings: usize) -> Self {
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
        let points = (subdivision.points.iter())
            .map(|point| on_its_circle(point, rings))
            .collect();
        Self { points, triangles }
    }

    /// The tetrahedra between neighbouring copies of the disc in `nodes`, three in the prism of each triangle.
    pub(super) fn row_of_prisms(&self, nodes: &[Vector3<f64>]) -> Vec<[u32; 4]> {
        let copies = nodes.len() / self.points.len();
        let pairs = (1..copies).map(|copy| [copy - 1, copy]);
        pairs.flat_map(|pair| self.layer(nodes, pair)).collect()
    }

    /// As [`row_of_prisms`](Self::row_of_prisms), and the first copy follows the last.
    pub(super) fn ring_of_prisms(&self, nodes: &[Vector3<f64>]) -> Vec<[u32; 4]> {
        let copies = nodes.len() / self.points.len();
        let pairs = (0..copies).map(|copy| [copy, (copy + 1) % copies]);
        pairs.flat_map(|pair| self.layer(nodes, pair)).collect()
    }

    /// The tetrahedra between two copies of the disc.
    fn layer(&self, nodes: &[Vector3<f64>], copies: [usize; 2]) -> Vec<[u32; 4]> {
        let [low, up] = copies.map(|copy| (copy * self.points.len()) as u32);
        let mut tets = Vec::with_capacity(3 * self.triangles.len());
        for triangle in &self.triangles {
            // Cutting by ascending disc node makes the diagonals of neighbouring prisms agree.
            let mut corners = *triangle;
            corners.sort_unstable();
            let [a, b, c] = corners.map(|node| node + low);
            let [a_up, b_up, c_up] = corners.map(|node| node + up);
            for mut tet in [[a, b, c, c_up], [a, b, b_up, c_up], [a, a_up, b_up, c_up]] {
                if tet_volume(tet.map(|node| nodes[node as usize])) < 0.0 {
                    tet.swap(2, 3);
                }
                tets.push(tet);
            }
        }
        tets
    }
}

/// Rejects counts of rings and layers that are too small, or give too many tetrahedra.
pub(super) fn check_prisms(
    shape: &'static str,
    rings: usize,
    layers: usize,
    least_layers: usize,
) -> Result<(), MeshError> {
    let in_layer = rings.saturating_mul(rings).saturating_mul(18);
    // First the counts themselves, then their product.
    for rings in [rings, in_layer] {
        check_counts(
            shape,
            &[("rings", rings, 1), ("layers", layers, least_layers)],
        )?;
    }
    Ok(())
}

/// Moves a node of the hexagon onto the circle of its ring.
fn on_its_circle(point: &Vector3<f64>, rings: usize) -> Vector3<f64> {
    // The ring is the largest distance along the six side normals over the hexagon's inradius √3/2. Equal angles within
    // a ring keep the triangles even.
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
}

/// Distance from the middle of a hexagon side, in sides, of the ray at sector fraction `within`.
fn side_offset(within: f64) -> f64 {
    let angle = (within - 0.5).abs() * (TAU / 6.0);
    // The side has the length of the circumradius and lies cos 30° of it from the centre.
    angle.tan() * (TAU / 12.0).cos()
}
