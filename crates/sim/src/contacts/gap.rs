//! Distance between the surfaces at a contact.

use crate::contacts::{
    conflict::stands_for_others,
    contact::{Contact, ContactKey},
    linearise::{closest_weights, reach},
    stencil::{first_side, stencil_of},
};
use crate::geometry::Geometry;
use nalgebra::Vector3;

/// Largest distance, in reaches, of a pair's closest points from those of a contact at the same place. An edge or a
/// corner represents all pairs that touch within one reach of it.
const NEARBY: f64 = 2.0;

/// Distance between the features of a contact (m); signed for a half-space.
pub(crate) fn distance_apart(contact: &Contact, corners: &[Vector3<f64>; 4]) -> f64 {
    if let ContactKey::VertexHalfSpace { .. } = contact.key {
        return contact.frame.normal.dot(&contact.gap_vector(corners));
    }
    let weights = closest_weights(contact.key, corners);
    let gap: Vector3<f64> = (0..4).map(|i| corners[i] * weights[i]).sum();
    gap.norm()
}

/// Gap of a contact at `positions` (m): the distance of its features. If that is at least `enough` and the contact is
/// one of an edge or a corner, the least distance of all pairs at this place.
///
/// A vertex that rests on a side close to an edge, or slid a little past it, is kept as a contact with that edge: one
/// row for all pairs there. The edge is then farther from the vertex than the side is.
pub(crate) fn gap_at(
    geometry: &Geometry,
    positions: &[Vector3<f64>],
    contact: &Contact,
    enough: f64,
) -> f64 {
    let corners = contact.gather(positions);
    let own = distance_apart(contact, &corners);
    if own < enough || !stands_for_others(contact) {
        return own;
    }
    let [one, other] = closest_points(contact.key, &corners);
    let nearby = NEARBY * reach(geometry, contact.key);
    let mut smallest = own;
    for_neighbours(geometry, contact, |key| {
        let corners = stencil_of(geometry, key)
            .0
            .map(|point| positions[point as usize]);
        let [mut first, mut second] = closest_points(key, &corners);
        // The sides may have the opposite order.
        if (first - one).norm() + (second - other).norm()
            > (first - other).norm() + (second - one).norm()
        {
            std::mem::swap(&mut first, &mut second);
        }
        if (first - one).norm() < nearby && (second - other).norm() < nearby {
            smallest = smallest.min((first - second).norm());
        }
    });
    smallest
}

/// The closest points of both sides of a pair (m).
fn closest_points(key: ContactKey, corners: &[Vector3<f64>; 4]) -> [Vector3<f64>; 2] {
    let weights = closest_weights(key, corners);
    let first_side = first_side(key);
    let point = |side: std::ops::Range<usize>| -> Vector3<f64> {
        side.map(|i| corners[i] * weights[i]).sum()
    };
    [point(0..first_side), -point(first_side..4)]
}

/// Calls `visit` with the vertex-face and edge-edge pairs of the neighbours of a contact's features, some of them
/// twice. Features that share a point form no pair.
fn for_neighbours(geometry: &Geometry, contact: &Contact, mut visit: impl FnMut(ContactKey)) {
    let mut visit_pair = |key: ContactKey| {
        let points = stencil_of(geometry, key).0;
        if (1..4).all(|i| !points[..i].contains(&points[i])) {
            visit(key);
        }
    };
    let neighbours = &geometry.neighbours;
    let (first, second) = contact.stencil().split_at(first_side(contact.key));
    for &one in first {
        for &other in second {
            for (vertex, at) in [(one, other), (other, one)] {
                for &edge in neighbours.edges_of(at) {
                    for face in neighbours.faces_of_edge[edge as usize] {
                        visit_pair(ContactKey::VertexFace { vertex, face });
                    }
                }
            }
            for &first in neighbours.edges_of(one) {
                for &second in neighbours.edges_of(other) {
                    visit_pair(ContactKey::EdgeEdge { first, second });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::two_cubes::TwoCubes;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        /// A corner over a flat side whose contact is with a nearby edge or vertex of that side: the gap is the
        /// corner's height.
        #[test]
        fn beside_an_edge_the_gap_is_that_of_the_side(
            along in 0.05..0.45_f64,
            beside in -3e-4..3e-4_f64,
            height in 1e-5..2e-4_f64,
            of_vertex in any::<bool>(),
        ) {
            let mut cubes = TwoCubes::apart();
            let middle = cubes.point([0.0, 0.0, 0.5]);
            let edge = cubes.edge(middle, cubes.point([0.0, 0.5, 0.5]));
            let corner = cubes.point([0.25, 0.25, 0.55]);
            let key = if of_vertex {
                ContactKey::VertexVertex { first: middle.min(corner), second: middle.max(corner) }
            } else {
                ContactKey::VertexEdge { vertex: corner, edge }
            };
            let along = if of_vertex { beside } else { along };
            cubes.move_upper(corner, [beside, along, 0.5 + height]);
            let TwoCubes { model, positions } = cubes;
            let (points, count) = stencil_of(&model.geometry, key);
            let contact = Contact::bare(key, &points[..usize::from(count)], Vector3::z());
            let own = distance_apart(&contact, &contact.gather(&positions));
            prop_assert!(own >= height * (1.0 - 1e-9));
            let gap = gap_at(&model.geometry, &positions, &contact, 0.5 * height);
            // The upper cube's lower side is level: its other corners have the same height.
            prop_assert!((gap - height).abs() < 1e-12, "{gap} for {height}");
            let enough = gap_at(&model.geometry, &positions, &contact, 2.0 * own);
            prop_assert!((enough - own).abs() < 1e-15, "nothing nearer is looked for");
        }
    }

    /// Pairs that touch elsewhere, at other corners of the same cubes, do not enter the gap of this contact.
    #[test]
    fn a_touch_elsewhere_does_not_count() {
        let mut cubes = TwoCubes::apart();
        let middle = cubes.point([0.0, 0.0, 0.5]);
        let edge = cubes.edge(middle, cubes.point([0.0, 0.5, 0.5]));
        let vertex = cubes.point([-0.25, -0.25, 0.55]);
        cubes.move_upper(vertex, [1e-4, 0.2, 0.5 + 3e-4]);
        // The upper cube is tilted about that corner's edge: the far ends of its sides are lower.
        let pivot = cubes.positions[vertex as usize];
        for point in cubes.model.geometry.bodies[1].points.clone() {
            let arm = cubes.positions[point].x - pivot.x;
            cubes.positions[point].z -= 5e-4 * arm;
        }
        let key = ContactKey::VertexEdge { vertex, edge };
        let (points, count) = stencil_of(&cubes.model.geometry, key);
        let contact = Contact::bare(key, &points[..usize::from(count)], Vector3::z());
        let gap = gap_at(&cubes.model.geometry, &cubes.positions, &contact, 1e-5);
        assert!(
            (gap - 3e-4).abs() < 2e-6,
            "{gap}, not the 5e-5 of the far side"
        );
    }
}
