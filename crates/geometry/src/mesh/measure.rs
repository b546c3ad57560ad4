//! Volume, area and quality of single elements.

use nalgebra::Vector3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Signed volume of a tetrahedron in m³: `det[b−a, c−a, d−a] / 6`, positive when `d` sees `a, b, c` counter-clockwise
/// from outside.
pub fn tet_volume([a, b, c, d]: [Vector3<f64>; 4]) -> f64 {
    (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
}

/// Shape quality of a tetrahedron: `6√2 V / ℓ³` with `ℓ` the root mean square of its six edge lengths.
///
/// 1 for a regular tetrahedron, 0 for a flat one, negative for an inverted one.
pub fn tet_quality([a, b, c, d]: [Vector3<f64>; 4]) -> f64 {
    let edges = [b - a, c - a, d - a, c - b, d - b, d - c];
    let mean_square = edges.iter().map(Vector3::norm_squared).sum::<f64>() / 6.0;
    6.0 * 2.0_f64.sqrt() * tet_volume([a, b, c, d]) / (mean_square * mean_square.sqrt())
}

/// Cosines of the six dihedral angles of a positive tetrahedron, one for each pair of faces.
///
/// NaN for an angle at a face without area.
pub fn tet_dihedral_cosines([a, b, c, d]: [Vector3<f64>; 4]) -> [f64; 6] {
    let outward = [
        (c - b).cross(&(d - b)),
        (d - a).cross(&(c - a)),
        (b - a).cross(&(d - a)),
        (c - a).cross(&(b - a)),
    ]
    .map(|normal: Vector3<f64>| normal / normal.norm());
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(|(i, j)| -outward[i].dot(&outward[j]))
}

/// Area of a triangle in m².
pub fn triangle_area([a, b, c]: [Vector3<f64>; 3]) -> f64 {
    0.5 * (b - a).cross(&(c - a)).norm()
}

/// Orientation of a tetrahedron by the exact predicate.
pub(super) enum Orientation {
    Positive,
    Flat,
    Negative,
}

/// Exact sign of the volume, with a test that the rounded volume is usable.
///
/// A later stage divides by the volume, so a positive sliver whose rounded volume vanishes counts as flat.
pub(super) fn tet_orientation(corners: [Vector3<f64>; 4]) -> Orientation {
    let [a, b, c, d] = corners.map(|p| Coord3D {
        x: p.x,
        y: p.y,
        z: p.z,
    });
    // Shewchuk's orient3d is det[a−d, b−d, c−d]: negative for a positive tetrahedron.
    let sign = -orient3d(a, b, c, d);
    if sign < 0.0 {
        Orientation::Negative
    } else if sign > 0.0 && tet_volume(corners) >= f64::MIN_POSITIVE {
        Orientation::Positive
    } else {
        Orientation::Flat
    }
}

/// Whether the corners are exactly on one line, or so close that the rounded area vanishes.
pub(super) fn triangle_is_flat(corners: [Vector3<f64>; 3]) -> bool {
    let collinear_in = |u: usize, v: usize| {
        let [a, b, c] = corners.map(|p| Coord { x: p[u], y: p[v] });
        orient2d(a, b, c) == 0.0
    };
    // Collinear in space if and only if collinear in the three coordinate projections.
    (collinear_in(0, 1) && collinear_in(1, 2) && collinear_in(2, 0))
        || triangle_area(corners) < f64::MIN_POSITIVE
}
