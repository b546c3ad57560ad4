//! Gauss-Seidel over the contacts until gaps and slips are what the step asks for.

use super::acceleration::Acceleration;
use super::demand::{Demand, IDLE};
use super::operator::Delassus;
use super::places::Places;
use crate::Interrupt;
use nalgebra::Vector3;

/// Sweeps between two looks at the residual.
const LOOK: u64 = 5;

/// Residual over its tolerance that will do, leaving room for the rounding of what the judge computes anew, and sweeps
/// without halving it after which no more is asked.
const GOOD: f64 = 0.95;
const GOOD_PATIENCE: u64 = 2 * LOOK;

/// Part of the residual that sweeping single places has to leave at most at the start of a solve, else all contacts are
/// swept next.
const PLACES_PAY: f64 = 0.5;

/// Sweeps without halving the residual after which single places are looked after again.
const STALLED: u64 = 10;

/// Memory of [`sweep`]: reused from solve to solve.
#[derive(Default)]
pub(super) struct Workspace {
    best: Vec<Vector3<f64>>,
    /// Of each contact, its residual over its tolerance at the last look.
    merits: Vec<f64>,
    acceleration: Acceleration,
    places: Places,
    /// Ends the sweeps once it is raised.
    pub(super) interrupt: Interrupt,
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
/// One contact is solved exactly under all others, in their order; between sweeps acceleration jumps ahead. What a contact
/// costs is to tell all others of a new force, so a sweep passes over those that are good already, and over those that stand
/// open. Where few contacts are off, as in most rounds of a step but the first, these are swept by themselves ([`Places`]):
/// at the start for as long as that pays, later where sweeping over all stalls.
pub(super) fn sweep(
    delassus: &mut dyn Delassus,
    demand: &Demand<'_>,
    forces: &mut [Vector3<f64>],
    workspace: &mut Workspace,
    enough: f64,
    patience: Patience,
) -> Swept {
    let Workspace {
        best,
        merits,
        acceleration,
        places,
        interrupt,
    } = workspace;
    delassus.load(forces);
    let moved = delassus.moved().len();
    let weights = (0..forces.len()).map(|contact| delassus.own(contact).trace());
    acceleration.start(weights, moved);
    let mut swept = Swept {
        looks: 1,
        merit: demand.look(delassus, forces, merits),
        ..Swept::default()
    };
    let idle = IDLE * enough;
    let mut halved = (swept.merit, 0);
    let (mut places_pay, mut ahead) = (true, false);
    best.clear();
    best.extend_from_slice(forces);
    while (swept.merit > enough || swept.merit.is_nan())
        && swept.sweeps < patience.most
        && !interrupt.is_raised()
    {
        let stalled = swept.sweeps - halved.1 >= STALLED;
        let by_places = (places_pay || stalled) && places.find(demand, merits, enough);
        if by_places {
            places.settle(delassus, demand, forces, enough);
            acceleration.forget();
            ahead = false;
        }
        // Where sweeping over all stalls it goes on after the places.
        if !by_places || stalled {
            let until_look = LOOK.min(patience.most - swept.sweeps);
            for _ in 0..until_look {
                // What a look is taken at is what a sweep left, not what is guessed from it.
                if ahead {
                    acceleration.after(forces, delassus.moved());
                }
                acceleration.before(forces);
                let mut worst = 0.0_f64;
                for contact in 0..forces.len() {
                    worst = worst.max(demand.settle(delassus, contact, forces, idle));
                }
                swept.sweeps += 1;
                ahead = true;
                // What is left may be little enough: only then is a look worth a sweep.
                if worst <= enough {
                    break;
                }
            }
        }
        let mut merit = demand.look(delassus, forces, merits);
        if merit <= enough {
            // Displacements that are kept up to date drift by rounding.
            demand.onto_cones(forces);
            delassus.load(forces);
            merit = demand.look(delassus, forces, merits);
        }
        swept.looks += 1;
        places_pay &= by_places && merit <= PLACES_PAY * swept.merit;
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
    }
    forces.copy_from_slice(best);
    demand.onto_cones(forces);
    swept
}

#[cfg(test)]
mod tests {
    use super::super::built::Built;
    use super::super::scale::Scale;
    use super::*;
    use crate::{Tolerances, delassus::BlockRows};
    use nalgebra::Matrix3;

    /// Contacts of a tower, which carries its own weight.
    const STOREYS: usize = 40;

    /// One more, which the tower's foot pulls shut once it bears half of that: open after the first sweeps.
    const LATE: usize = STOREYS;

    /// And some that stay open.
    const CONTACTS: usize = STOREYS + 21;

