//! Do the linearised gaps mean what they say at the end of a motion? Of one with hits, those of the contacts that were
//! not hit.

use crate::contacts::gap::{distance_apart, gap_at};
use crate::contacts::set::ContactSet;
use crate::contacts::sweep::Sweep;
use crate::contacts::{
    contact::{Contact, ContactKey},
    linearise::{linearise, release},
};
use crate::step::refine::Refiner;
use crate::step::refine::relinearise::{MOST_RELINEARISATIONS, relinearise};
use crate::{model::Model, report::StepReport};
use impinge_contact::ContactState;

impl Refiner {
    /// Moves the linearisation of every active contact that was not hit and whose gap is off, as [`check_gaps`] does.
    pub(crate) fn follow_gaps(
        &mut self,
        model: &Model,
        sweep: Sweep<'_>,
        contacts: &mut [Contact],
        report: &mut StepReport,
    ) {
        self.touched.extend(self.hits.iter().map(|hit| hit.key));
        for contact in contacts {
            if contact.multipliers.state == ContactState::Inactive
                || contact.held
                || self.touched.contains(&contact.key)
            {
                continue;
            }
            let clearance = model.geometry.clearance(contact.key);
            let corners = contact.gather(sweep.end);
            if gap_at(&model.geometry, sweep.end, contact, clearance) < clearance {
                continue;
            }
            let normal = &contact.frame.normal;
            let seen = linearise(
                &model.geometry,
                Some(sweep.start),
                contact.key,
                &corners,
                normal,
            );
            if !seen.is_off_feature(&model.geometry, contact.key) {
                relinearise(model, contact, sweep, corners);
                report.relinearised += 1;
            }
        }
    }
}

/// Compares every active contact with the true geometry at the end; true if anything had to change.
///
/// Also drops inactive contacts that have moved away, which needs no further solve. The worst gap outside `(0, ε₂)` is
/// returned with its pair.
pub(crate) fn check_gaps(
    model: &Model,
    sweep: Sweep<'_>,
    contacts: &mut ContactSet,
    report: &mut StepReport,
) -> Option<(ContactKey, f64)> {
    let mut worst: Option<(ContactKey, f64)> = None;
    let (mut smallest, mut largest) = (f64::INFINITY, 0.0_f64);
    contacts.retain(|contact| {
        let corners = contact.gather(sweep.end);
        if contact.multipliers.state == ContactState::Inactive {
            // One that was moved in this step is remembered: found anew, it would be moved as often again, and
            // neighbours that push in turn would never end.
            let moved = contact.held || contact.relinearised > 0;
            return moved
                || distance_apart(contact, &corners) < release(&model.geometry, contact.key);
        }
        let clearance = model.geometry.clearance(contact.key);
        // The continuous test has proven the pair apart, so this distance is the gap, whatever the normal.
        let gap = gap_at(&model.geometry, sweep.end, contact, clearance);
        let close = gap < clearance;
        let mut settled = close || contact.held;
        if !close {
            let surroundings = (!contact.held).then_some(sweep.start);
            let normal = &contact.frame.normal;
            let seen = linearise(&model.geometry, surroundings, contact.key, &corners, normal);
            if seen.is_off_feature(&model.geometry, contact.key) {
                // It slid off during the step, which the continuous test found harmless: it goes at the next start.
                return true;
            }
            let between_meshes = !matches!(contact.key, ContactKey::VertexHalfSpace { .. });
            settled |= between_meshes && seen.changes_nothing(normal, &corners, clearance);
        }
        smallest = smallest.min(gap);
        largest = largest.max(gap);
        if settled {
            report.loose_contacts += u32::from(!close);
            return true;
        }
        if worst.is_none_or(|(_, other)| gap > other) {
            worst = Some((contact.key, gap));
        }
        relinearise(model, contact, sweep, corners);
        contact.relinearised += 1;
        // A linearisation that does not settle is kept, and counted as loose, rather than moved to and fro.
        contact.held = contact.relinearised >= MOST_RELINEARISATIONS;
        report.relinearised += 1;
        true
    });
    if worst.is_none() {
        report.minimum_gap = report.minimum_gap.min(smallest);
        report.maximum_gap = report.maximum_gap.max(largest);
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::two_cubes::TwoCubes;
    use crate::step::refine::crossed_edges::{contact, crossed};

    /// One that was moved in this step and has opened is not forgotten before its end.
    #[test]
    fn a_contact_that_was_moved_stays_until_the_step_ends() {
        let model = TwoCubes::apart().model;
        let (start, end) = (crossed(0.1), crossed(0.5));
        let sweep = Sweep {
            start: &start,
            end: &end,
            time_step: 1e-3,
        };
        let (untouched, mut moved, mut hit) =
            (contact(0, 1, 0.0), contact(1, 2, 0.0), contact(2, 3, 0.0));
        moved.relinearised = 1;
        hit.held = true;
        let mut contacts = ContactSet::default();
        contacts.start_from(&[untouched, moved, hit]);
        let worst = check_gaps(&model, sweep, &mut contacts, &mut StepReport::default());
        assert_eq!(worst, None);
        assert_eq!(contacts.as_slice(), [moved, hit]);
    }
}
