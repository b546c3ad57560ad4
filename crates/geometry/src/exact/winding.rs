//! Winding number of a closed surface about a point.

use nalgebra::Vector3;

use super::vertical_ray::{is_above, meets, upright_area};

/// The exact winding number of a closed surface about a point: 1 inside of one wound outwards, 0 outside.
///
/// A point on the surface counts as if it were moved by an infinitesimal amount: to one of the two sides, always the
/// same.
///
/// # Shapes and units
/// The corners of each triangle in m, in any order of the triangles.
///
/// # Cost
/// One pass over the triangles; comparisons alone rule out nearly all of them.
pub fn winding_number(
    point: &Vector3<f64>,
    triangles: impl IntoIterator<Item = [Vector3<f64>; 3]>,
) -> i32 {
    let mut winding = 0;
    for corners in triangles {
        let [a, b, c] = &corners;
        let (lower, upper) = (a.inf(b).inf(c), a.sup(b).sup(c));
        // Bounds are closed: moved infinitesimally, a point on them may still be within.
        if (0..2).any(|axis| point[axis] < lower[axis] || point[axis] > upper[axis])
            || point.z < lower.z
        {
            continue;
        }
        let upright = upright_area(&corners);
        if upright != 0.0
            && meets(&corners, upright, point.x, point.y)
            && (point.z > upper.z || is_above(&corners, upright, point))
        {
            winding += if upright > 0.0 { -1 } else { 1 };
        }
    }
    winding
}
