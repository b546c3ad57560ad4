//! The contacts that are off, swept by themselves.

use super::built::Built;
use super::sweep::{Delassus, Demand, Patience, Workspace, sweep};
use nalgebra::Vector3;

/// Part of all contacts above which sweeping them all is no dearer.
const MOST_OF_ALL: f64 = 0.5;

/// Contacts whose residual is within this part of what is enough are left alone, unless a neighbour is off.
const NEAR: f64 = 0.25;

/// Residual that is sought in a place over the one sought for all: what the others feel of it comes on top.
const SHARE: f64 = 0.5;

/// Sweeps over a place, at most and without halving its residual.
const PATIENCE: Patience = Patience {
    most: 200,
    halving: 40,
};

/// Places within places.
const DEPTH: usize = 3;

/// The contacts that are off and those that share a node with them, while all others hold still.
///
/// The rounds of a step add and turn few contacts at a time, and how a soft body yields falls off with the distance: what
/// is off is a few places, and their part of `W` is small and stays in the cache. Where flat parts of two surfaces meet,
/// many contacts share few nodes, and what they hand on from one to the next takes hundreds of sweeps: these are cheap here.
#[derive(Default)]
pub(super) struct Places {
    /// Ascending.
    contacts: Vec<u32>,
    depth: usize,
    memory: Option<Box<Memory>>,
}

/// The problem of those contacts alone.
#[derive(Default)]
struct Memory {
    delassus: Built,
    free: Vec<Vector3<f64>>,
    friction: Vec<f64>,
    scales: Vec<[f64; 2]>,
    neighbours: Vec<Vec<u32>>,
    forces: Vec<Vector3<f64>>,
    workspace: Workspace,
}

impl Places {
    /// Finds them by the `merits` of all contacts; whether they are few.
    pub(super) fn find(&mut self, demand: &Demand<'_>, merits: &[f64], enough: f64) -> bool {
        self.contacts.clear();
        if self.depth >= DEPTH {
            return false;
        }
        for (contact, (merit, neighbours)) in merits.iter().zip(demand.neighbours).enumerate() {
            if *merit > enough || merit.is_nan() {
                self.contacts.extend_from_slice(neighbours);
            } else if *merit > NEAR * enough {
                self.contacts.push(contact as u32);
            }
        }
        self.contacts.sort_unstable();
        self.contacts.dedup();
        self.contacts.len() as f64 <= MOST_OF_ALL * merits.len() as f64
    }

    /// Sweeps over them alone and changes their `forces`; returns what it cost, in sweeps over all.
    pub(super) fn settle(
        &mut self,
        delassus: &dyn Delassus,
        demand: &Demand<'_>,
        forces: &mut [Vector3<f64>],
        enough: f64,
    ) -> u64 {
        let contacts = &self.contacts;
        let memory = self.memory.get_or_insert_with(Box::default);
        memory.workspace.within(self.depth + 1);
        delassus.restrict(contacts, &mut memory.delassus.w);
        let here = || contacts.iter().map(|&contact| contact as usize);
        memory.forces.clear();
        memory.forces.extend(here().map(|contact| forces[contact]));
        memory.free.clear();
        for (local, contact) in here().enumerate() {
            let own = memory.delassus.w.row_times(local, &memory.forces);
            let free = demand.free[contact] + delassus.displacement(contact) - own;
            memory.free.push(free);
        }
        memory.friction.clear();
        memory
            .friction
            .extend(here().map(|contact| demand.friction[contact]));
        memory.scales.clear();
        memory
            .scales
            .extend(here().map(|contact| demand.scales[contact]));
        memory.neighbours.resize_with(contacts.len(), Vec::new);
        for (list, contact) in memory.neighbours.iter_mut().zip(here()) {
            list.clear();
            let others = demand.neighbours[contact].iter();
            list.extend(others.filter_map(|other| {
                let local = contacts.binary_search(other).ok()?;
                Some(local as u32)
            }));
        }
        let place = Demand {
            free: &memory.free,
            friction: &memory.friction,
            scales: &memory.scales,
            tolerances: demand.tolerances,
            force: demand.force,
            neighbours: &memory.neighbours,
        };
        let swept = sweep(
            &mut memory.delassus,
            &place,
            &mut memory.forces,
            &mut memory.workspace,
            SHARE * enough,
            PATIENCE,
        );
        for (contact, force) in here().zip(&memory.forces) {
            forces[contact] = *force;
        }
        let cost = swept.sweeps * contacts.len() as u64;
        cost.div_ceil(forces.len() as u64).max(1)
    }

    /// Sets how many places this one is within.
    pub(super) fn within(&mut self, depth: usize) {
        self.depth = depth;
    }
}
