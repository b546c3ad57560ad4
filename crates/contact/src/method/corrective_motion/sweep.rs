//! Gauss-Seidel over the contacts until gaps and slips are what the step asks for.

use super::acceleration::Acceleration;
use crate::delassus::one_contact;
use crate::method::active_set_cr::Tolerances;
use nalgebra::{Matrix3, Vector3};

/// `W f`, built or not.
pub(super) trait Delassus {
    /// Forgets all forces for `forces`.
    fn load(&mut self, forces: &[Vector3<f64>]);

    /// `(W f)_i` under the forces of the moment (m).
    fn displacement(&self, contact: usize) -> Vector3<f64>;

    /// `W_ii` (m/N).
    fn own(&self, contact: usize) -> &Matrix3<f64>;

    /// Adds to the force of a contact.
    fn change(&mut self, contact: usize, by: &Vector3<f64>);
}

/// Sweeps between two looks at the residual: a look costs about a sweep.
const LOOK: u64 = 5;

/// Residual over its tolerance that will do, leaving room for the rounding of what the judge computes anew, and sweeps
/// without halving it after which no more is asked.
const GOOD: f64 = 0.95;
const GOOD_PATIENCE: u64 = 2 * LOOK;

/// Sweeps without halving the residual after which single places are looked after: where flat parts of two surfaces meet,
/// many contacts share few nodes, and what they hand on from one to the next takes hundreds of sweeps over all.
const STALLED: u64 = 10;

/// Sweeps over the contacts of such places between two looks, and the most of the contacts that they may be.
const PLACE_SWEEPS: usize = 40;
const MOST_OF_ALL: f64 = 0.2;

/// What the contacts are asked: free displacements, friction, and the compliances that the step's residual is scaled with.
pub(super) struct Demand<'a> {
    /// `q = J v* − c` (m).
    pub(super) free: &'a [Vector3<f64>],
    /// `μ`.
    pub(super) friction: &'a [f64],
    /// `W_n` and `W_t` of the residual (m/N).
    pub(super) scales: &'a [[f64; 2]],
    /// What gaps and slips may be off by.
    pub(super) tolerances: Tolerances,
    /// What forces may be off by (N).
    ///
    /// In a stiff body a gap within its tolerance still leaves open most of the force, which the next step takes for
    /// velocity: bodies would hop, and their friction with them.
    pub(super) force: f64,
    /// Of each contact, those that act on a node with it.
    pub(super) neighbours: &'a [Vec<u32>],
}

/// How sweeping ended.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Swept {
    pub(super) sweeps: u64,
    pub(super) looks: u64,
    /// Worst residual over its tolerance, of the forces that were left.
    pub(super) merit: f64,
}

/// Most sweeps, and sweeps without halving the residual after which it is no use to go on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    pub(super) most: u64,
    pub(super) halving: u64,
}

/// Sweeps from `forces`, which end as the best seen, until the merit is below `enough`.
///
/// One contact is solved exactly under all others, in their order; between sweeps `acceleration` jumps ahead.
pub(super) fn sweep(
    delassus: &mut dyn Delassus,
    demand: &Demand<'_>,
    forces: &mut [Vector3<f64>],
    best: &mut Vec<Vector3<f64>>,
    acceleration: &mut Acceleration,
    enough: f64,
    patience: Patience,
) -> Swept {
    acceleration.start((0..forces.len()).map(|contact| delassus.own(contact).trace()));
    delassus.load(forces);
    let mut swept = Swept {
        looks: 1,
        merit: demand.merit(delassus, forces),
        ..Swept::default()
    };
    let mut halved = (swept.merit, 0);
    let mut places = Vec::new();
    best.clear();
    best.extend_from_slice(forces);
    while (swept.merit > enough || swept.merit.is_nan()) && swept.sweeps < patience.most {
        acceleration.before(forces);
        for contact in 0..forces.len() {
            demand.settle(delassus, contact, forces);
        }
        swept.sweeps += 1;
        if swept.sweeps > LOOK && !swept.sweeps.is_multiple_of(LOOK) {
            acceleration.after(forces, demand.friction);
            delassus.load(forces);
            continue;
        }
        // Displacements that are kept up to date drift by rounding; anew at every look they do not.
        delassus.load(forces);
        let merit = demand.merit(delassus, forces);
        swept.looks += 1;
        if merit < swept.merit || swept.merit.is_nan() {
            swept.merit = merit;
            best.copy_from_slice(forces);
        }
        if swept.merit <= 0.5 * halved.0 {
            halved = (swept.merit, swept.sweeps);
        }
        let patience = if swept.merit < GOOD {
            GOOD_PATIENCE
        } else {
            patience.halving
        };
        if swept.sweeps - halved.1 >= patience {
            break;
        }
        let stalled = swept.sweeps - halved.1 >= STALLED;
        if stalled && settle_places(delassus, demand, forces, &mut places, enough) {
            acceleration.forget();
        } else {
            acceleration.after(forces, demand.friction);
        }
        delassus.load(forces);
    }
    forces.copy_from_slice(best);
    swept
}

