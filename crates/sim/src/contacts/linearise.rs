//! Normal and weights of a contact from the positions of its features.

use crate::contacts::admissible::{SLACK, admissible};
use crate::contacts::contact::ContactKey;
use crate::geometry::Geometry;
use impinge_geometry::distance::{self, point_triangle};
use nalgebra::Vector3;

/// Normal and weights of a contact's features at one configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Linearisation {
    /// Unit normal, pointing to the first side.
    pub(crate) normal: Vector3<f64>,
    /// Signed weights of the closest points of the features' plane or lines, not clamped.
    pub(crate) weights: [f64; 4],
    /// Part of the gap across the normal (m): the lateral offset of a contact at a vertex.
    pub(crate) lateral: f64,
}

/// A weight below this is off the feature, -1e-2 to -1e-4; the tolerance avoids flicker at borders.
const OFF_FEATURE: f64 = -1e-3;

/// Sine of the angle below which two edges have no usable common normal: half of the digits of their cross product are
/// lost.
const PARALLEL_SINE: f64 = 1e-8;

/// Normals that differ by less (rad) count as equal: a tenth of the slack of admissible normals.
const SAME_NORMAL: f64 = 0.1 * SLACK;

/// Distance within which features count as near each other, in clearances, 2 to 8. Contacts at an end or side come in
/// near-duplicates, one per incident feature, and none of their own normals is admissible. An inactive contact that
/// closes again within it meets its row before the surfaces collide.
const REACH_PER_CLEARANCE: f64 = 4.0;

/// The distance (m) within which an end or side takes over a contact, and up to which an inactive contact is kept.
pub(crate) fn reach(geometry: &Geometry, key: ContactKey) -> f64 {
    REACH_PER_CLEARANCE * geometry.clearance(key)
}

/// Cosine between a normal and the direction to a pair's first side (1), 0.2 to 0.7. Above it the pair is in front of
/// the normal, below its negative behind. A vertex beside a face has its closest point at a side, in any
/// direction: such a pair does not determine on which side of the face it is.
pub(crate) const IN_FRONT: f64 = 0.5;

impl Linearisation {
    /// Whether the closest point lies beyond the border of a feature.
    pub(crate) fn is_off_feature(&self, geometry: &Geometry, key: ContactKey) -> bool {
        let w = self.weights;
        let outside = |shares: &[f64]| shares.iter().any(|&share| share < OFF_FEATURE);
        match key {
            ContactKey::VertexHalfSpace { .. } => false,
            ContactKey::VertexFace { .. } => outside(&[-w[1], -w[2], -w[3]]),
            ContactKey::EdgeEdge { .. } => outside(&[w[0], w[1], -w[2], -w[3]]),
            ContactKey::VertexEdge { .. } => {
                outside(&[-w[1], -w[2]]) || self.lateral > reach(geometry, key)
            }
            ContactKey::VertexVertex { .. } => self.lateral > reach(geometry, key),
        }
    }

    /// This linearisation, or the closest direction and points at `start` if the pair starts behind the normal.
    ///
    /// A row demands a positive gap along its normal. Where the pair starts behind it, the row would pull the features
    /// through each other. A pair that comes along a side from ahead is not behind: before it slides over a hump it is
    /// below its top, and the direction to the hump would block the motion.
    pub(crate) fn facing(self, key: ContactKey, start: &[Vector3<f64>; 4]) -> Self {
        if self.gap(start) > 0.0 || matches!(key, ContactKey::VertexHalfSpace { .. }) {
            return self;
        }
        match closest_direction(key, start) {
            Some(normal) if normal.dot(&self.normal) < -IN_FRONT => Self {
                normal,
                weights: closest_weights(key, start),
                ..self
            },
            _ => self,
        }
    }

    /// This linearisation of edges or of a face at an impact, with its normal on the side that the pair came from.
    ///
    /// The touching points meet at the impact. So a pair with a gap at its start came from the side where that gap is
    /// positive, whatever the normal was. A start that is closer than the `clearance` (m) may be behind the normal by
    /// the tolerances of impact and row alone. Such pairs, and features without a normal of their own, are
    /// [`facing`](Self::facing).
    pub(crate) fn approached_from(
        mut self,
        key: ContactKey,
        start: &[Vector3<f64>; 4],
        clearance: f64,
    ) -> Self {
        let has_normal = matches!(
            key,
            ContactKey::EdgeEdge { .. } | ContactKey::VertexFace { .. }
        );
        if !has_normal || self.gap(start) > -clearance {
            return self.facing(key, start);
        }
        self.normal = -self.normal;
        self
    }

