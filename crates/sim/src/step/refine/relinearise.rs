//! Re-linearisation of contacts at the present positions of their features.

use crate::contacts::step_motion::StepMotion;
use crate::contacts::{contact::Contact, linearise::linearise};
use crate::model::Model;
use nalgebra::Vector3;

/// Largest number of re-linearisations of one contact in one step that its gap requires, 2 to 5.
pub(crate) const MAX_RELINEARISATIONS: u8 = 3;

/// Moves the linearisation to that of the positions `target` (m).
pub(crate) fn relinearise(
    model: &Model,
    contact: &mut Contact,
    motion: StepMotion<'_>,
    target: [Vector3<f64>; 4],
) {
    // A held contact takes the normal of its own features: with normals admissible to its neighbours it was hit or
    // ended too far apart.
    let surroundings = (!contact.held).then_some(motion.start);
    let (geometry, normal) = (&model.geometry, &contact.frame.normal);
    let start = contact.gather(motion.start);
    let linearisation = linearise(geometry, surroundings, contact.key, &target, normal)
        .clamped(contact.key)
        .facing(contact.key, &start);
    contact.weights = linearisation.weights;
    contact.turn_to(linearisation.normal);
    contact.distance = contact.frame.normal.dot(&contact.gap_vector(&start));
}
