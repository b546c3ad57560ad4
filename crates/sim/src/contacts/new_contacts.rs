//! New contacts of a collision round, kept apart from the known ones until its end.

use crate::contacts::by_point::ByPoint;
use crate::contacts::conflict::conflicts;
use crate::contacts::contact::Contact;

/// New contacts of a round, which join the others at its end. They are not found by key until then: of several impacts
/// with the same key, only the first counts.
#[derive(Debug, Default)]
pub(crate) struct NewContacts {
    contacts: Vec<Contact>,
    /// Index of the known and the new contacts, built on first use.
    by_point: Option<ByPoint>,
}

impl NewContacts {
    /// Starts a round.
    pub(crate) fn clear(&mut self) {
        self.contacts.clear();
        self.by_point = None;
    }

    /// Adds a contact beside `known` contacts that exist since before the round.
    pub(crate) fn push(&mut self, contact: &Contact, known: usize) {
        if let Some(by_point) = &mut self.by_point {
            by_point.add(known + self.contacts.len(), contact);
        }
        self.contacts.push(*contact);
    }

    /// Ends a round: merges the new contacts into `contacts`. Returns whether there were any.
    pub(crate) fn join(&mut self, contacts: &mut Vec<Contact>) -> bool {
        let any = !self.contacts.is_empty();
        if any {
            self.contacts.sort_unstable_by_key(|contact| contact.key);
            contacts.append(&mut self.contacts);
            // A stable sort merges two ascending runs in linear time.
            contacts.sort_by_key(|contact| contact.key);
        }
        any
    }

    /// Whether one of the `stored` or of the new contacts conflicts with `proxy`.
    pub(crate) fn conflicts_with(&mut self, proxy: &Contact, stored: &[Contact]) -> bool {
        let (by_point, added) = self.by_point(stored);
        // Every contact that conflicts with it acts on its first point.
        let mut there = by_point
            .at(proxy.points[0])
            .map(|place| (stored.get(place)).unwrap_or_else(|| &added[place - stored.len()]));
        there.any(|own| conflicts(proxy, own))
    }

    /// Whether one of the `stored` contacts conflicts with `own` and would replace it.
    pub(crate) fn is_against_stored(&mut self, own: &Contact, stored: &[Contact]) -> bool {
        let (by_point, _) = self.by_point(stored);
        let mut proxies = (own.stencil().iter())
            .flat_map(|&point| by_point.at(point))
            .filter_map(|place| stored.get(place));
        proxies.any(|proxy| conflicts(proxy, own))
    }

    fn by_point(&mut self, stored: &[Contact]) -> (&ByPoint, &[Contact]) {
        let added = &self.contacts;
        let by_point =
            (self.by_point).get_or_insert_with(|| ByPoint::of(stored.iter().chain(added)));
        (by_point, added)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::contact::ContactKey;
    use nalgebra::Vector3;

    /// Edges from `point` to the next, and from `point + 5` to the next.
    fn edges(point: u32) -> Contact {
        let key = ContactKey::EdgeEdge {
            first: point,
            second: point + 5,
        };
        let points = [point, point + 1, point + 5, point + 6];
        Contact::bare(key, &points, Vector3::z())
    }

    /// Ends of both sides, in conflict with [`edges`].
    fn ends(point: u32) -> Contact {
        let (first, second) = (point, point + 5);
        let key = ContactKey::VertexVertex { first, second };
        Contact::bare(key, &[first, second], -Vector3::z())
    }

    /// The index has the known contacts and those added before and after the first query.
    #[test]
    fn every_contact_is_asked() {
        let stored: Vec<Contact> = [10, 20, 30].map(edges).to_vec();
        let mut added = NewContacts::default();
        for round in 0..2 {
            added.clear();
            added.push(&edges(40), stored.len());
            for (point, expected) in [(10, true), (30, true), (40, true), (50, false), (60, false)]
            {
                assert_eq!(
                    added.conflicts_with(&ends(point), &stored),
                    expected,
                    "{round}, {point}"
                );
            }
            added.push(&edges(60), stored.len());
            added.push(&edges(50), stored.len());
            for point in [10, 20, 30, 40, 50, 60] {
                assert!(
                    added.conflicts_with(&ends(point), &stored),
                    "{round}, {point}"
                );
            }
            assert!(!added.conflicts_with(&ends(70), &stored));
        }
    }

    #[test]
    fn new_contacts_join_in_order() {
        let mut contacts: Vec<Contact> = [10, 20, 40].map(edges).to_vec();
        let mut added = NewContacts::default();
        assert!(!added.join(&mut contacts));
        for point in [50, 30, 0] {
            added.push(&edges(point), 3);
        }
        assert!(added.join(&mut contacts));
        assert_eq!(contacts, [0, 10, 20, 30, 40, 50].map(edges));
        added.clear();
        assert!(!added.join(&mut contacts));
    }
}
