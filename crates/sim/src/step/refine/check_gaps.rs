//! Compares linearised gaps with true gaps at the end of a motion.

use crate::contacts::gap::{distance_apart, gap_at};
use crate::contacts::set::ContactSet;
use crate::contacts::step_motion::StepMotion;
use crate::contacts::{
    contact::{Contact, ContactKey},
    linearise::{linearise, reach},
};
use crate::step::refine::Refiner;
use crate::step::refine::relinearise::{MAX_RELINEARISATIONS, relinearise};
use crate::{model::Model, report::StepReport};
use impinge_contact::ContactState;

impl Refiner {
    /// Moves the linearisation of every active contact that was not hit and whose gap is off. Unlike [`check_gaps`] it
    /// does not count: the motion changes with the contacts that were hit. Without it falling rings take a third more
    /// iterations, and twice as many contacts end loose.
    pub(crate) fn follow_gaps(
        &mut self,
        model: &Model,
        motion: StepMotion<'_>,
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
            let corners = contact.gather(motion.end);
            if gap_at(&model.geometry, motion.end, contact, clearance) < clearance {
                continue;
            }
            let normal = &contact.frame.normal;
            let linearisation = linearise(
                &model.geometry,
                Some(motion.start),
                contact.key,
                &corners,
                normal,
            );
            if !linearisation.is_off_feature(&model.geometry, contact.key) {
                relinearise(model, contact, motion, corners);
                report.relinearised += 1;
            }
        }
    }
}

/// Compares every active contact with the true geometry at the end of the motion and re-linearises it if its gap is
/// outside `(0, ε₂)`. Returns those contacts with their gaps (m).
///
/// Inactive contacts that have separated are dropped, which needs no further solve. Without the others' new rounds
/// iterations are no more, but contacts of balls in a bearing end loose.
pub(crate) fn check_gaps(
    model: &Model,
    motion: StepMotion<'_>,
    contacts: &mut ContactSet,
    report: &mut StepReport,
) -> Vec<(ContactKey, f64)> {
    let mut unsettled = Vec::new();
    let (mut smallest, mut largest) = (f64::INFINITY, 0.0_f64);
    contacts.retain(|contact| {
        let corners = contact.gather(motion.end);
        if contact.multipliers.state == ContactState::Inactive {
            // A contact that was re-linearised in this step is kept. If it were dropped and found again, its count
            // would restart, and contacts that push in turn could cycle.
            let moved = contact.held || contact.relinearised > 0;
            return moved
                || distance_apart(contact, &corners) < reach(&model.geometry, contact.key);
        }
        let clearance = model.geometry.clearance(contact.key);
        // The continuous test has proven the pair separated, so this distance is the gap for any normal.
        let gap = gap_at(&model.geometry, motion.end, contact, clearance);
        let close = gap < clearance;
        let mut accepted = close || contact.held;
        if !close {
            let surroundings = (!contact.held).then_some(motion.start);
            let normal = &contact.frame.normal;
            let linearisation =
                linearise(&model.geometry, surroundings, contact.key, &corners, normal);
            if linearisation.is_off_feature(&model.geometry, contact.key) {
                // It slid off its feature, which the continuous test found harmless: it is dropped at the start of the
                // next step.
                return true;
            }
            let between_meshes = !matches!(contact.key, ContactKey::VertexHalfSpace { .. });
            accepted |=
                between_meshes && linearisation.changes_nothing(normal, &corners, clearance);
        }
        smallest = smallest.min(gap);
        largest = largest.max(gap);
        if accepted {
            report.loose_contacts += u32::from(!close);
            return true;
        }
        unsettled.push((contact.key, gap));
        relinearise(model, contact, motion, corners);
        contact.relinearised += 1;
        // A linearisation that does not converge is kept and counted as loose.
        contact.held = contact.relinearised >= MAX_RELINEARISATIONS;
        report.relinearised += 1;
        true
    });
    if unsettled.is_empty() {
        report.minimum_gap = report.minimum_gap.min(smallest);
        report.maximum_gap = report.maximum_gap.max(largest);
    }
    unsettled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::two_cubes::TwoCubes;
    use crate::step::refine::crossed_edges::{contact, crossed};

    /// A contact that was re-linearised in this step stays until its end, even if it has opened.
    #[test]
    fn a_contact_that_was_moved_stays_until_the_step_ends() {
        let model = TwoCubes::apart().model;
        let (start, end) = (crossed(0.1), crossed(0.5));
        let motion = StepMotion {
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
        let worst = check_gaps(&model, motion, &mut contacts, &mut StepReport::default());
        assert_eq!(worst, []);
        assert_eq!(contacts.as_slice(), [moved, hit]);
    }
}