    /// `n · Σ w x` at positions of the features (m); the origin of a half-space is not subtracted.
    fn gap(&self, corners: &[Vector3<f64>; 4]) -> f64 {
        (0..4)
            .map(|i| self.weights[i] * self.normal.dot(&corners[i]))
            .sum()
    }

    /// Whether the motion to `corners` already gives a row between meshes with this linearisation a gap in
    /// `(0, clearance)` (m), and the normal still equals `normal`. Another solve would then change nothing.
    pub(crate) fn changes_nothing(
        &self,
        normal: &Vector3<f64>,
        corners: &[Vector3<f64>; 4],
        clearance: f64,
    ) -> bool {
        let gap = self.gap(corners);
        (self.normal - normal).norm() < SAME_NORMAL && gap > 0.0 && gap < clearance
    }

    /// The same with weights clamped to the features.
    pub(crate) fn clamped(mut self, key: ContactKey) -> Self {
        match key {
            ContactKey::VertexHalfSpace { .. } | ContactKey::VertexVertex { .. } => {}
            ContactKey::VertexFace { .. } => {
                let inside = [1, 2, 3].map(|i| (-self.weights[i]).max(0.0));
                let sum: f64 = inside.iter().sum();
                for i in 0..3 {
                    self.weights[i + 1] = -inside[i] / sum;
                }
            }
            ContactKey::EdgeEdge { .. } => {
                let u = self.weights[1].clamp(0.0, 1.0);
                let r = (-self.weights[3]).clamp(0.0, 1.0);
                self.weights = [1.0 - u, u, r - 1.0, -r];
            }
            ContactKey::VertexEdge { .. } => {
                let u = (-self.weights[2]).clamp(0.0, 1.0);
                self.weights = [1.0, u - 1.0, -u, 0.0];
            }
        }
        self
    }
}

/// Linearises the features of `key` at `corners`, with the normal oriented like `known`.
///
/// `surroundings` are positions of all points: the normal is turned until the neighbouring features admit it. Without
/// them it stays the pair's own.
pub(crate) fn linearise(
    geometry: &Geometry,
    surroundings: Option<&[Vector3<f64>]>,
    key: ContactKey,
    corners: &[Vector3<f64>; 4],
    known: &Vector3<f64>,
) -> Linearisation {
    let admitted = |normal| {
        surroundings.map_or(normal, |positions| {
            admissible(geometry, positions, key, normal).unwrap_or(normal)
        })
    };
    let (normal, weights) = match key {
        ContactKey::VertexHalfSpace { half_space, .. } => (
            geometry.half_spaces[half_space as usize].normal,
            [1.0, 0.0, 0.0, 0.0],
        ),
        ContactKey::VertexFace { .. } => {
            vertex_face(corners, known).unwrap_or_else(|| (*known, closest_weights(key, corners)))
        }
        ContactKey::EdgeEdge { .. } => {
            let (normal, weights) = edge_edge(corners, known)
                .unwrap_or_else(|| (*known, closest_weights(key, corners)));
            (admitted(normal), weights)
        }
        ContactKey::VertexEdge { .. } => {
            let [p, a, b, _] = corners;
            let along = b - a;
            let u = (p - a).dot(&along) / along.norm_squared();
            let u = if u.is_finite() { u } else { 0.5 };
            (admitted(*known), [1.0, u - 1.0, -u, 0.0])
        }
        ContactKey::VertexVertex { .. } => (admitted(*known), [1.0, -1.0, 0.0, 0.0]),
    };
    let gap: Vector3<f64> = (0..4).map(|i| corners[i] * weights[i]).sum();
    let lateral = (gap - normal * normal.dot(&gap)).norm();
    Linearisation {
        normal,
        weights,
        lateral,
    }
}

/// Face normal on the side of `known`, and the foot of the perpendicular. `None` for a face without area.
///
/// The side may be the inner one: the surface of inverted elements is approached from within.
fn vertex_face(
    [p, a, b, c]: &[Vector3<f64>; 4],
    known: &Vector3<f64>,
) -> Option<(Vector3<f64>, [f64; 4])> {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let area = ab.cross(&ac);
    let area_squared = area.norm_squared();
    if area_squared.is_nan() || area_squared <= f64::MIN_POSITIVE {
        return None;
    }
    let w_b = ap.cross(&ac).dot(&area) / area_squared;
    let w_c = ab.cross(&ap).dot(&area) / area_squared;
    let normal = area / area_squared.sqrt();
    let normal = if normal.dot(known) < 0.0 {
        -normal
    } else {
        normal
    };
    Some((normal, [1.0, w_b + w_c - 1.0, -w_b, -w_c]))
}

