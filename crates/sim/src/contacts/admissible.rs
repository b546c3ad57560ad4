//! Admissible contact normals: the normals inside the normal cones of a vertex or an edge.
//!
//! A separating plane touches a convex edge only with a normal between those of its two faces. It touches a vertex only
//! with a normal that points away from all edges of the vertex. Two edges that cross near an end, or on the diagonal of
//! a flat face, have a common perpendicular that violates this. As a contact normal it would wedge the bodies against
//! each other: with it the worst step of falling rings takes nearly three times the iterations, and one is divided.

use crate::contacts::contact::ContactKey;
use crate::geometry::Geometry;
use nalgebra::Vector3;

/// A normal may violate a condition of admissibility by this angle (rad) before it is turned, 3e-4 to 3e-3: far below
/// the angles between faces, far above rounding.
pub(crate) const SLACK: f64 = 1e-3;

/// Largest angle (rad) between inconsistent conditions that a compromise may satisfy, 0.1 to 0.6: the features lie in a
/// slight hollow.
const HOLLOW: f64 = 0.3;

/// Sine of the angle between face and direction below which the side of the face is undecided (1), 0.03 to 0.3.
const GRAZING: f64 = 0.1;

/// Passes over the conditions, 4 to 20: there are few conditions, and most are compatible.
const PASSES: usize = 8;

/// Unit normal near `normal` that the features of `key` admit at `positions`. `None` if they admit no normal, as at
/// reflex edges, deep hollows and saddles.
///
/// If no part of `normal` is admissible, the mean outward directions of both features are tried. This happens to a pair
/// that slides along a flat side and collides from ahead.
pub(crate) fn admissible(
    geometry: &Geometry,
    positions: &[Vector3<f64>],
    key: ContactKey,
    normal: Vector3<f64>,
) -> Option<Vector3<f64>> {
    let Some(features) = Feature::of(key) else {
        return Some(normal);
    };
    let [first, second] = features;
    let at = |point: u32| positions[point as usize];
    let inwards = -first.outward(geometry, at, -normal)?;
    let outwards = second.outward(geometry, at, normal)?;
    // On a flat side the normal cone has two opposite directions; only one separates the bodies.
    let separates = |n: &Vector3<f64>| n.dot(&inwards) > 0.0 && n.dot(&outwards) > 0.0;
    let admitted =
        |seed| turned_until_admitted(geometry, positions, features, seed).filter(separates);
    admitted(normal)
        .or_else(|| admitted(outwards))
        .or_else(|| admitted(inwards))
}

/// Turns `normal` until `features` admit it; `None` if that does not converge.
fn turned_until_admitted(
    geometry: &Geometry,
    positions: &[Vector3<f64>],
    [first, second]: [Feature; 2],
    normal: Vector3<f64>,
) -> Option<Vector3<f64>> {
    let mut cone = Cone {
        turned: normal,
        violated: 0.0,
    };
    for _ in 0..PASSES {
        cone.violated = 0.0;
        cone.below(geometry, positions, first, -1.0);
        cone.below(geometry, positions, second, 1.0);
        let length = cone.turned.norm();
        // Conditions that remove nearly all of the normal are inconsistent.
        if length.is_nan() || length < 0.1 {
            return None;
        }
        cone.turned /= length;
        if cone.violated <= SLACK {
            return Some(cone.turned);
        }
    }
    (cone.violated <= HOLLOW).then_some(cone.turned)
}

/// One side of a contact, whose neighbouring faces and edges bound the normal.
#[derive(Debug, Clone, Copy)]
enum Feature {
    Vertex(u32),
    Edge(u32),
}

impl Feature {
    /// Both features of `key`; `None` for pairs that have the normal of a face.
    fn of(key: ContactKey) -> Option<[Self; 2]> {
        match key {
            ContactKey::VertexFace { .. } | ContactKey::VertexHalfSpace { .. } => None,
            ContactKey::EdgeEdge { first, second } => Some([Self::Edge(first), Self::Edge(second)]),
            ContactKey::VertexEdge { vertex, edge } => {
                Some([Self::Vertex(vertex), Self::Edge(edge)])
            }
            ContactKey::VertexVertex { first, second } => {
                Some([Self::Vertex(first), Self::Vertex(second)])
            }
        }
    }

