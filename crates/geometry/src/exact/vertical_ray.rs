//! Vertical rays against triangles, with every tie broken.
//!
//! Ties (a ray through an edge, a point on a plane) are broken as if every *ray and point* were moved by `(ε, ε², ε³)`
//! with an infinitesimal `ε`, the same way for all triangles. So a ray crosses a closed surface as often inwards as
//! outwards, and no crossing is counted twice or missed.
//!
//! # Source
//! Edelsbrunner and Mücke, "Simulation of simplicity", 1990, <https://doi.org/10.1145/77635.77639>; differs from it in:
//! only the rays are moved, not the triangles.

use nalgebra::Vector3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Twice the area of the triangle's projection along z, of exact sign: positive if it faces up, 0 if no moved ray meets
/// it.
pub(crate) fn upright_area([a, b, c]: &[Vector3<f64>; 3]) -> f64 {
    orient2d(flat(a, 0, 1), flat(b, 0, 1), flat(c, 0, 1))
}

/// Whether the vertical line through `(x + ε, y + ε²)` meets the triangle, whose [`upright_area`] is not 0.
pub(crate) fn meets([a, b, c]: &[Vector3<f64>; 3], upright: f64, x: f64, y: f64) -> bool {
    [(a, b), (b, c), (c, a)].into_iter().all(|(from, to)| {
        let side = orient2d(flat(from, 0, 1), flat(to, 0, 1), Coord { x, y });
        let first_nonzero = [side, from.y - to.y, to.x - from.x]
            .into_iter()
            .find(|&term| term != 0.0);
        // All zero only if the side has no extent in the projection; then the triangle has no area there.
        first_nonzero.is_some_and(|term| (term > 0.0) == (upright > 0.0))
    })
}

/// Whether the point, moved by `(ε, ε², ε³)`, is above the triangle's plane, which is not vertical.
pub(crate) fn is_above([a, b, c]: &[Vector3<f64>; 3], upright: f64, p: &Vector3<f64>) -> bool {
    let coord = |p: &Vector3<f64>| Coord3D {
        x: p.x,
        y: p.y,
        z: p.z,
    };
    let height = -orient3d(coord(a), coord(b), coord(c), coord(p));
    let in_front = if height == 0.0 {
        // On the plane: the first component of its normal that is not zero decides.
        [(1, 2), (2, 0), (0, 1)]
            .into_iter()
            .map(|(u, v)| orient2d(flat(a, u, v), flat(b, u, v), flat(c, u, v)))
            .find(|&component| component != 0.0)
            .is_some_and(|component| component > 0.0)
    } else {
        height > 0.0
    };
    in_front == (upright > 0.0)
}

fn flat(point: &Vector3<f64>, u: usize, v: usize) -> Coord<f64> {
    Coord {
        x: point[u],
        y: point[v],
    }
}
