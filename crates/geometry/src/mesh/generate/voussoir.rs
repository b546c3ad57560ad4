//! Blocks of masonry arches.

use std::f64::consts::PI;

use nalgebra::Vector3;

use super::check_lengths;
use super::lattice::box_tets;
use crate::mesh::{MeshError, TetMesh};

/// Dimensions of a [`voussoir`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VoussoirShape {
    /// Distance of the inner corners from the axis of the arch, in m.
    pub inner_radius: f64,
    /// Distance of the outer corners from the axis, in m.
    pub outer_radius: f64,
    /// Angle between the two joints, in rad, below π.
    pub angle: f64,
    /// Length along the axis, in m.
    pub depth: f64,
}

/// A block of an arch around the y axis, in the position of the keystone: two joints in planes through the axis, flat
/// inner and outer faces, six tetrahedra.
///
/// Copies rotated about the y axis by multiples of its angle form the arch. Its volume is `½ (outer² − inner²)
/// sin(angle) depth`.
///
/// # Errors
/// [`MeshError::Shape`] if a length is not positive, the outer radius is not the greater one, or the angle is not
/// between 0 and π.
pub fn voussoir(shape: VoussoirShape) -> Result<TetMesh, MeshError> {
    let VoussoirShape {
        inner_radius,
        outer_radius,
        angle,
        depth,
    } = shape;
    check_lengths(
        "voussoir",
        &[
            ("inner_radius", inner_radius),
            ("outer_radius", outer_radius),
            ("depth", depth),
        ],
    )?;
    let refuse = |problem| MeshError::Shape {
        shape: "voussoir",
        problem,
    };
    if outer_radius <= inner_radius {
        return Err(refuse(format!(
            "its outer_radius of {outer_radius} m is not above its inner_radius of {inner_radius} m"
        )));
    }
    if !(angle > 0.0 && angle < PI) {
        return Err(refuse(format!(
            "its angle is {angle} rad, but must be above 0 and below π"
        )));
    }
    let (sin, cos) = (0.5 * angle).sin_cos();
    let mut nodes = Vec::with_capacity(8);
    for radius in [inner_radius, outer_radius] {
        for y in [-0.5 * depth, 0.5 * depth] {
            for x in [-radius * sin, radius * sin] {
                nodes.push(Vector3::new(x, y, radius * cos));
            }
        }
    }
    TetMesh::new(
        nodes,
        box_tets([1, 1, 1], |[i, j, k]| (i + 2 * j + 4 * k) as u32),
    )
}