    /// Mean direction that the faces of the feature look: outward for a solid, to the side of `near` for a thin body.
    ///
    /// `at` gives the position of a point.
    fn outward(
        self,
        geometry: &Geometry,
        at: impl Fn(u32) -> Vector3<f64>,
        near: Vector3<f64>,
    ) -> Option<Vector3<f64>> {
        let edge = |edge: u32| -> Vector3<f64> {
            let faces = geometry.neighbours.faces_of_edge[edge as usize];
            let normal_of = |face: u32| {
                let [a, b, c] = geometry.surface.triangles()[face as usize].map(&at);
                (b - a).cross(&(c - a))
            };
            faces.into_iter().map(normal_of).sum()
        };
        let (sum, point) = match self {
            Self::Edge(number) => (edge(number), geometry.surface.edges()[number as usize][0]),
            Self::Vertex(point) => {
                let edges = geometry.neighbours.edges_of(point);
                (edges.iter().map(|&number| edge(number)).sum(), point)
            }
        };
        let outward = sum.try_normalize(f64::MIN_POSITIVE)?;
        let two_sided = geometry.solid(geometry.solid_of_point(point)).two_sided;
        Some(if two_sided && outward.dot(&near) < 0.0 {
            -outward
        } else {
            outward
        })
    }
}

/// `direction`, or its opposite, oriented out of the solid of the second edge and into the solid of the first. `None`
/// if the faces at the edges do not agree. `at` gives the position of a point.
pub(crate) fn between_solids(
    geometry: &Geometry,
    [first, second]: [u32; 2],
    at: impl Fn(u32) -> Vector3<f64> + Copy,
    direction: Vector3<f64>,
) -> Option<Vector3<f64>> {
    let inwards = -Feature::Edge(first).outward(geometry, at, direction)?;
    let outwards = Feature::Edge(second).outward(geometry, at, direction)?;
    let direction = direction.try_normalize(f64::MIN_POSITIVE)?;
    let (a, b) = (direction.dot(&inwards), direction.dot(&outwards));
    let both_look = a.abs().min(b.abs()) > GRAZING && a * b > 0.0;
    both_look.then(|| direction * a.signum())
}

/// A normal that is turned until it satisfies all conditions.
struct Cone {
    turned: Vector3<f64>,
    violated: f64,
}

impl Cone {
    /// Requires that `side·n` does not point into the body of `feature`.
    fn below(
        &mut self,
        geometry: &Geometry,
        positions: &[Vector3<f64>],
        feature: Feature,
        side: f64,
    ) {
        match feature {
            Feature::Vertex(vertex) => self.below_vertex(geometry, positions, vertex, side),
            Feature::Edge(edge) => self.below_edge(geometry, positions, edge, side),
        }
    }

    /// Requires that `side·n` points into neither face of an edge and that `n` is orthogonal to the edge.
    fn below_edge(
        &mut self,
        geometry: &Geometry,
        positions: &[Vector3<f64>],
        edge: u32,
        side: f64,
    ) {
        let [p0, p1] = geometry.surface.edges()[edge as usize];
        let (x0, x1) = (positions[p0 as usize], positions[p1 as usize]);
        let Some(along) = (x1 - x0).try_normalize(f64::MIN_POSITIVE) else {
            return;
        };
        self.turned -= along * along.dot(&self.turned);
        for face in geometry.neighbours.faces_of_edge[edge as usize] {
            let corners = geometry.surface.triangles()[face as usize];
            for corner in corners {
                if corner != p0 && corner != p1 {
                    let inward = positions[corner as usize] - x0;
                    self.not_along(inward - along * along.dot(&inward), side);
                }
            }
        }
    }

    /// Requires that `side·n` does not point along any edge away from a vertex.
    fn below_vertex(
        &mut self,
        geometry: &Geometry,
        positions: &[Vector3<f64>],
        vertex: u32,
        side: f64,
    ) {
        for &edge in geometry.neighbours.edges_of(vertex) {
            let [p0, p1] = geometry.surface.edges()[edge as usize];
            let other = if p0 == vertex { p1 } else { p0 };
            self.not_along(positions[other as usize] - positions[vertex as usize], side);
        }
    }

