//! Normal and weights of a contact from the positions of its features.

use super::contact::ContactKey;
use crate::model::Model;
use impinge_geometry::distance::{self, point_triangle};
use nalgebra::Vector3;

/// A contact's features seen at one configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Linearisation {
    /// Unit normal, to the first side.
    pub(crate) normal: Vector3<f64>,
    /// Signed weights of the closest points of the features' plane or lines, not clamped.
    pub(crate) weights: [f64; 4],
}

/// A weight below this is off the feature; the band keeps borders from flickering (spec 7.3).
const OFF_FEATURE: f64 = -1e-3;

/// Sine of the angle below which two edges have no usable common normal; vertex-face pairs cover them (spec 4.1).
const PARALLEL_SINE: f64 = 1e-8;

impl Linearisation {
    /// Whether the closest point lies beyond the border of a feature.
    pub(crate) fn is_off_feature(&self, key: ContactKey) -> bool {
        self.magnitudes(key).iter().any(|&w| w < OFF_FEATURE)
    }

    /// The same with weights moved back onto the features.
    pub(crate) fn clamped(mut self, key: ContactKey) -> Self {
        match key {
            ContactKey::VertexHalfSpace { .. } => {}
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
        }
        self
    }

    /// Weights as shares of their side: all at least 0 when the closest points are on the features.
    fn magnitudes(&self, key: ContactKey) -> [f64; 4] {
        let w = self.weights;
        match key {
            ContactKey::VertexHalfSpace { .. } => [1.0; 4],
            ContactKey::VertexFace { .. } => [1.0, -w[1], -w[2], -w[3]],
            ContactKey::EdgeEdge { .. } => [w[0], w[1], -w[2], -w[3]],
        }
    }
}

/// Linearises the features of `key` at `corners`; `towards` decides the sign of an edge-edge normal.
///
/// `None` for a face without area or edges without a common normal.
pub(crate) fn linearise(
    model: &Model,
    key: ContactKey,
    corners: &[Vector3<f64>; 4],
    towards: &Vector3<f64>,
) -> Option<Linearisation> {
    match key {
        ContactKey::VertexHalfSpace { half_space, .. } => Some(Linearisation {
            normal: model.half_spaces[half_space as usize].normal,
            weights: [1.0, 0.0, 0.0, 0.0],
        }),
        ContactKey::VertexFace { .. } => vertex_face(corners),
        ContactKey::EdgeEdge { .. } => edge_edge(corners, towards),
    }
}

/// Outward face normal and the foot of the perpendicular.
fn vertex_face([p, a, b, c]: &[Vector3<f64>; 4]) -> Option<Linearisation> {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let area = ab.cross(&ac);
    let area_squared = area.norm_squared();
    if area_squared.is_nan() || area_squared <= f64::MIN_POSITIVE {
        return None;
    }
    let w_b = ap.cross(&ac).dot(&area) / area_squared;
    let w_c = ab.cross(&ap).dot(&area) / area_squared;
    Some(Linearisation {
        normal: area / area_squared.sqrt(),
        weights: [1.0, w_b + w_c - 1.0, -w_b, -w_c],
    })
}

/// Common perpendicular of two lines.
fn edge_edge(
    [a0, a1, b0, b1]: &[Vector3<f64>; 4],
    towards: &Vector3<f64>,
) -> Option<Linearisation> {
    let (a, b, between) = (a1 - a0, b1 - b0, b0 - a0);
    let cross = a.cross(&b);
    let (size, limit) = (cross.norm(), PARALLEL_SINE * a.norm() * b.norm());
    if size.is_nan() || size <= limit {
        return None;
    }
    let u = between.cross(&b).dot(&cross) / (size * size);
    let r = between.cross(&a).dot(&cross) / (size * size);
    let normal = cross / size;
    let normal = if normal.dot(towards) < 0.0 {
        -normal
    } else {
        normal
    };
    Some(Linearisation {
        normal,
        weights: [1.0 - u, u, r - 1.0, -r],
    })
}

/// Linearises along the line between the closest points of the features, borders included.
///
/// Where the features touch, and the line has no direction, `fallback` is kept as the normal.
pub(crate) fn proximity(
    key: ContactKey,
    corners: &[Vector3<f64>; 4],
    fallback: &Vector3<f64>,
) -> Linearisation {
    let weights = match key {
        ContactKey::VertexHalfSpace { .. } => {
            return Linearisation {
                normal: *fallback,
                weights: [1.0, 0.0, 0.0, 0.0],
            };
        }
        ContactKey::VertexFace { .. } => {
            let [p, a, b, c] = *corners;
            let [w_a, w_b, w_c] = point_triangle(&p, &[a, b, c]).barycentric;
            [1.0, -w_a, -w_b, -w_c]
        }
        ContactKey::EdgeEdge { .. } => {
            let [a0, a1, b0, b1] = *corners;
            let closest = distance::edge_edge(&[a0, a1], &[b0, b1]);
            [1.0 - closest.a, closest.a, closest.b - 1.0, -closest.b]
        }
    };
    let gap: Vector3<f64> = (0..4).map(|i| corners[i] * weights[i]).sum();
    let normal = gap.try_normalize(f64::MIN_POSITIVE).unwrap_or(*fallback);
    Linearisation { normal, weights }
}