/// Sweeps over the contacts that are off and those that share a node with them, if they are few; whether it did.
fn settle_places(
    delassus: &mut dyn Delassus,
    demand: &Demand<'_>,
    forces: &mut [Vector3<f64>],
    places: &mut Vec<u32>,
    enough: f64,
) -> bool {
    places.clear();
    for (contact, neighbours) in demand.neighbours.iter().enumerate() {
        if demand.merit_of(delassus, contact, &forces[contact]) > enough {
            places.extend_from_slice(neighbours);
        }
    }
    places.sort_unstable();
    places.dedup();
    if places.len() as f64 > MOST_OF_ALL * forces.len() as f64 {
        return false;
    }
    for _ in 0..PLACE_SWEEPS {
        for &contact in places.iter() {
            demand.settle(delassus, contact as usize, forces);
        }
    }
    true
}

impl Demand<'_> {
    /// Solves one contact under all others.
    fn settle(&self, delassus: &mut dyn Delassus, contact: usize, forces: &mut [Vector3<f64>]) {
        let own = delassus.own(contact);
        let others = self.free[contact] + delassus.displacement(contact) - own * forces[contact];
        let force = one_contact(own, &others, self.friction[contact]);
        delassus.change(contact, &(force - forces[contact]));
        forces[contact] = force;
    }

    /// Worst of [`merit_of`](Self::merit_of); NaN if one is.
    fn merit(&self, delassus: &dyn Delassus, forces: &[Vector3<f64>]) -> f64 {
        let mut worst = 0.0_f64;
        for (contact, force) in forces.iter().enumerate() {
            let part = self.merit_of(delassus, contact, force);
            if part > worst || part.is_nan() {
                worst = part;
            }
        }
        worst
    }

    /// Gap or slip of a contact over its tolerance, whichever is worse, measured as the step's residual measures them; and
    /// over the gap and slip that a force within its tolerance makes.
    fn merit_of(&self, delassus: &dyn Delassus, contact: usize, force: &Vector3<f64>) -> f64 {
        let u = self.free[contact] + delassus.displacement(contact);
        let [w_n, w_t] = self.scales[contact];
        let gap = self.tolerances.gap.min(w_n * self.force);
        let slip = self.tolerances.slip.min(w_t * self.force);
        let normal = (w_n * force.x).min(u.x).abs() / gap;
        let pushed = [force.y - u.y / w_t, force.z - u.z / w_t];
        let (length, radius) = (
            pushed[0].hypot(pushed[1]),
            self.friction[contact] * force.x.max(0.0),
        );
        let share = if length > radius {
            radius / length
        } else {
            1.0
        };
        let off = (force.y - share * pushed[0]).hypot(force.z - share * pushed[1]);
        let tangential = w_t * off / slip;
        if tangential > normal || tangential.is_nan() {
            tangential
        } else {
            normal
        }
    }
}
