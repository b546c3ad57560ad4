//! The stencil of a pair of features: its points, their solids, and a description in words.

use crate::contacts::contact::ContactKey;
use crate::{geometry::Geometry, tolerances::PairScale};

/// Points of the features of `key`, and how many there are.
pub(crate) fn stencil_of(geometry: &Geometry, key: ContactKey) -> ([u32; 4], u8) {
    let surface = &geometry.surface;
    match key {
        ContactKey::VertexFace { vertex, face } => {
            let [a, b, c] = surface.triangles()[face as usize];
            ([vertex, a, b, c], 4)
        }
        ContactKey::EdgeEdge { first, second } => {
            let ([a0, a1], [b0, b1]) = (
                surface.edges()[first as usize],
                surface.edges()[second as usize],
            );
            ([a0, a1, b0, b1], 4)
        }
        ContactKey::VertexEdge { vertex, edge } => {
            let [a, b] = surface.edges()[edge as usize];
            ([vertex, a, b, 0], 3)
        }
        ContactKey::VertexVertex { first, second } => ([first, second, 0, 0], 2),
        ContactKey::VertexHalfSpace { vertex, .. } => ([vertex, 0, 0, 0], 1),
    }
}

/// Number of stencil points on the first side.
pub(crate) fn first_side(key: ContactKey) -> usize {
    if matches!(key, ContactKey::EdgeEdge { .. }) {
        2
    } else {
        1
    }
}

/// Numbers of the two solids; half-spaces are numbered after the solids.
pub(crate) fn solids_of(geometry: &Geometry, key: ContactKey) -> [usize; 2] {
    let surface = &geometry.surface;
    match key {
        ContactKey::VertexFace { vertex, face } => [
            geometry.solid_of_point(vertex),
            geometry.solid_of_point(surface.triangles()[face as usize][0]),
        ],
        ContactKey::EdgeEdge { first, second } => [
            geometry.solid_of_point(surface.edges()[first as usize][0]),
            geometry.solid_of_point(surface.edges()[second as usize][0]),
        ],
        ContactKey::VertexEdge { vertex, edge } => [
            geometry.solid_of_point(vertex),
            geometry.solid_of_point(surface.edges()[edge as usize][0]),
        ],
        ContactKey::VertexVertex { first, second } => [
            geometry.solid_of_point(first),
            geometry.solid_of_point(second),
        ],
        ContactKey::VertexHalfSpace { vertex, half_space } => [
            geometry.solid_of_point(vertex),
            geometry.solid_count() + half_space as usize,
        ],
    }
}

/// Describes the pair in words, for messages.
pub(crate) fn describe(geometry: &Geometry, key: ContactKey) -> String {
    let [first, second] = solids_of(geometry, key);
    let (first, second) = (geometry.name_of(first), geometry.name_of(second));
    match key {
        ContactKey::VertexFace { vertex, face } => {
            format!("vertex {vertex} of `{first}` against triangle {face} of `{second}`")
        }
        ContactKey::EdgeEdge {
            first: a,
            second: b,
        } => {
            format!("edge {a} of `{first}` against edge {b} of `{second}`")
        }
        ContactKey::VertexEdge { vertex, edge } => {
            format!("vertex {vertex} of `{first}` against edge {edge} of `{second}`")
        }
        ContactKey::VertexVertex {
            first: p,
            second: q,
        } => {
            format!("vertex {p} of `{first}` against vertex {q} of `{second}`")
        }
        ContactKey::VertexHalfSpace { vertex, .. } => {
            format!("vertex {vertex} of `{first}` against `{second}`")
        }
    }
}

impl Geometry {
    /// Scale of the tolerances of a pair of features: the length of the finer body, and whether a rigid body is
    /// involved.
    pub fn scale_of(&self, key: ContactKey) -> PairScale {
        self.scale_between(solids_of(self, key))
    }

    /// `μ` of a pair of features.
    pub fn friction_of(&self, key: ContactKey) -> f64 {
        let [first, second] = solids_of(self, key);
        self.pair_friction(first, second)
    }

    /// `ε₂` of a pair (m): an active contact ends the step with a gap in `(0, ε₂)`.
    pub fn clearance(&self, key: ContactKey) -> f64 {
        self.clearance_between(&solids_of(self, key))
    }
}
