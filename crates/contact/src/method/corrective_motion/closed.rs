//! Sweeping without the contacts that stand open.

use super::subset::Subset;
use super::sweep::{Delassus, Demand};
use nalgebra::Vector3;

/// Part of all contacts above which it is no use to leave the others out: copying costs a sweep or two.
const MOST_OF_ALL: f64 = 0.85;

/// Marks a contact that is left out.
const OUT: u32 = u32::MAX;

/// The contacts that press or are in reach of it, while the others bear nothing.
///
/// A step tells of all contacts that may touch, and a third of them never do. In a sweep an open contact costs as much as
/// another, and the gaps show at the next look whether it was right to leave it out.
#[derive(Default)]
pub(super) struct Closed {
    pub(super) subset: Subset,
    pub(super) neighbours: Vec<Vec<u32>>,
    /// Place of each contact in the subset, or [`OUT`].
    place: Vec<u32>,
}

impl Closed {
    /// Forgets which contacts were closed.
    pub(super) fn start(&mut self, contacts: usize) {
        self.place.clear();
        self.place.resize(contacts, OUT);
    }

    /// Adds the contacts that bear force or whose gap is not open under `forces`; whether that adds any and leaves out
    /// enough. `forces` are those that `delassus` is loaded with.
    pub(super) fn find(
        &mut self,
        delassus: &dyn Delassus,
        demand: &Demand<'_>,
        forces: &[Vector3<f64>],
    ) -> bool {
        let mut added = false;
        for (contact, force) in forces.iter().enumerate() {
            let open = || demand.free[contact].x + delassus.displacement(contact).x > 0.0;
            // What was closed before stays: else a contact could come and go for ever.
            if self.place[contact] == OUT && !(*force == Vector3::zeros() && open()) {
                self.place[contact] = 0;
                added = true;
            }
        }
        let contacts = &mut self.subset.contacts;
        contacts.clear();
        for (contact, place) in self.place.iter_mut().enumerate() {
            if *place != OUT {
                *place = contacts.len() as u32;
                contacts.push(contact as u32);
            }
        }
        added && (contacts.len() as f64) <= MOST_OF_ALL * forces.len() as f64
    }

    /// Whether a contact that is left out is off by more than `enough`: it has closed meanwhile.
    pub(super) fn misses_one_of(&self, merits: &[f64], enough: f64) -> bool {
        let mut out = self.place.iter().zip(merits);
        out.any(|(&place, &merit)| place == OUT && (merit > enough || merit.is_nan()))
    }

    /// Copies what belongs to them.
    pub(super) fn take(
        &mut self,
        delassus: &dyn Delassus,
        demand: &Demand<'_>,
        forces: &[Vector3<f64>],
    ) {
        self.subset.take(delassus, demand, forces);
        self.neighbours
            .resize_with(self.subset.contacts.len(), Vec::new);
        for (list, &contact) in self.neighbours.iter_mut().zip(&self.subset.contacts) {
            let among_all = demand.neighbours[contact as usize].iter();
            let places = among_all.map(|&other| self.place[other as usize]);
            list.clear();
            list.extend(places.filter(|&place| place != OUT));
        }
    }
}
