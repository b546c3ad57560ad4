//! Index of contacts by the points that they act on.

use crate::contacts::contact::Contact;
use std::collections::BTreeSet;

/// Finds the contacts of a list that act on a point. The list may grow; contacts may change except for their points.
#[derive(Debug)]
pub(crate) struct ByPoint {
    /// Pairs of a point and the index of a contact, ascending, for the contacts of the initial list.
    first: Vec<(u32, u32)>,
    /// The same pairs for contacts added later.
    later: BTreeSet<(u32, u32)>,
}

impl ByPoint {
    /// Indexes the contacts of a list.
    pub(crate) fn of<'a>(contacts: impl Iterator<Item = &'a Contact>) -> Self {
        // The numbers of a pair as one integer of the same order are several times as fast to sort.
        let joined = |(point, place): (u32, u32)| (u64::from(point) << 32) | u64::from(place);
        let mut first: Vec<u64> = (0..).zip(contacts).flat_map(entries).map(joined).collect();
        first.sort_unstable();
        let parts = |entry: u64| ((entry >> 32) as u32, entry as u32);
        let first = first.into_iter().map(parts).collect();
        Self {
            first,
            later: BTreeSet::new(),
        }
    }

    /// Adds the contact at index `place`, which must be new.
    pub(crate) fn add(&mut self, place: usize, contact: &Contact) {
        self.later.extend(entries((place as u32, contact)));
    }

    /// Indices of the contacts that act on `point`.
    pub(crate) fn at(&self, point: u32) -> impl Iterator<Item = usize> {
        let begin = self.first.partition_point(|entry| entry.0 < point);
        let first = (self.first[begin..].iter()).take_while(move |entry| entry.0 == point);
        let later = self.later.range((point, 0)..=(point, u32::MAX));
        first.chain(later).map(|entry| entry.1 as usize)
    }
}

fn entries((place, contact): (u32, &Contact)) -> impl Iterator<Item = (u32, u32)> {
    contact.stencil().iter().map(move |&point| (point, place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::contact::ContactKey;
    use nalgebra::Vector3;
    use proptest::prelude::*;

    fn edges(points: [u32; 4]) -> Contact {
        let key = ContactKey::EdgeEdge {
            first: points[0],
            second: points[2],
        };
        Contact::bare(key, &points, Vector3::z())
    }

    proptest! {
        /// The contacts of a point are those whose stencil has it, whenever they were added.
        #[test]
        fn contacts_at_a_point_are_those_with_it(
            first in prop::collection::vec(prop::array::uniform4(0..12_u32), 0..20),
            later in prop::collection::vec(prop::array::uniform4(0..12_u32), 0..20),
        ) {
            let mut contacts: Vec<Contact> = first.into_iter().map(edges).collect();
            let mut by_point = ByPoint::of(contacts.iter());
            for points in later {
                by_point.add(contacts.len(), &edges(points));
                contacts.push(edges(points));
            }
            for point in 0..12 {
                let mut found: Vec<usize> = by_point.at(point).collect();
                found.dedup();
                let expected: Vec<usize> = (0..contacts.len())
                    .filter(|&place| contacts[place].stencil().contains(&point))
                    .collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