    /// The tower, the one that closes late and the open ones: `W` and free displacements.
    fn tower() -> (Built, Vec<Vector3<f64>>) {
        let mut triplets = Vec::new();
        let one = Matrix3::identity();
        for contact in 0..CONTACTS {
            let storey = contact < STOREYS;
            // The foot stands on the ground, so that only one body yields there.
            let yields = if storey && contact > 0 { 2.0 } else { 1.0 };
            triplets.push((contact, contact, one * yields));
            if storey && contact > 0 {
                triplets.push((contact, contact - 1, -one));
                triplets.push((contact - 1, contact, -one));
            }
        }
        let pull = 1e-3;
        triplets.push((LATE, 0, -one * pull));
        triplets.push((0, LATE, -one * pull));
        let mut built = Built::default();
        built.w = BlockRows::from_triplets(CONTACTS, triplets).expect("each place once");
        let open = |contact: usize| match contact {
            0 => -1.0,
            LATE => 0.5 * pull * STOREYS as f64,
            contact if contact < STOREYS => 0.0,
            _ => 1.0,
        };
        let free: Vec<_> = (0..CONTACTS)
            .map(|contact| Vector3::new(open(contact), 0.0, 0.0))
            .collect();
        (built, free)
    }

    fn scales() -> Vec<Scale> {
        let tolerances = Tolerances {
            momentum: 1.0,
            gap: 1e-9,
            slip: 1e-9,
        };
        vec![Scale::new([1.0; 2], &tolerances, f64::INFINITY); CONTACTS]
    }

    fn demand<'a>(
        free: &'a [Vector3<f64>],
        scales: &'a [Scale],
        neighbours: &'a [Vec<u32>],
    ) -> Demand<'a> {
        Demand {
            free,
            friction: &[0.4; CONTACTS],
            scales,
            neighbours,
        }
    }

    /// What stood open at first is not left at that once it has closed.
    #[test]
    fn a_contact_that_closes_late_joins_although_the_others_stall() {
        let (mut built, free) = tower();
        let neighbours = vec![Vec::new(); CONTACTS];
        let scales = scales();
        let demand = demand(&free, &scales, &neighbours);
        let mut forces = vec![Vector3::zeros(); CONTACTS];
        let patience = Patience {
            most: 10_000,
            halving: 50,
        };
        // Nothing is good enough, so every sweeping ends by stalling.
        sweep(
            &mut built,
            &demand,
            &mut forces,
            &mut Workspace::default(),
            1e-30,
            patience,
        );
        built.load(&forces);
        let gap = free[LATE].x + built.displacement(LATE).x;
        assert!(forces[0].x > 0.9 * STOREYS as f64, "{}", forces[0].x);
        assert!(forces[LATE].x > 0.0 && gap.abs() < 1e-9, "{gap:e}");
    }

    /// Displacements that are kept up to date through sweeps and jumps are those of the forces, to rounding.
    #[test]
    fn what_the_forces_move_is_kept_up_to_date() {
        let (mut built, free) = tower();
        let neighbours = vec![Vec::new(); CONTACTS];
        let scales = scales();
        let demand = demand(&free, &scales, &neighbours);
        let mut forces = vec![Vector3::zeros(); CONTACTS];
        let mut acceleration = Acceleration::default();
        acceleration.start((0..CONTACTS).map(|_| 1.0), CONTACTS);
        built.load(&forces);
        for _ in 0..30 {
            acceleration.before(&forces);
            for contact in 0..CONTACTS {
                demand.settle(&mut built, contact, &mut forces, 0.0);
            }
            acceleration.after(&mut forces, built.moved());
        }
        let mut expected = vec![Vector3::zeros(); CONTACTS];
        built.w.multiply_into(&forces, &mut expected);
        let largest = forces.iter().map(Vector3::norm).fold(0.0, f64::max);
        for (kept, expected) in built.moved().iter().zip(&expected) {
            assert!(
                (kept - expected).norm() < 1e-12 * largest,
                "{kept} {expected}"
            );
        }
    }

    /// What is good enough is passed over, unless a little force stands across an open gap: that one goes.
    #[test]
    fn a_force_across_an_open_gap_is_taken_away_however_small_it_is() {
        let (mut built, free) = tower();
        let neighbours = vec![Vec::new(); CONTACTS];
        let scales = scales();
        let demand = demand(&free, &scales, &neighbours);
        let (open, top, little) = (LATE + 1, STOREYS - 1, Vector3::new(1e-12, 0.0, 0.0));
        let mut forces = vec![Vector3::zeros(); CONTACTS];
        forces[open] = little;
        // What the storey below bears closes the gap of the top one by a thousandth of its tolerance.
        forces[top - 1] = little;
        built.load(&forces);
        for contact in [open, top] {
            demand.settle(&mut built, contact, &mut forces, 0.1);
            assert_eq!(forces[contact], Vector3::zeros(), "contact {contact}");
        }
        demand.settle(&mut built, top, &mut forces, 1e-4);
        assert!(forces[top].x > 0.0, "more is asked for");
    }
}
