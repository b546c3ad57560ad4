//! Gauss-Seidel over the contacts until gaps and slips are within the tolerances of the step.

use super::acceleration::Acceleration;
use super::friction_data::{FrictionData, IDLE};
use super::operator::DelassusOperator;
use super::unconverged_contacts::UnconvergedContacts;
use crate::Interrupt;
use crate::sweep::sweep;
use nalgebra::Vector3;

/// Number of sweeps between two evaluations of the residual; one evaluation costs about a sweep.
const CHECK_INTERVAL: u64 = 5;

/// Acceptable residual over its tolerance, with a margin for rounding of the independent residual, and number of sweeps
/// without halving it after which it is accepted.
const GOOD: f64 = 0.95;
const GOOD_STAGNATION: u64 = 2 * CHECK_INTERVAL;

/// Largest ratio of residuals after and before sweeps over a subset, at the start of a solve, for which such sweeps are
/// repeated.
const SUBSET_PAYS: f64 = 0.5;

/// Number of sweeps without halving the residual after which a subset is swept again.
const SUBSET_STAGNATION: u64 = 10;

/// Memory of [`solve_by_sweeps`], reused from solve to solve.
#[derive(Default)]
pub(super) struct Workspace {
    best: Vec<Vector3<f64>>,
    /// Merit of each contact at the last evaluation.
    merits: Vec<f64>,
    acceleration: Acceleration,
    subset: UnconvergedContacts,
    /// Ends the sweeps when raised.
    pub(super) interrupt: Interrupt,
}

/// Outcome of [`solve_by_sweeps`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SweepReport {
    pub(super) sweeps: u64,
    pub(super) checks: u64,
    /// Worst merit of the final forces.
    pub(super) merit: f64,
}

/// Merit at which sweeps end, their largest number, and the number without halving the residual after which they end.
#[derive(Debug, Clone, Copy)]
pub(super) struct SweepLimits {
    pub(super) enough: f64,
    pub(super) most: u64,
    pub(super) halving: u64,
}

/// Sweeps from `forces` until the merit is below that of `limits`; `forces` are then the best found.
///
/// One contact after the other is solved exactly with all others fixed; acceleration extrapolates between sweeps. The
/// cost of a contact is the update of all others after a change of its force, so sweeps skip contacts with a small
/// residual and open ones. If few contacts have a large residual, as in most rounds of a step but the first, these are
/// swept alone ([`UnconvergedContacts`]): at the start while this pays, later when sweeps over all contacts stagnate.
pub(super) fn solve_by_sweeps(
    delassus: &mut dyn DelassusOperator,
    data: &FrictionData<'_>,
    forces: &mut [Vector3<f64>],
    workspace: &mut Workspace,
    limits: SweepLimits,
) -> SweepReport {
    let Workspace {
        best,
        merits,
        acceleration,
        subset,
        interrupt,
    } = workspace;
    let enough = limits.enough;
    delassus.load(forces);
    let moved = delassus.moved().len();
    let weights = (0..forces.len()).map(|contact| delassus.own(contact).trace());
    acceleration.start(weights, moved);
    let mut swept = SweepReport {
        checks: 1,
        merit: data.merits_of(delassus, forces, merits),
        ..SweepReport::default()
    };
    let idle = IDLE * enough;
    let mut halved = (swept.merit, 0);
    let (mut subset_pays, mut ahead) = (true, false);
    best.clear();
    best.extend_from_slice(forces);
    while (swept.merit > enough || swept.merit.is_nan())
        && swept.sweeps < limits.most
        && !interrupt.is_raised()
    {
        let stagnates = swept.sweeps - halved.1 >= SUBSET_STAGNATION;
        let by_subset = (subset_pays || stagnates) && subset.find(data, merits, enough);
        if by_subset {
            subset.solve(delassus, data, forces, enough);
            acceleration.forget();
            ahead = false;
        }
        // After a stagnation of sweeps over all contacts, these continue after those over the subset.
        if !by_subset || stagnates {
            let until_check = CHECK_INTERVAL.min(limits.most - swept.sweeps);
            for _ in 0..until_check {
                // The residual is evaluated after a sweep, not after an extrapolation.
                if ahead {
                    acceleration.after(forces, delassus.moved());
                }
                acceleration.before(forces);
                let contacts = forces.len();
                let worst = sweep(&mut data.swept(delassus, forces, idle), contacts);
                swept.sweeps += 1;
                ahead = true;
                // Evaluate early only if the residual may be small enough.
                if worst <= enough {
                    break;
                }
            }
        }
        let mut merit = data.merits_of(delassus, forces, merits);
        if merit <= enough {
            // Updated displacements drift by rounding.
            data.onto_cones(forces);
            delassus.load(forces);
            merit = data.merits_of(delassus, forces, merits);
        }
        swept.checks += 1;
        subset_pays &= by_subset && merit <= SUBSET_PAYS * swept.merit;
        if merit < swept.merit || swept.merit.is_nan() {
            swept.merit = merit;
            best.copy_from_slice(forces);
        }
        if swept.merit <= 0.5 * halved.0 {
            halved = (swept.merit, swept.sweeps);
        }
        let limits = if swept.merit < GOOD {
            GOOD_STAGNATION
        } else {
            limits.halving
        };
        if swept.sweeps - halved.1 >= limits {
            break;
        }
    }
    forces.copy_from_slice(best);
    data.onto_cones(forces);
    swept
}

