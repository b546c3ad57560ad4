//! The features that a pair touches with: its own, or a nearby end, side or corner.
//!
//! With its own features alone the worst step of falling rings takes twice the iterations, and strings end with ten
//! times the loose contacts.

use crate::contacts::admissible::admissible;
use crate::contacts::contact::ContactKey;
use crate::contacts::linearise::{closest_direction, closest_weights, reach};
use crate::contacts::stencil::stencil_of;
use crate::geometry::Geometry;
use nalgebra::Vector3;

/// The features that represent a pair of `key` touching at `corners`: the touching features if they admit a normal at
/// `positions`, else its own.
///
/// In a hollow the touching features admit no normal. A contact of the vertex would keep the direction in which it was
/// detected, and bodies that slide along the hollow would catch at it.
pub(crate) fn features_for(
    geometry: &Geometry,
    key: ContactKey,
    corners: &[Vector3<f64>; 4],
    positions: &[Vector3<f64>],
) -> ContactKey {
    let nearer = touching_features(geometry, key, corners, reach(geometry, key));
    if nearer == key {
        return key;
    }
    let (points, count) = stencil_of(geometry, nearer);
    let mut at = [Vector3::zeros(); 4];
    for (x, &point) in at.iter_mut().zip(&points[..usize::from(count)]) {
        *x = positions[point as usize];
    }
    let admitted = closest_direction(nearer, &at)
        .and_then(|apart| admissible(geometry, positions, nearer, apart));
    if admitted.is_some() { nearer } else { key }
}

/// The features that a pair of `key` touches with at `corners`: its own, or an end, side or corner nearer than `reach`
/// (m). Near-duplicates of one touching place share a key, whichever pairs collided.
fn touching_features(
    geometry: &Geometry,
    key: ContactKey,
    corners: &[Vector3<f64>; 4],
    reach: f64,
) -> ContactKey {
    let surface = &geometry.surface;
    // The end of an edge that is nearer than `reach` to the fraction `along` of it.
    let end_of = |edge: u32, along: f64, length: f64| {
        let ends = surface.edges()[edge as usize];
        if along * length < reach {
            Some(ends[0])
        } else if (1.0 - along) * length < reach {
            Some(ends[1])
        } else {
            None
        }
    };
    match key {
        ContactKey::VertexFace { vertex, face } => {
            let triangle = surface.triangles()[face as usize];
            let weights = closest_weights(key, corners);
            let area = (corners[2] - corners[1])
                .cross(&(corners[3] - corners[1]))
                .norm();
            // Whether the closest point is near the side opposite to each corner.
            let near_side = [0, 1, 2].map(|i: usize| {
                let side = corners[1 + (i + 1) % 3] - corners[1 + (i + 2) % 3];
                -weights[1 + i] * area < reach * side.norm()
            });
            match near_side {
                [false, false, false] => key,
                // Sides are numbered ab, bc, ca: the one opposite to corner i is i + 1.
                [true, false, false] => ContactKey::VertexEdge {
                    vertex,
                    edge: surface.triangle_edges()[face as usize][1],
                },
                [false, true, false] => ContactKey::VertexEdge {
                    vertex,
                    edge: surface.triangle_edges()[face as usize][2],
                },
                [false, false, true] => ContactKey::VertexEdge {
                    vertex,
                    edge: surface.triangle_edges()[face as usize][0],
                },
                _ => {
                    let nearest = (0..3)
                        .min_by(|&i, &j| weights[1 + i].total_cmp(&weights[1 + j]))
                        .unwrap_or(0);
                    vertex_pair(vertex, triangle[nearest])
                }
            }
        }
        ContactKey::EdgeEdge { first, second } => {
            let weights = closest_weights(key, corners);
            let end_first = end_of(first, weights[1], (corners[1] - corners[0]).norm());
            let end_second = end_of(second, -weights[3], (corners[3] - corners[2]).norm());
            match (end_first, end_second) {
                (None, None) => key,
                (Some(vertex), None) => ContactKey::VertexEdge {
                    vertex,
                    edge: second,
                },
                (None, Some(vertex)) => ContactKey::VertexEdge {
                    vertex,
                    edge: first,
                },
                (Some(p), Some(q)) => vertex_pair(p, q),
            }
        }
        // A vertex that slid to an end may meet a vertex that slid along the edge of the other side.
        ContactKey::VertexEdge { vertex, edge } => {
            let along = -closest_weights(key, corners)[2];
            end_of(edge, along, (corners[2] - corners[1]).norm())
                .map_or(key, |end| vertex_pair(vertex, end))
        }
        ContactKey::VertexVertex { .. } | ContactKey::VertexHalfSpace { .. } => key,
    }
}

pub(crate) fn vertex_pair(p: u32, q: u32) -> ContactKey {
    ContactKey::VertexVertex {
        first: p.min(q),
        second: p.max(q),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::cube::CUBE;
    use crate::model::Model;
    use crate::scene::Scene;

    /// A vertex near an end of its edge touches that end, elsewhere the edge.
    #[test]
    fn a_vertex_at_the_end_of_an_edge_touches_a_vertex() {
        let scene = Scene::parse("cube.toml", CUBE, &[""; 0]).expect("a scene");
        let (model, _) = Model::new(&scene).expect("a model");
        let [a, b] = model.geometry.surface.edges()[0];
        let vertex = (0..8).find(|v| ![a, b].contains(v)).expect("a third");
        let key = ContactKey::VertexEdge { vertex, edge: 0 };
        let touched = |along: f64| {
            let (x, zero) = (Vector3::x(), Vector3::zeros());
            let corners = [Vector3::new(along, 0.0, 1e-3), zero, x, zero];
            touching_features(&model.geometry, key, &corners, 0.01)
        };
        assert_eq!(touched(0.5), key);
        assert_eq!(touched(0.02), key);
        assert_eq!(touched(0.005), vertex_pair(vertex, a));
        assert_eq!(touched(0.995), vertex_pair(vertex, b));
    }
}