    fn not_along(&mut self, direction: Vector3<f64>, side: f64) {
        let Some(direction) = direction.try_normalize(f64::MIN_POSITIVE) else {
            return;
        };
        let excess = side * self.turned.dot(&direction);
        if excess > 0.0 {
            self.violated = self.violated.max(excess);
            self.turned -= direction * (side * excess);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;
    use crate::{
        contacts::features::{features_for, vertex_pair},
        contacts::stencil::stencil_of,
        contacts::two_cubes::TwoCubes,
    };

    /// Two cubes, a point in the middle of the lower cube's top that is deeper by `depth`, and an edge from there to a
    /// side of the top.
    fn dented(depth: f64) -> (TwoCubes, u32, u32) {
        let mut cubes = TwoCubes::apart();
        let middle = cubes.point([0.0, 0.0, 0.5]);
        let edge = cubes.edge(middle, cubes.point([0.0, 0.5, 0.5]));
        cubes.positions[middle as usize].z -= depth;
        (cubes, middle, edge)
    }

    /// Where an edge lies in a flat side, the side orients the normal, whether the pair comes along the side or from
    /// behind.
    #[test]
    fn a_flat_side_gives_its_own_normal() {
        let (cubes, _, edge) = dented(0.0);
        let vertex = cubes.point([0.25, 0.25, 0.55]);
        let key = ContactKey::VertexEdge { vertex, edge };
        let TwoCubes { model, positions } = cubes;
        let (x, up) = (Vector3::x(), Vector3::z());
        for seed in [up, x, -x, -up, (x - up * 0.1).normalize()] {
            let normal = admissible(&model.geometry, &positions, key, seed).expect("a normal");
            assert!((normal - up).norm() < 1e-9, "{seed:?} became {normal:?}");
        }
    }

    /// Two edges within flat sides admit two opposite normals; only one of them separates the bodies.
    #[test]
    fn edges_of_flat_sides_are_kept_apart_not_pulled_through() {
        let (TwoCubes { model, positions }, _, lower) = dented(0.0);
        let is_diagonal = |ends: &[u32; 2]| {
            let [p, q] = ends.map(|p| positions[p as usize]);
            let along = p - q;
            (p.z - 0.55).abs() + (q.z - 0.55).abs() < 1e-9 && along.x * along.y != 0.0
        };
        let mut edges = model.geometry.surface.edges().iter();
        let upper = edges.position(is_diagonal).expect("a diagonal") as u32;
        let key = ContactKey::EdgeEdge {
            first: lower.min(upper),
            second: lower.max(upper),
        };
        let apart = if lower < upper {
            -Vector3::z()
        } else {
            Vector3::z()
        };
        for seed in [apart, -apart] {
            let normal = admissible(&model.geometry, &positions, key, seed).expect("a normal");
            assert!((normal - apart).norm() < 1e-9, "{seed:?} became {normal:?}");
        }
    }

    /// In a slight hollow the normal is a compromise. A deep hollow admits no normal, and the pair keeps its own
    /// features.
    #[test]
    fn a_hollow_is_met_halfway_until_it_is_deep() {
        let corner_of = |model: &Model, positions: &[Vector3<f64>]| {
            let upper = model.geometry.bodies[1].points.clone();
            upper
                .min_by(|&p, &q| positions[p].sum().total_cmp(&positions[q].sum()))
                .expect("points") as u32
        };
        for (depth, admits) in [(0.02, true), (0.4, false)] {
            let (mut cubes, middle, _) = dented(depth);
            let corner = corner_of(&cubes.model, &cubes.positions);
            // The corner points down into the dent.
            let above = cubes.positions[middle as usize] + Vector3::z() * 1e-7;
            cubes.move_upper(corner, above.into());
            let TwoCubes { model, positions } = cubes;
            let key = vertex_pair(middle, corner);
            let up = if middle < corner {
                -Vector3::z()
            } else {
                Vector3::z()
            };
            let normal = admissible(&model.geometry, &positions, key, up);
            assert_eq!(normal.is_some(), admits, "{depth}: {normal:?}");
            if let Some(normal) = normal {
                assert!(normal.dot(&up) > 0.99, "{normal:?}");
            }
            let face = (model.geometry.surface.triangles().iter())
                .position(|corners| corners.contains(&middle))
                .expect("a face") as u32;
            let own = ContactKey::VertexFace {
                vertex: corner,
                face,
            };
            let (points, _) = stencil_of(&model.geometry, own);
            let corners = points.map(|p| positions[p as usize]);
            let expected = if admits { key } else { own };
            assert_eq!(
                features_for(&model.geometry, own, &corners, &positions),
                expected
            );
        }
    }
}
