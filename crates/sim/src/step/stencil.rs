//! The points of a pair of features, and the pair in words.

use super::{contact::ContactKey, formulate::solids_of};
use crate::model::Model;

/// Points of the features of `key`, and how many there are.
pub(crate) fn stencil_of(model: &Model, key: ContactKey) -> ([u32; 4], u8) {
    let surface = &model.surface;
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

/// The pair in words, for messages.
pub(crate) fn describe(model: &Model, key: ContactKey) -> String {
    let [first, second] = solids_of(model, key);
    let (first, second) = (model.name_of(first), model.name_of(second));
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
