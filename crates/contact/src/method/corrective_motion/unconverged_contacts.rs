//! Sweeps over the unconverged contacts alone.

use super::acceleration::Acceleration;
use super::friction_data::{FrictionData, IDLE};
use super::operator::DelassusOperator;
use super::subset::Subset;
use nalgebra::Vector3;

/// Part of all contacts above which sweeping them all is no dearer.
const MOST_OF_ALL: f64 = 0.3;

/// Contacts whose residual is within this part of what is enough are left alone, unless they are near one that is off.
const NEAR: f64 = 0.25;

/// Residual that is sought in a place over the one sought for all: what the others feel of it comes on top.
const SHARE: f64 = 0.5;

/// Sweeps over a place.
const MOST_SWEEPS: usize = 40;

/// The unconverged contacts and two layers of neighbours by shared nodes, while all others are fixed.
///
/// The collision rounds of a step change few contacts at a time, and the compliance of a soft body falls off with
/// distance: the unconverged contacts form a few clusters, whose part of `W` is small and stays in the cache. Where
/// flat parts of two surfaces meet, many contacts share few nodes and need hundreds of sweeps, which are cheap here.
#[derive(Default)]
pub(super) struct UnconvergedContacts {
    subset: Subset,
    acceleration: Acceleration,
    /// Whether a contact is among them.
    chosen: Vec<bool>,
}

impl UnconvergedContacts {
    /// Finds them by the `merits` of all contacts; whether they are few.
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

    /// Sweeps over them alone and changes their `forces`, and `delassus` with them.
    pub(super) fn sweep(
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
        for sweep in 1..=MOST_SWEEPS {
            acceleration.before(local);
            let contacts = local.len();
            let mut swept = place.swept(within, local, IDLE * asked);
            let worst = crate::sweep::sweep(&mut swept, contacts);
            // What they were off by before they were settled, one after the other: the look at all contacts that
            // follows is the judge.
            if sweep == MOST_SWEEPS || worst <= asked {
                break;
            }
            acceleration.after(local, within.moved());
        }
        self.subset.give(delassus, forces);
    }
}
