//! Closest points of two edges.

use nalgebra::Vector3;

use super::SLIVER_SINE_SQUARED;
use super::point_segment::closest_parameter;

/// The part of an edge on which a closest point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgePart {
    /// Its first end, parameter 0.
    Start,
    /// Between its ends.
    Interior,
    /// Its second end, parameter 1.
    End,
}

impl EdgePart {
    #[inline]
    fn of(parameter: f64) -> Self {
        if parameter <= 0.0 {
            Self::Start
        } else if parameter >= 1.0 {
            Self::End
        } else {
            Self::Interior
        }
    }
}

/// Closest points of two edges, see [`edge_edge`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeEdge {
    /// Parameter in `[0, 1]` on the first edge.
    pub a: f64,
    /// Parameter in `[0, 1]` on the second edge.
    pub b: f64,
    /// Squared distance, m².
    pub distance_squared: f64,
    /// The part of the first edge in which its closest point lies.
    pub part_a: EdgePart,
    /// The part of the second edge in which its closest point lies.
    pub part_b: EdgePart,
}

impl EdgeEdge {
    #[inline]
    fn new(a: f64, b: f64, distance_squared: f64) -> Self {
        Self {
            a,
            b,
            distance_squared,
            part_a: EdgePart::of(a),
            part_b: EdgePart::of(b),
        }
    }
}

/// Finds the closest points of the closed edges `[a0, a1]` and `[b0, b1]`.
///
/// The squared distance is a convex quadratic of the two parameters over the unit square. If the unconstrained minimum
/// lies inside, it is the answer. Otherwise the minimum is on the boundary of the square, whose four sides are
/// distances of an end to the other edge. For nearly parallel edges both are computed and the nearer one is returned.
/// For parallel edges the minimum is not unique; one that contains an end is returned. An edge of zero length acts as a
/// point.
///
/// # Shapes and units
/// Positions in m. The closest points are `a0 + a·(a1 − a0)` and `b0 + b·(b1 − b0)`.
#[inline]
pub fn edge_edge(edge_a: &[Vector3<f64>; 2], edge_b: &[Vector3<f64>; 2]) -> EdgeEdge {
    let [a0, a1] = edge_a;
    let [b0, b1] = edge_b;
    let (u, v, w) = (a1 - a0, b1 - b0, b0 - a0);
    let normal = u.cross(&v);
    let normal_squared = normal.norm_squared();

    let mut interior = None;
    if normal_squared > 0.0 {
        // a·u − b·v = w within the plane of u and v (Cramer's rule with the normal as the third column).
        let a = w.cross(&v).dot(&normal) / normal_squared;
        let b = w.cross(&u).dot(&normal) / normal_squared;
        if a > 0.0 && a < 1.0 && b > 0.0 && b < 1.0 {
            let found = EdgeEdge::new(a, b, (u * a - v * b - w).norm_squared());
            if normal_squared > SLIVER_SINE_SQUARED * u.norm_squared() * v.norm_squared() {
                return found;
            }
            interior = Some(found);
        }
    }

    let (b_of_a0, from_a0) = closest_parameter(a0, b0, &v);
    let (b_of_a1, from_a1) = closest_parameter(a1, b0, &v);
    let (a_of_b0, from_b0) = closest_parameter(b0, a0, &u);
    let (a_of_b1, from_b1) = closest_parameter(b1, a0, &u);
    let mut best = EdgeEdge::new(0.0, b_of_a0, from_a0);
    for candidate in [
        (1.0, b_of_a1, from_a1),
        (a_of_b0, 0.0, from_b0),
        (a_of_b1, 1.0, from_b1),
    ] {
        if candidate.2 < best.distance_squared {
            best = EdgeEdge::new(candidate.0, candidate.1, candidate.2);
        }
    }
    match interior {
        Some(interior) if interior.distance_squared < best.distance_squared => interior,
        _ => best,
    }
}
