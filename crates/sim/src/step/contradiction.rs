//! Contacts at one touch that push against each other.
//!
//! A pair that touches near an end or a side is kept as a contact of the nearer vertices ([`super::features`]): one row
//! for all pairs that meet there. It stands for them only as long as it faces their way. Where two edges have crossed
//! near their ends, their own row looks one way and that of the ends may look the other; together they clamp the bodies
//! with opposing forces that grow from step to step and that no solver settles. The pair's own row is the one that
//! continuous detection asked for, so the other goes; what it kept apart is found again, pair by pair.

use super::contact::{Contact, ContactKey};

/// Whether `proxy`, a contact of vertices, pushes against `own`, a contact of a pair with the same vertices.
pub(super) fn contradicts(proxy: &Contact, own: &Contact) -> bool {
    let stands_for_others = matches!(
        proxy.key,
        ContactKey::VertexVertex { .. } | ContactKey::VertexEdge { .. }
    );
    if !stands_for_others || proxy.point_count >= own.point_count {
        return false;
    }
    let mut same_sides = true;
    for (i, point) in proxy.stencil().iter().enumerate() {
        let Some(j) = own.stencil().iter().position(|other| other == point) else {
            return false;
        };
        if i == 0 {
            same_sides = first_side(own, j);
        }
    }
    let agreement = proxy.frame.normal.dot(&own.frame.normal);
    (agreement < 0.0) == same_sides
}

/// Removes the contacts of vertices that push against the contact of a pair.
pub(super) fn drop_contradicted(contacts: &mut Vec<Contact>) {
    let mut of_point: Vec<(u32, u32)> = contacts
        .iter()
        .enumerate()
        .flat_map(|(index, contact)| {
            let index = index as u32;
            contact.stencil().iter().map(move |&point| (point, index))
        })
        .collect();
    of_point.sort_unstable();
    let contradicted: Vec<bool> = contacts
        .iter()
        .map(|proxy| {
            let point = proxy.points[0];
            let first = of_point.partition_point(|entry| entry.0 < point);
            of_point[first..]
                .iter()
                .take_while(|entry| entry.0 == point)
                .any(|entry| contradicts(proxy, &contacts[entry.1 as usize]))
        })
        .collect();
    let mut contradicted = contradicted.into_iter();
    contacts.retain(|_| contradicted.next() != Some(true));
}

/// Whether point `i` of the stencil is on the first side, the one that the normal points to.
fn first_side(contact: &Contact, i: usize) -> bool {
    match contact.key {
        ContactKey::EdgeEdge { .. } => i < 2,
        ContactKey::VertexFace { .. }
        | ContactKey::VertexEdge { .. }
        | ContactKey::VertexVertex { .. }
        | ContactKey::VertexHalfSpace { .. } => i < 1,
    }
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
    fn opposite_ways_contradict() {
        let up = Vector3::new(0.1, 0.0, 1.0).normalize();
        // Point 10 is on the first side of the edges; as the greater number it is second of the ends.
        assert!(contradicts(&ends(4, 10, up), &edges(up)));
        assert!(!contradicts(&ends(4, 10, -up), &edges(up)));
        let tilted = Vector3::new(-0.9, 0.0, 0.3).normalize();
        assert!(!contradicts(&ends(4, 10, -tilted), &edges(up)));
    }

    #[test]
    fn other_vertices_do_not() {
        let up = Vector3::z();
        assert!(!contradicts(&ends(4, 12, up), &edges(up)));
        assert!(!contradicts(&edges(up), &edges(-up)));
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
}
