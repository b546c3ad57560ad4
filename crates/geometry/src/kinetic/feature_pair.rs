//! Closest points of a pair of features, in the form shared by penalty layers and certificates.

use crate::distance;
use nalgebra::Vector3;

/// Kind of a pair of features of four points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairKind {
    /// A vertex `p` and a face `a, b, c`.
    VertexFace,
    /// Two edges, `a, b` and `c, d`.
    EdgeEdge,
}

impl PairKind {
    /// Number of the four points that belong to the first feature.
    #[inline]
    pub fn first_side(self) -> usize {
        match self {
            Self::VertexFace => 1,
            Self::EdgeEdge => 2,
        }
    }

    /// Closest points of the two features at the given positions (m).
    #[inline]
    pub fn closest(self, points: &[Vector3<f64>; 4]) -> ClosestPoints {
        let [p, q, r, s] = points;
        let weights = match self {
            Self::VertexFace => {
                let [a, b, c] = distance::point_triangle(p, &[*q, *r, *s]).barycentric;
                [1.0, -a, -b, -c]
            }
            Self::EdgeEdge => {
                let closest = distance::edge_edge(&[*p, *q], &[*r, *s]);
                [1.0 - closest.a, closest.a, closest.b - 1.0, -closest.b]
            }
        };
        ClosestPoints::new(weights, points)
    }
}

/// Closest points of two features, as signed weights of their points: positive on the first side, negative on the
/// second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoints {
    /// `w`: signed weight of each point; they sum to zero.
    pub weights: [f64; 4],
    /// `d`: distance of the closest points (m).
    pub distance: f64,
    /// `n`: unit vector from the closest point of the second side to that of the first; zero where they meet.
    pub normal: Vector3<f64>,
}

impl ClosestPoints {
    #[inline]
    fn new(weights: [f64; 4], points: &[Vector3<f64>; 4]) -> Self {
        // Relative to one point, so that the position of the pair costs no digits.
        let gap = (points[0] - points[3]) * weights[0]
            + (points[1] - points[3]) * weights[1]
            + (points[2] - points[3]) * weights[2];
        let distance = gap.norm();
        let normal = if distance > 0.0 {
            gap / distance
        } else {
            Vector3::zeros()
        };
        Self {
            weights,
            distance,
            normal,
        }
    }

    /// `Σ w v`: velocity (m/s) of the first closest point relative to the second.
    #[inline]
    pub fn relative(&self, velocities: &[Vector3<f64>; 4]) -> Vector3<f64> {
        velocities[0] * self.weights[0]
            + velocities[1] * self.weights[1]
            + velocities[2] * self.weights[2]
            + velocities[3] * self.weights[3]
    }
}
