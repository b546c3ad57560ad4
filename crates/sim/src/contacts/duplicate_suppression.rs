//! Duplicate suppression: only the earliest of neighbouring impacts becomes a contact in a collision round.
//!
//! Where two surfaces pass through each other, many pairs collide around every vertex: its faces, and the edges that
//! end there. One row keeps most of them apart; with a row for each, falling rings end with half more loose contacts.
//! Each round takes the earliest impact for every two vertices that meet. The next round detects the pairs that are
//! still colliding.

use crate::contacts::contact::{Contact, ContactKey};
use crate::contacts::stencil::first_side;
use std::collections::BTreeSet;

/// Places of the new contacts of one round: the nearest corner of either side.
#[derive(Debug, Default)]
pub(crate) struct DuplicateSuppression {
    places: BTreeSet<[u32; 2]>,
}

impl DuplicateSuppression {
    /// Starts a round.
    pub(crate) fn clear(&mut self) {
        self.places.clear();
    }

    /// Whether `contact` is the first of this round at its place. Contacts at a half-space always are: there is one per
    /// vertex.
    pub(crate) fn admits(&mut self, contact: &Contact) -> bool {
        if matches!(contact.key, ContactKey::VertexHalfSpace { .. }) {
            return true;
        }
        let first_side = first_side(contact.key);
        let weights = &contact.weights[..contact.stencil().len()];
        let (first, second) = weights.split_at(first_side);
        let one = contact.points[largest(first)];
        let other = contact.points[first_side + largest(second)];
        // The order of two edges follows their numbers, not their positions.
        self.places.insert([one.min(other), one.max(other)])
    }
}

/// Index of the weight of largest magnitude, the first of equal ones.
fn largest(weights: &[f64]) -> usize {
    let mut largest = 0;
    for (i, weight) in weights.iter().enumerate() {
        if weight.abs() > weights[largest].abs() {
            largest = i;
        }
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    fn contact(key: ContactKey, points: &[u32], weights: [f64; 4]) -> Contact {
        let mut contact = Contact::bare(key, points, Vector3::z());
        contact.weights = weights;
        contact
    }

    fn edges(first: u32, points: &[u32; 4], weights: [f64; 4]) -> Contact {
        contact(ContactKey::EdgeEdge { first, second: 90 }, points, weights)
    }

    #[test]
    fn the_first_at_two_corners_is_admitted_and_others_there_wait() {
        let mut suppression = DuplicateSuppression::default();
        assert!(suppression.admits(&edges(1, &[5, 6, 20, 21], [0.8, 0.2, -0.1, -0.9])));
        let face = |vertex| {
            let key = ContactKey::VertexFace { vertex, face: 3 };
            contact(key, &[vertex, 20, 21, 22], [1.0, -0.2, -0.6, -0.2])
        };
        assert!(!suppression.admits(&face(5)), "nearest 5 and 21 again");
        assert!(suppression.admits(&face(6)), "another vertex");
        let turned = edges(2, &[21, 22, 5, 7], [0.6, 0.4, -0.7, -0.3]);
        assert!(
            !suppression.admits(&turned),
            "the sides the other way round"
        );
        assert!(suppression.admits(&edges(2, &[21, 22, 5, 7], [0.4, 0.6, -0.7, -0.3])));
        suppression.clear();
        assert!(suppression.admits(&face(5)), "the next round");
    }

    #[test]
    fn every_vertex_on_a_half_space_is_admitted() {
        let mut suppression = DuplicateSuppression::default();
        for vertex in [4, 4] {
            let key = ContactKey::VertexHalfSpace {
                vertex,
                half_space: 0,
            };
            assert!(suppression.admits(&contact(key, &[vertex], [1.0, 0.0, 0.0, 0.0])));
        }
    }
}
