//! What is known of each body in the rounds of an attempt: an island is solved again only if a body in it changed.

use crate::contacts::{
    contact::{Contact, ContactKey},
    stencil::solids_of,
};
use crate::{geometry::Geometry, model::Model};
use impinge_contact::{Island, Islands};

/// Marks of every body, in the order of [`Geometry::bodies`].
#[derive(Debug, Default)]
pub(super) struct Changes {
    marks: Vec<Marks>,
}

/// Marks of one body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks {
    /// Whether its contacts, or the motion that they see, changed since its island was solved.
    pub(super) changed: bool,
    /// Whether the last solve of its island missed its tolerances.
    pub(super) unmet: bool,
    /// Whether the last solve of its island settled friction to the gap tolerance only.
    pub(super) relaxed: bool,
    /// Share of the momentum tolerance that its solves are held to.
    pub(super) share: f64,
    /// Rounds that added contacts to its island.
    pub(super) adding: u32,
}

impl Changes {
    /// Every body changed: the start of an attempt.
    pub(super) fn start(&mut self, bodies: usize) {
        self.marks.clear();
        let at_start = Marks {
            changed: true,
            unmet: false,
            relaxed: false,
            share: 1.0,
            adding: 0,
        };
        self.marks.resize(bodies, at_start);
    }

    /// Nothing changed since the solve that has just ended.
    pub(super) fn settle(&mut self) {
        self.marks
            .iter_mut()
            .for_each(|marks| marks.changed = false);
    }

    /// The bodies of a pair changed.
    pub(super) fn add_pair(&mut self, geometry: &Geometry, key: ContactKey) {
        for solid in solids_of(geometry, key) {
            if let Some(marks) = self.marks.get_mut(solid) {
                marks.changed = true;
            }
        }
    }

    /// All bodies of an island changed if one did.
    pub(super) fn spread(&mut self, model: &Model, islands: &Islands) {
        for island in islands.parts() {
            if self.of_island(model, island).any(|marks| marks.changed) {
                self.update(model, island, |marks| marks.changed = true);
            }
        }
    }

    /// Whether a contact is one of a body that changed.
    pub(super) fn is_of_changed(&self, geometry: &Geometry, contact: &Contact) -> bool {
        let is_changed = |solid: usize| self.marks.get(solid).is_some_and(|marks| marks.changed);
        solids_of(geometry, contact.key).into_iter().any(is_changed)
    }

    /// Whether a body changed.
    pub(super) fn are_any(&self) -> bool {
        self.marks.iter().any(|marks| marks.changed)
    }

    /// Rounds that added contacts to the island of a contact.
    pub(super) fn added_to(&self, geometry: &Geometry, contact: &Contact) -> u32 {
        let marks = |solid: usize| self.marks.get(solid).map_or(0, |marks| marks.adding);
        solids_of(geometry, contact.key)
            .map(marks)
            .into_iter()
            .fold(0, u32::max)
    }

    /// Counts a round that added contacts to the islands that changed. Returns the most of any island.
    pub(super) fn count_adding(&mut self) -> u32 {
        for marks in self.marks.iter_mut().filter(|marks| marks.changed) {
            marks.adding += 1;
        }
        self.marks
            .iter()
            .map(|marks| marks.adding)
            .fold(0, u32::max)
    }

    /// The marks of the bodies of an island.
    pub(super) fn of_island(&self, model: &Model, island: &Island) -> impl Iterator<Item = &Marks> {
        bodies_of(model, island).map(|body| &self.marks[body])
    }

    /// Changes the marks of the bodies of an island.
    pub(super) fn update(&mut self, model: &Model, island: &Island, with: impl Fn(&mut Marks)) {
        for body in bodies_of(model, island) {
            with(&mut self.marks[body]);
        }
    }

    /// The marks of all bodies.
    pub(super) fn all(&self) -> &[Marks] {
        &self.marks
    }
}

/// The bodies of an island, ascending.
fn bodies_of(model: &Model, island: &Island) -> impl Iterator<Item = usize> {
    let mut last = None;
    (island.blocks().iter())
        .map(|&block| model.body_of_block(block as usize))
        .filter(move |&body| last.replace(body) != Some(body))
}
