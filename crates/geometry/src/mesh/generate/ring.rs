//! A ring of hexahedra, each cut into six tetrahedra.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::lattice::box_tets;
use super::{check_counts, check_lengths};
use crate::mesh::{MeshError, TetMesh};

/// Dimensions of a [`ring`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RingShape {
    /// Radius of the circle on which the corners of the square section are centred, in m.
    pub major_radius: f64,
    /// Side of the square section in m.
    pub section: f64,
    /// Number of hexahedra around the ring, at least 3.
    pub segments: usize,
}

/// A square-section torus around the z axis, centred on the origin: a closed row of hexahedra. The Kuhn triangulation
/// splits each into six tetrahedra, and all faces match.
///
/// With 18 segments it has 72 nodes, 108 tetrahedra and 144 surface triangles with 216 edges.
///
/// # Errors
/// [`MeshError::Shape`] if a length is not positive, the section reaches the axis or there are fewer than 3 segments.
pub fn ring(shape: RingShape) -> Result<TetMesh, MeshError> {
    let RingShape {
        major_radius,
        section,
        segments,
    } = shape;
    check_lengths(
        "ring",
        &[("major_radius", major_radius), ("section", section)],
    )?;
    check_counts("ring", &[("segments", segments, 3)])?;
    if section >= 2.0 * major_radius {
        return Err(MeshError::Shape {
            shape: "ring",
            problem: format!(
                "its section of {section} m reaches the axis: it must be below twice the major_radius of \
                 {major_radius} m"
            ),
        });
    }

    let mut nodes = Vec::with_capacity(4 * segments);
    for segment in 0..segments {
        let (sin, cos) = (TAU * segment as f64 / segments as f64).sin_cos();
        for z in [-0.5 * section, 0.5 * section] {
            for radius in [major_radius - 0.5 * section, major_radius + 0.5 * section] {
                nodes.push(Vector3::new(radius * cos, radius * sin, z));
            }
        }
    }
    // Lattice axes outwards, around, up form a right-handed frame; the last segment returns to the first nodes.
    let tets = box_tets([1, segments, 1], |[out, around, up]| {
        (4 * (around % segments) + 2 * up + out) as u32
    });
    TetMesh::new(nodes, tets)
}
