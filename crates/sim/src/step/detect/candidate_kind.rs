//! The two kinds of candidate pairs: a vertex and a face, and two edges.

use crate::contacts::contact::ContactKey;
use impinge_geometry::{
    ccd::{self, CcdRule, Toi},
    distance::{self, point_triangle},
    surface::CollisionSurface,
};
use nalgebra::Vector3;

/// Candidates of one kind.
pub(super) trait CandidateKind: Sync {
    /// Number of the four points that belong to the first feature.
    const FIRST: usize;
    /// The surface of the pairs.
    fn surface(&self) -> &CollisionSurface;
    /// The pairs, ascending.
    fn pairs(&self) -> &[[u32; 2]];
    /// Key of a pair.
    fn key(&self, pair: [u32; 2]) -> ContactKey;
    /// Points of a pair, the first feature first.
    fn points(&self, pair: [u32; 2]) -> [u32; 4];
    /// Vector from the closest point of the second feature to that of the first, as computed (m), without proof.
    fn between(corners: &[Vector3<f64>; 4]) -> Vector3<f64>;
    /// The continuous test.
    fn test(start: &[Vector3<f64>; 4], end: &[Vector3<f64>; 4], rule: &CcdRule) -> Toi;
}

pub(super) struct VertexFace<'a> {
    pub(super) surface: &'a CollisionSurface,
    pub(super) pairs: &'a [[u32; 2]],
}

impl CandidateKind for VertexFace<'_> {
    const FIRST: usize = 1;

    fn surface(&self) -> &CollisionSurface {
        self.surface
    }

    fn pairs(&self) -> &[[u32; 2]] {
        self.pairs
    }

    fn key(&self, [vertex, face]: [u32; 2]) -> ContactKey {
        ContactKey::VertexFace { vertex, face }
    }

    fn points(&self, [vertex, face]: [u32; 2]) -> [u32; 4] {
        let [a, b, c] = self.surface.triangles()[face as usize];
        [vertex, a, b, c]
    }

    fn between([p, a, b, c]: &[Vector3<f64>; 4]) -> Vector3<f64> {
        let [w_a, w_b, w_c] = point_triangle(p, &[*a, *b, *c]).barycentric;
        p - a * w_a - b * w_b - c * w_c
    }

    fn test(start: &[Vector3<f64>; 4], end: &[Vector3<f64>; 4], rule: &CcdRule) -> Toi {
        ccd::vertex_face(start, end, rule)
    }
}

pub(super) struct EdgeEdge<'a> {
    pub(super) surface: &'a CollisionSurface,
    pub(super) pairs: &'a [[u32; 2]],
}

impl CandidateKind for EdgeEdge<'_> {
    const FIRST: usize = 2;

    fn surface(&self) -> &CollisionSurface {
        self.surface
    }

    fn pairs(&self) -> &[[u32; 2]] {
        self.pairs
    }

    fn key(&self, [first, second]: [u32; 2]) -> ContactKey {
        ContactKey::EdgeEdge { first, second }
    }

    fn points(&self, [first, second]: [u32; 2]) -> [u32; 4] {
        let edges = self.surface.edges();
        let ([a0, a1], [b0, b1]) = (edges[first as usize], edges[second as usize]);
        [a0, a1, b0, b1]
    }

    fn between([a0, a1, b0, b1]: &[Vector3<f64>; 4]) -> Vector3<f64> {
        let closest = distance::edge_edge(&[*a0, *a1], &[*b0, *b1]);
        a0 + (a1 - a0) * closest.a - b0 - (b1 - b0) * closest.b
    }

    fn test(start: &[Vector3<f64>; 4], end: &[Vector3<f64>; 4], rule: &CcdRule) -> Toi {
        ccd::edge_edge(start, end, rule)
    }
}
