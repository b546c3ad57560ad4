//! Closest point of a triangle to a point.

use nalgebra::Vector3;

use super::SLIVER_SINE_SQUARED;
use super::point_segment::closest_parameter;

/// The part of a triangle on which a closest point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriangleFeature {
    /// Corner `i` (0, 1 or 2).
    Vertex(usize),
    /// The open edge from corner `i` to corner `(i + 1) % 3`.
    Edge(usize),
    /// The open face.
    Face,
}

/// Closest point of a triangle, see [`point_triangle`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointTriangle {
    /// Weights of the three corners, each in `[0, 1]`, summing to one up to rounding.
    pub barycentric: [f64; 3],
    /// Squared distance, m².
    pub distance_squared: f64,
    /// The part of the triangle in which the closest point lies.
    pub feature: TriangleFeature,
}

/// Finds the point of the closed triangle `[a, b, c]` closest to `p`.
///
/// If the projection onto the plane lies inside, it is the answer. Otherwise it is the nearest of the closest points of
/// the three edges. For a sliver both are computed and the nearer one is returned. For a triangle collapsed to a
/// segment or a point only the edges count.
///
/// # Shapes and units
/// Positions in m. The closest point is `barycentric[0]·a + barycentric[1]·b + barycentric[2]·c`.
#[inline]
pub fn point_triangle(p: &Vector3<f64>, triangle: &[Vector3<f64>; 3]) -> PointTriangle {
    let [a, b, c] = triangle;
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (g_bb, g_bc, g_cc) = (ab.norm_squared(), ab.dot(&ac), ac.norm_squared());
    let normal = ab.cross(&ac);
    let normal_squared = normal.norm_squared();

    // Barycentric coordinates of the projection: signed areas divided by that of the triangle.
    let mut face = None;
    if normal_squared > 0.0 {
        let weight_b = ap.cross(&ac).dot(&normal) / normal_squared;
        let weight_c = ab.cross(&ap).dot(&normal) / normal_squared;
        let weight_a = 1.0 - weight_b - weight_c;
        if weight_a > 0.0 && weight_b > 0.0 && weight_c > 0.0 {
            let found = PointTriangle {
                barycentric: [weight_a, weight_b, weight_c],
                distance_squared: (ap - ab * weight_b - ac * weight_c).norm_squared(),
                feature: TriangleFeature::Face,
            };
            let longest_product = g_bb.max(g_cc) * g_bb.max(g_cc).max(g_bb + g_cc - 2.0 * g_bc);
            if normal_squared > SLIVER_SINE_SQUARED * longest_product {
                return found;
            }
            face = Some(found);
        }
    }

    let rim = closest_on_rim(p, triangle);
    match face {
        Some(face) if face.distance_squared < rim.distance_squared => face,
        _ => rim,
    }
}

/// Nearest of the closest points of the three edges.
#[inline]
fn closest_on_rim(p: &Vector3<f64>, triangle: &[Vector3<f64>; 3]) -> PointTriangle {
    let mut best = (f64::INFINITY, 0, 0.0);
    for i in 0..3 {
        let start = &triangle[i];
        let (t, distance_squared) = closest_parameter(p, start, &(triangle[(i + 1) % 3] - start));
        if distance_squared < best.0 {
            best = (distance_squared, i, t);
        }
    }
    let (distance_squared, i, t) = best;
    let j = (i + 1) % 3;
    let mut barycentric = [0.0; 3];
    barycentric[i] = 1.0 - t;
    barycentric[j] = t;
    let feature = if t <= 0.0 {
        TriangleFeature::Vertex(i)
    } else if t >= 1.0 {
        TriangleFeature::Vertex(j)
    } else {
        TriangleFeature::Edge(i)
    };
    PointTriangle {
        barycentric,
        distance_squared,
        feature,
    }
}
