//! Conflicting contacts at one touching place.
//!
//! A pair that touches near an end or a side is kept as a contact of the nearer vertices ([`super::features`]): one row
//! for all pairs that meet there. Such a contact may represent a pair only if their normals agree. Where two edges have
//! crossed near their ends, the normal of the edges and the normal of the ends may oppose each other. Together they
//! clamp the bodies with opposing forces that grow from step to step. The pair's own row is the one that continuous
//! collision detection requires, so the contact of vertices is dropped. Other pairs that it kept apart are detected
//! again.
//!
//! In a fold that is pressed flat, the row of a vertex and an edge may conflict with a pair that shares only the vertex
//! and one end of the edge. Their rows then differ, but are nearly opposite. Without this rule single steps of the
//! coarse armadillo between rollers take tens of thousands of iterations and are divided, and friction of one misses
//! its tolerance.

use crate::contacts::by_point::ByPoint;
use crate::contacts::contact::{CONTACTS_PER_TASK, Contact, ContactKey};
use crate::contacts::stencil::first_side;
use rayon::prelude::*;

/// Cosine between two rows below which they clamp the points they share, although not all points are the same.
const CLAMPING: f64 = -0.5;

/// Whether `proxy`, a contact of vertices, conflicts with `own`, a contact of a pair that meets there.
pub(crate) fn conflicts(proxy: &Contact, own: &Contact) -> bool {
    if !stands_for_others(proxy) || proxy.point_count >= own.point_count {
        return false;
    }
    let place_in_own = |point: &u32| own.stencil().iter().position(|other| other == point);
    let Some(vertex) = place_in_own(&proxy.points[0]) else {
        return false;
    };
    let first_side = first_side(own.key);
    let vertex_is_first = vertex < first_side;
    let (mut shared, mut across) = (1, 0);
    for j in proxy.stencil()[1..].iter().filter_map(place_in_own) {
        shared += 1;
        across += u32::from((j < first_side) != vertex_is_first);
    }
    if shared == proxy.stencil().len() {
        let agreement = proxy.frame.normal.dot(&own.frame.normal);
        return (agreement < 0.0) == vertex_is_first;
    }
    // Contacts that share only one side may press it from two sides without a conflict.
    across > 0 && row_cosine(proxy, own) < CLAMPING
}

/// Whether a contact is one of vertices, which may represent other pairs.
pub(crate) fn stands_for_others(contact: &Contact) -> bool {
    matches!(
        contact.key,
        ContactKey::VertexVertex { .. } | ContactKey::VertexEdge { .. }
    )
}

/// Cosine between the normal rows of two contacts, as vectors over all points.
pub(crate) fn row_cosine(a: &Contact, b: &Contact) -> f64 {
    let (a_points, b_points) = (a.stencil().iter().zip(&a.weights), b.stencil());
    let product: f64 = a_points
        .filter_map(|(point, weight)| {
            let j = b_points.iter().position(|other| other == point)?;
            Some(weight * b.weights[j])
        })
        .sum();
    let length = |contact: &Contact| -> f64 {
        let weights = &contact.weights[..contact.stencil().len()];
        weights.iter().map(|w| w * w).sum::<f64>().sqrt()
    };
    product * a.frame.normal.dot(&b.frame.normal) / (length(a) * length(b))
}

/// Removes contacts of vertices that conflict with the contact of a pair.
pub(crate) fn drop_contradicted(contacts: &mut Vec<Contact>) {
    if !contacts.iter().any(stands_for_others) {
        return;
    }
    let by_point = ByPoint::of(contacts.iter());
    let contradicted: Vec<bool> = (contacts.par_iter())
        .with_min_len(CONTACTS_PER_TASK)
        .map(|proxy| {
            if !stands_for_others(proxy) {
                return false;
            }
            let mut there = by_point.at(proxy.points[0]);
            there.any(|own| conflicts(proxy, &contacts[own]))
        })
        .collect();
    let mut contradicted = contradicted.into_iter();
    contacts.retain(|_| contradicted.next() != Some(true));
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    fn edges(normal: Vector3<f64>) -> Contact {
        let key = ContactKey::EdgeEdge {
            first: 3,
            second: 8,
        };
        Contact::bare(key, &[10, 11, 4, 5], normal)
    }

    fn ends(first: u32, second: u32, normal: Vector3<f64>) -> Contact {
        let key = ContactKey::VertexVertex { first, second };
        Contact::bare(key, &[first, second], normal)
    }

    #[test]
    fn opposite_normals_conflict() {
        let up = Vector3::new(0.1, 0.0, 1.0).normalize();
        // Point 10 is on the first side of the edges. As the greater number it comes second among the ends.
        assert!(conflicts(&ends(4, 10, up), &edges(up)));
        assert!(!conflicts(&ends(4, 10, -up), &edges(up)));
        let tilted = Vector3::new(-0.9, 0.0, 0.3).normalize();
        assert!(!conflicts(&ends(4, 10, -tilted), &edges(up)));
    }

    #[test]
    fn other_vertices_do_not() {
        let up = Vector3::z();
        assert!(!conflicts(&ends(4, 12, up), &edges(up)));
        assert!(!conflicts(&edges(up), &edges(-up)));
    }

    #[test]
    fn the_contact_of_the_ends_goes() {
        let up = Vector3::z();
        let mut contacts = vec![
            edges(up),
            ends(4, 10, up),
            ends(4, 11, -up),
            ends(4, 12, up),
        ];
        drop_contradicted(&mut contacts);
        assert_eq!(contacts, [edges(up), ends(4, 11, -up), ends(4, 12, up)]);
    }

    /// A vertex over an edge, and a pair of edges, or of a vertex and a face, that shares one end of this edge.
    #[test]
    fn rows_that_share_an_end_clamp_if_they_are_nearly_opposite() {
        let up = Vector3::z();
        let vertex_edge = |points: &[u32; 3], normal| {
            let key = ContactKey::VertexEdge {
                vertex: points[0],
                edge: 7,
            };
            let mut contact = Contact::bare(key, points, normal);
            contact.weights = [1.0, -0.45, -0.55, 0.0];
            contact
        };
        let mut crossing = edges(up);
        crossing.weights = [0.99, 0.01, -0.54, -0.46];
        // Points 10, 11 are the first edge, 4, 5 the second.
        assert!(conflicts(&vertex_edge(&[10, 4, 6], -up), &crossing));
        assert!(!conflicts(&vertex_edge(&[10, 4, 6], up), &crossing));
        let across = Vector3::new(1.0, 0.0, -0.3).normalize();
        assert!(!conflicts(&vertex_edge(&[10, 4, 6], across), &crossing));
        // Sides exchanged: the vertex is one of the second edge's.
        assert!(conflicts(&vertex_edge(&[4, 10, 6], up), &{
            let mut turned = crossing;
            turned.weights = [0.54, 0.46, -0.99, -0.01];
            turned
        }));
        // Unrelated bodies that press from two sides.
        assert!(!conflicts(&vertex_edge(&[10, 8, 9], -up), &crossing));
        assert!(!conflicts(&vertex_edge(&[10, 11, 9], -up), &crossing));
    }

    #[test]
    fn the_cosine_of_rows_is_that_of_vectors() {
        let tilted = Vector3::new(0.6, 0.0, 0.8);
        let (mut a, mut b) = (edges(Vector3::z()), edges(tilted));
        a.weights = [0.25, 0.75, -0.5, -0.5];
        b.weights = a.weights;
        assert!((row_cosine(&a, &a) - 1.0).abs() < 1e-15);
        assert!((row_cosine(&a, &b) - 0.8).abs() < 1e-15);
    }
}
