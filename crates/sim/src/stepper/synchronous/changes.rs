//! Marks of each body in the rounds of an attempt: an island is solved again only if a body in it changed.

use crate::contacts::{
    contact::{Contact, ContactKey},
    stencil::solids_of,
};
use crate::{geometry::Geometry, model::Model};
use impinge_contact::{Island, Islands};

/// Most rounds of an island in an attempt for one purpose; in a row for remainders and joints. 30 to 100: most need
/// fewer than ten, difficult ones 30 in total. More tell that the step is too long, and two halves cost less. A
/// remainder that has not settled by then is left.
pub(super) const MOST_ROUNDS: u32 = 50;

/// The purpose of another round.
#[derive(Debug, Clone, Copy)]
pub(super) enum Purpose {
    /// Contacts were added.
    Adding,
    /// Contacts were re-linearised.
    Relinearising,
    /// The part of a motion that rows leave out changed.
    Remainder,
    /// Elastic forces were linearised again.
    Linearising,
    /// Remainders of joints changed.
    Closing,
}

/// Marks of every body, in the order of [`Geometry::bodies`].
#[derive(Debug, Default)]
pub(super) struct Changes {
    marks: Vec<Marks>,
}

/// Marks of one body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks {
    /// Whether its contacts, the motion that they see, or its Newton iterate changed since its island was solved.
    pub(super) changed: bool,
    /// Whether the last solve of its island missed its tolerances, or left a joint of the body open.
    pub(super) unmet: bool,
    /// Whether the last solve of its island settled friction to the gap tolerance only.
    pub(super) relaxed: bool,
    /// Rounds that its island took, by purpose.
    pub(super) rounds: [u32; 5],
    /// The least nonlinear residual of its island with its present contacts, over its accepted size.
    pub(super) least_residual: f64,
}

impl Changes {
    /// Every body changed: the start of an attempt.
    pub(super) fn start(&mut self, bodies: usize) {
        self.marks.clear();
        let at_start = Marks {
            changed: true,
            unmet: false,
            relaxed: false,
            rounds: [0; 5],
            least_residual: f64::INFINITY,
        };
        self.marks.resize(bodies, at_start);
    }

    /// Nothing changed since the solve that has just ended.
    pub(super) fn settle(&mut self) {
        self.marks
            .iter_mut()
            .for_each(|marks| marks.changed = false);
    }

    /// The joints of a body stay open, until its island is solved again.
    pub(super) fn leave_unmet(&mut self, body: usize) {
        self.marks[body].unmet = true;
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

    /// Forgets the least residuals of changed bodies: they say nothing about new contacts.
    pub(super) fn forget_residuals(&mut self) {
        for marks in self.marks.iter_mut().filter(|marks| marks.changed) {
            marks.least_residual = f64::INFINITY;
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

    /// Rounds for `purpose` that the islands of a contact took.
    pub(super) fn rounds(&self, geometry: &Geometry, key: ContactKey, purpose: Purpose) -> u32 {
        let of = |solid: usize| (self.marks.get(solid)).map_or(0, |of| of.rounds[purpose as usize]);
        let [one, other] = solids_of(geometry, key).map(of);
        one.max(other)
    }

    /// The most rounds for `purpose` that one of some bodies took.
    pub(super) fn rounds_of(&self, bodies: &[usize], purpose: Purpose) -> u32 {
        let of = |&body: &usize| self.marks[body].rounds[purpose as usize];
        bodies.iter().map(of).max().unwrap_or(0)
    }

    /// Counts a round for `purpose` of the islands that changed, and returns the most of any of these. A round for
    /// another purpose ends a series for [`Purpose::Remainder`] and [`Purpose::Closing`].
    pub(super) fn count(&mut self, purpose: Purpose) -> u32 {
        let mut most = 0;
        for marks in self.marks.iter_mut().filter(|marks| marks.changed) {
            let rounds = &mut marks.rounds;
            rounds[purpose as usize] += 1;
            if !matches!(purpose, Purpose::Remainder) {
                rounds[Purpose::Remainder as usize] = 0;
                rounds[Purpose::Closing as usize] = 0;
            }
            most = most.max(rounds[purpose as usize]);
        }
        most
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

/// The bodies of an island, each once or more.
fn bodies_of(model: &Model, island: &Island) -> impl Iterator<Item = usize> {
    let mut last = None;
    (island.blocks().iter())
        .map(|&block| model.body_of_block(block as usize))
        .filter(move |&body| last.replace(body) != Some(body))
}
