//! Sweeps over the unconverged contacts alone.

use super::acceleration::Acceleration;
use super::friction_data::{FrictionData, IDLE};
use super::operator::DelassusOperator;
use super::subset::Subset;
use crate::sweep::sweep;
use nalgebra::Vector3;

/// Share of all contacts above which sweeps over all are no more expensive.
const MOST_OF_ALL: f64 = 0.3;

/// Merit over the wanted one below which contacts are left out, unless an unconverged contact is near.
const NEAR: f64 = 0.25;

/// Wanted residual of a subset over that of all contacts: effects of its neighbours are added.
const SHARE: f64 = 0.5;

/// Largest number of sweeps over a subset.
const MOST_SWEEPS: usize = 40;

/// The unconverged contacts and two layers of neighbours by shared nodes; all others are fixed.
///
/// The collision rounds of a step change few contacts, and the compliance of a soft body decreases with distance. So
/// the unconverged contacts form a few clusters, whose part of `W` is small and fits into the cache. Where flat parts
/// of two surfaces touch, many contacts share few nodes and need hundreds of sweeps, which are cheap here.
#[derive(Default)]
pub(super) struct UnconvergedContacts {
    subset: Subset,
    acceleration: Acceleration,
    /// Whether each contact is in the subset.
    chosen: Vec<bool>,
}

impl UnconvergedContacts {
    /// Finds the unconverged contacts by the `merits` of all contacts; returns whether they are few.
    pub(super) fn find(&mut self, data: &FrictionData<'_>, merits: &[f64], enough: f64) -> bool {
        let most = MOST_OF_ALL * merits.len() as f64;
        self.chosen.clear();
        self.chosen.resize(merits.len(), false);
        for (contact, (merit, neighbours)) in merits.iter().zip(data.neighbours).enumerate() {
            if *merit > enough || merit.is_nan() {
                for &neighbour in neighbours {
                    for &near in &data.neighbours[neighbour as usize] {
                        self.chosen[near as usize] = true;
                    }
                }
            } else if *merit > NEAR * enough {
                self.chosen[contact] = true;
            }
        }
        let chosen = (0_u32..).zip(&self.chosen).filter(|(_, chosen)| **chosen);
        self.subset.contacts.clear();
        self.subset
            .contacts
            .extend(chosen.map(|(contact, _)| contact));
        self.subset.contacts.len() as f64 <= most
    }

    /// Sweeps over the subset alone, and changes its `forces` in `delassus` too.
    pub(super) fn solve(
        &mut self,
        delassus: &mut dyn DelassusOperator,
        data: &FrictionData<'_>,
        forces: &mut [Vector3<f64>],
        enough: f64,
    ) {
        self.subset.take(delassus, data, forces);
        let (place, within, local) = self.subset.split(&[]);
        let acceleration = &mut self.acceleration;
        within.load(local);
        let weights = (0..local.len()).map(|contact| within.own(contact).trace());
        acceleration.start(weights, local.len());
        let asked = SHARE * enough;
        for count in 1..=MOST_SWEEPS {
            acceleration.before(local);
            let contacts = local.len();
            let mut swept = place.swept(within, local, IDLE * asked);
            let worst = sweep(&mut swept, contacts);
            // These are residuals before each contact was solved; the following evaluation of all contacts decides.
            if count == MOST_SWEEPS || worst <= asked {
                break;
            }
            acceleration.after(local, within.moved());
        }
        self.subset.give(delassus, forces);
    }
}