/// Common perpendicular of two lines, on the side of `known`; `None` for parallel ones.
fn edge_edge(
    [a0, a1, b0, b1]: &[Vector3<f64>; 4],
    known: &Vector3<f64>,
) -> Option<(Vector3<f64>, [f64; 4])> {
    let (a, b, between) = (a1 - a0, b1 - b0, b0 - a0);
    let cross = a.cross(&b);
    let (size, limit) = (cross.norm(), PARALLEL_SINE * a.norm() * b.norm());
    if size.is_nan() || size <= limit {
        return None;
    }
    let u = between.cross(&b).dot(&cross) / (size * size);
    let r = between.cross(&a).dot(&cross) / (size * size);
    let normal = cross / size;
    let normal = if normal.dot(known) < 0.0 {
        -normal
    } else {
        normal
    };
    Some((normal, [1.0 - u, u, r - 1.0, -r]))
}

/// Weights of the closest points of the features, clamped to them.
pub(crate) fn closest_weights(key: ContactKey, corners: &[Vector3<f64>; 4]) -> [f64; 4] {
    let [p, a, b, c] = corners;
    match key {
        ContactKey::VertexHalfSpace { .. } => [1.0, 0.0, 0.0, 0.0],
        ContactKey::VertexVertex { .. } => [1.0, -1.0, 0.0, 0.0],
        ContactKey::VertexFace { .. } => {
            let [w_a, w_b, w_c] = point_triangle(p, &[*a, *b, *c]).barycentric;
            [1.0, -w_a, -w_b, -w_c]
        }
        ContactKey::EdgeEdge { .. } => {
            let closest = distance::edge_edge(&[*p, *a], &[*b, *c]);
            [1.0 - closest.a, closest.a, closest.b - 1.0, -closest.b]
        }
        ContactKey::VertexEdge { .. } => {
            let closest = distance::edge_edge(&[*p, *p], &[*a, *b]);
            [1.0, closest.b - 1.0, -closest.b, 0.0]
        }
    }
}

/// Unit vector between the closest points of the features, to the first side; `None` where they touch.
pub(crate) fn closest_direction(
    key: ContactKey,
    corners: &[Vector3<f64>; 4],
) -> Option<Vector3<f64>> {
    let weights = closest_weights(key, corners);
    let gap: Vector3<f64> = (0..4).map(|i| corners[i] * weights[i]).sum();
    gap.try_normalize(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A different normal needs a different force, a gap outside the range a different motion.
    #[test]
    fn a_row_that_the_motion_meets_changes_nothing() {
        let seen = Linearisation {
            normal: Vector3::z(),
            weights: [1.0, -1.0, 0.0, 0.0],
            lateral: 1e-5,
        };
        let changes_nothing = |normal: Vector3<f64>, gap| {
            let zero = Vector3::zeros();
            let corners = [Vector3::new(1e-5, 0.0, gap), zero, zero, zero];
            seen.changes_nothing(&normal, &corners, 5e-6)
        };
        let tilted = Vector3::new(1e-3, 0.0, 1.0).normalize();
        assert!(changes_nothing(Vector3::z(), 2e-6));
        assert!(!changes_nothing(tilted, 2e-6));
        assert!(!changes_nothing(Vector3::z(), 6e-6));
        assert!(!changes_nothing(Vector3::z(), -1e-6));
    }

    /// A pair that starts behind its normal gets the direction between its features. A pair that comes from ahead, a
    /// little below the top of the hump it slides over, keeps the normal.
    #[test]
    fn only_pairs_behind_their_normal_are_flipped() {
        let key = ContactKey::VertexVertex {
            first: 0,
            second: 1,
        };
        let seen = Linearisation {
            normal: Vector3::z(),
            weights: [1.0, -1.0, 0.0, 0.0],
            lateral: 0.0,
        };
        let facing = |x, z| {
            let zero = Vector3::zeros();
            seen.facing(key, &[Vector3::new(x, 0.0, z), zero, zero, zero])
                .normal
        };
        assert_eq!(facing(0.0, 0.1), Vector3::z());
        assert_eq!(facing(0.0, -0.1), -Vector3::z());
        assert_eq!(facing(1.0, -0.1), Vector3::z());
        assert!(facing(0.1, -0.1).z < 0.0);
    }
}
