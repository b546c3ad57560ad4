//! The contact nodes of each body, and the contacts on them.

use super::compliance::{Compliance, Push};
use crate::{ContactError, ContactProblem};

/// A contact and its rows on one part.
#[derive(Debug, Clone)]
pub(super) struct ContactOnPart {
    pub(super) contact: usize,
    pub(super) rows: Vec<Push>,
}

/// Contacts by part, and parts by contact.
#[derive(Debug, Clone, Default)]
pub(super) struct ContactNodes {
    pub(super) contacts: usize,
    /// Per part, the contacts on it, ascending.
    pub(super) on_part: Vec<Vec<ContactOnPart>>,
    /// Per contact, `(part, index into its list)`.
    pub(super) of_contact: Vec<Vec<(usize, usize)>>,
}

impl ContactNodes {
    /// # Errors
    /// [`ContactError::InteriorContact`] for a contact on a node without known compliance.
    pub(super) fn find(
        problem: &ContactProblem,
        compliance: &dyn Compliance,
    ) -> Result<Self, ContactError> {
        let contacts = problem.contacts();
        let mut nodes = Self {
            contacts,
            on_part: vec![Vec::new(); compliance.parts()],
            of_contact: vec![Vec::new(); contacts],
        };
        for contact in 0..contacts {
            let (blocks, jacobians) = problem.row(contact);
            for (&block, jacobian) in blocks.iter().zip(jacobians) {
                let (part, place) =
                    compliance
                        .place(block)
                        .ok_or(ContactError::InteriorContact {
                            contact,
                            block: block as usize,
                        })?;
                let list = &mut nodes.on_part[part];
                match list.last_mut() {
                    Some(touch) if touch.contact == contact => touch.rows.push((place, *jacobian)),
                    _ => {
                        nodes.of_contact[contact].push((part, list.len()));
                        list.push(ContactOnPart {
                            contact,
                            rows: vec![(place, *jacobian)],
                        });
                    }
                }
            }
        }
        Ok(nodes)
    }
}

impl ContactNodes {
    /// For each contact, the contacts on its nodes, itself included, ascending.
    pub(super) fn neighbours(&self) -> Vec<Vec<u32>> {
        let mut neighbours = vec![Vec::new(); self.contacts];
        let mut at_place: Vec<(usize, u32)> = Vec::new();
        for list in &self.on_part {
            at_place.clear();
            for touch in list {
                let contact = touch.contact as u32;
                at_place.extend(touch.rows.iter().map(|(place, _)| (*place, contact)));
            }
            at_place.sort_unstable();
            for together in at_place.chunk_by(|a, b| a.0 == b.0) {
                for (_, contact) in together {
                    let others = together.iter().map(|(_, other)| *other);
                    neighbours[*contact as usize].extend(others);
                }
            }
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        neighbours
    }

    /// Nodes of `part` with contacts, ascending.
    pub(super) fn places(&self, part: usize) -> Vec<usize> {
        let rows = self.on_part[part].iter().flat_map(|touch| &touch.rows);
        let mut places: Vec<usize> = rows.map(|(place, _)| *place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}
