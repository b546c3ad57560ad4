//! The contacts of a step, each with its row in the last problem.

use super::contact::Contact;
use impinge_contact::{ContactState, Multipliers};

/// Contacts, ascending by key, and their rows in the last problem.
///
/// [`edit`](Self::edit) removes the rows, [`retain`](Self::retain) keeps them.
#[derive(Debug, Default)]
pub(crate) struct ContactSet {
    contacts: Vec<Contact>,
    /// Row of each contact; empty if the contacts have changed since the last problem.
    rows: Vec<usize>,
}

impl ContactSet {
    /// Loads the contacts of a state.
    pub(crate) fn start_from(&mut self, contacts: &[Contact]) {
        self.edit().clear();
        self.contacts.extend_from_slice(contacts);
    }

    /// The contacts.
    pub(crate) fn as_slice(&self) -> &[Contact] {
        &self.contacts
    }

    /// The contacts, for adding, merging, sorting or removing.
    pub(crate) fn edit(&mut self) -> &mut Vec<Contact> {
        self.rows.clear();
        &mut self.contacts
    }

    /// Edits the contacts that `is_some` holds for, all others unseen and unchanged.
    pub(crate) fn edit_some<R>(
        &mut self,
        is_some: impl Fn(&Contact) -> bool,
        edit: impl FnOnce(&mut Vec<Contact>) -> R,
    ) -> R {
        let contacts = self.edit();
        if contacts.iter().all(&is_some) {
            return edit(contacts);
        }
        let (mut some, others): (Vec<_>, Vec<_>) = contacts.drain(..).partition(is_some);
        let result = edit(&mut some);
        contacts.extend(some);
        contacts.extend(others);
        contacts.sort_by_key(|contact| contact.key);
        result
    }

    /// Numbers the rows of a problem with one row per contact, in their order.
    pub(crate) fn number_rows(&mut self) {
        self.rows.clear();
        self.rows.extend(0..self.contacts.len());
    }

    /// Removes the contacts for which `keep` is false; `keep` may change the others.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&mut Contact) -> bool) {
        let mut kept = Vec::new();
        let mut index = 0;
        self.contacts.retain_mut(|contact| {
            let keeps = keep(contact);
            if keeps {
                kept.extend(self.rows.get(index).copied());
            }
            index += 1;
            keeps
        });
        self.rows = kept;
    }

    /// Takes the states and forces of the last solve; `solved` has one entry per row.
    pub(crate) fn take(&mut self, solved: &[Multipliers]) {
        for (contact, &row) in self.contacts.iter_mut().zip(&self.rows) {
            contact.multipliers = solved[row];
        }
    }

    /// The same for contacts that push.
    pub(crate) fn take_forces(&mut self, solved: &[Multipliers]) {
        for (contact, &row) in self.contacts.iter_mut().zip(&self.rows) {
            if contact.multipliers.state != ContactState::Inactive {
                contact.multipliers = solved[row];
            }
        }
    }

    /// Exchanges the contacts with those of a state.
    pub(crate) fn swap_with(&mut self, contacts: &mut Vec<Contact>) {
        std::mem::swap(self.edit(), contacts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::contact::ContactKey;
    use nalgebra::Vector3;

    /// Contacts of the vertices 0 to 3.
    fn four() -> ContactSet {
        let contact = |first: u32| {
            let key = ContactKey::VertexVertex { first, second: 9 };
            Contact::bare(key, &[first, 9], Vector3::z())
        };
        let mut set = ContactSet::default();
        set.start_from(&[0, 1, 2, 3].map(contact));
        set
    }

    fn solved() -> Vec<Multipliers> {
        let force = |lambda: f64| Multipliers {
            lambda,
            state: ContactState::Sticking,
            ..Multipliers::default()
        };
        [0.0, 1.0, 2.0, 3.0].map(force).to_vec()
    }

    fn forces(set: &ContactSet) -> Vec<f64> {
        let contacts = set.as_slice().iter();
        contacts.map(|contact| contact.multipliers.lambda).collect()
    }

    /// A contact keeps its row when others are removed.
    #[test]
    fn forces_reach_the_contact_they_were_solved_for() {
        let mut set = four();
        set.number_rows();
        set.retain(|contact| contact.points[0] != 1);
        set.take(&solved());
        assert_eq!(forces(&set), [0.0, 2.0, 3.0]);
    }

    /// After an edit no contact has a row.
    #[test]
    fn an_edited_set_takes_nothing() {
        let mut set = four();
        set.number_rows();
        set.edit().remove(0);
        set.take(&solved());
        assert_eq!(forces(&set), [0.0; 3]);
    }

    /// Contacts that do not push are unchanged.
    #[test]
    fn only_pushing_contacts_take_forces() {
        let mut set = four();
        set.edit()[2].multipliers.state = ContactState::Sliding;
        set.number_rows();
        set.take_forces(&solved());
        assert_eq!(forces(&set), [0.0, 0.0, 2.0, 0.0]);
    }
}