#[cfg(test)]
mod tests {
    use super::super::assembled::Assembled;
    use super::super::scale::Scale;
    use super::*;
    use crate::{Tolerances, delassus::BlockRows, sweep::relax};
    use nalgebra::Matrix3;

    /// Number of contacts of a tower that carries its own weight.
    const STOREYS: usize = 40;

    /// A further contact, which closes when the foot of the tower bears half of the weight: open after the first
    /// sweeps.
    const LATE: usize = STOREYS;

    /// All contacts; the others stay open.
    const CONTACTS: usize = STOREYS + 21;

    /// `W` and free displacements of the tower, the contact that closes late, and the open ones.
    fn tower() -> (Assembled, Vec<Vector3<f64>>) {
        let mut triplets = Vec::new();
        let one = Matrix3::identity();
        for contact in 0..CONTACTS {
            let storey = contact < STOREYS;
            // At the foot only one body has a compliance.
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
        let mut built = Assembled::default();
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

    /// Calls `test` with the tower, and with forces that are zero.
    fn with_tower(test: impl FnOnce(&mut Assembled, &FrictionData<'_>, &mut [Vector3<f64>])) {
        let (mut built, free) = tower();
        let tolerances = Tolerances {
            momentum: 1.0,
            gap: 1e-9,
            slip: 1e-9,
        };
        let data = FrictionData {
            free: &free,
            friction: &[0.4; CONTACTS],
            scales: &[Scale::new([1.0; 2], &tolerances, f64::INFINITY); CONTACTS],
            neighbours: &vec![Vec::new(); CONTACTS],
        };
        test(&mut built, &data, &mut vec![Vector3::zeros(); CONTACTS]);
    }

    /// A contact that is open at first is solved after it has closed.
    #[test]
    fn a_contact_that_closes_late_joins_although_the_others_stall() {
        with_tower(|built, data, forces| {
            let limits = SweepLimits {
                enough: 1e-30,
                most: 10_000,
                halving: 50,
            };
            // The tolerance is 0, so every sweep ends by stagnation.
            solve_by_sweeps(built, data, forces, &mut Workspace::default(), limits);
            built.load(forces);
            let gap = data.free[LATE].x + built.displacement(LATE).x;
            assert!(forces[0].x > 0.9 * STOREYS as f64, "{}", forces[0].x);
            assert!(forces[LATE].x > 0.0 && gap.abs() < 1e-9, "{gap:e}");
        });
    }

    /// Updated displacements agree with those of the forces, to rounding, after sweeps and extrapolations.
    #[test]
    fn displacements_follow_the_forces() {
        with_tower(|built, data, forces| {
            let mut acceleration = Acceleration::default();
            acceleration.start((0..CONTACTS).map(|_| 1.0), CONTACTS);
            built.load(forces);
            for _ in 0..30 {
                acceleration.before(forces);
                sweep(&mut data.swept(built, forces, 0.0), CONTACTS);
                acceleration.after(forces, built.moved());
            }
            let mut expected = vec![Vector3::zeros(); CONTACTS];
            built.w.multiply_into(forces, &mut expected);
            let largest = forces.iter().map(Vector3::norm).fold(0.0, f64::max);
            for (cache, expected) in built.moved().iter().zip(&expected) {
                assert!(
                    (cache - expected).norm() < 1e-12 * largest,
                    "{cache} {expected}"
                );
            }
        });
    }

    /// Contacts within tolerance are skipped, except open contacts with a small force, which is removed.
    #[test]
    fn a_force_across_an_open_gap_is_taken_away_however_small_it_is() {
        with_tower(|built, data, forces| {
            let (open, top, little) = (LATE + 1, STOREYS - 1, Vector3::new(1e-12, 0.0, 0.0));
            forces[open] = little;
            // The force of the storey below closes the gap of the top one by a thousandth of its tolerance.
            forces[top - 1] = little;
            built.load(forces);
            for contact in [open, top] {
                relax(&mut data.swept(built, forces, 0.1), contact);
                assert_eq!(forces[contact], Vector3::zeros(), "contact {contact}");
            }
            relax(&mut data.swept(built, forces, 1e-4), top);
            assert!(forces[top].x > 0.0, "more is asked for");
        });
    }
}
