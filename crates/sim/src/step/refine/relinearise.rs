//! Re-linearisation of contacts at the present positions of their features.

use crate::contacts::step_motion::StepMotion;
use crate::contacts::{
    contact::Contact,
    linearise::{Linearisation, linearise},
};
use crate::model::Model;
use nalgebra::Vector3;

/// Largest number of re-linearisations of one contact in one step that its gap requires, 2 to 5. As many repeated
/// impacts move its linearisation only.
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
    let linearisation =
        linearise(geometry, surroundings, contact.key, &target, normal).clamped(contact.key);
    adopt(contact, linearisation.facing(contact.key, &start), &start);
}

/// Moves the linearisation to that of an impact, where the positions of the features are `touching` (m).
///
/// The contact is held, with the normal of its own features, because the pair collided along the other one.
pub(crate) fn relinearise_at_impact(
    model: &Model,
    contact: &mut Contact,
    motion: StepMotion<'_>,
    touching: &[Vector3<f64>; 4],
) {
    contact.held = true;
    let normal = &contact.frame.normal;
    let start = contact.gather(motion.start);
    let linearisation =
        linearise(&model.geometry, None, contact.key, touching, normal).clamped(contact.key);
    let clearance = model.geometry.clearance(contact.key);
    adopt(
        contact,
        linearisation.approached_from(contact.key, &start, clearance),
        &start,
    );
}

/// Gives the contact the weights and the normal, and its distance with them at the `start` (m) of the step.
fn adopt(contact: &mut Contact, linearisation: Linearisation, start: &[Vector3<f64>; 4]) {
    contact.weights = linearisation.weights;
    contact.turn_to(linearisation.normal);
    contact.distance = contact.frame.normal.dot(&contact.gap_vector(start));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::two_cubes::TwoCubes;
    use crate::step::refine::crossed_edges::{contact, crossed};

    /// A row along the wrong side would pull the edges through each other, and they would collide again in every round.
    /// The first edge comes from far beside the second one, so the direction between them tells nothing.
    #[test]
    fn an_impact_turns_a_normal_of_the_wrong_side() {
        let model = TwoCubes::apart().model;
        for height in [0.1, -0.1] {
            let beside = |height, shift| {
                let mut corners = crossed(height);
                (corners[..2].iter_mut()).for_each(|x| *x += Vector3::y() * shift);
                corners
            };
            let (start, end) = (beside(height, -3.0), beside(-height, 3.0));
            let motion = StepMotion {
                start: &start,
                end: &end,
                time_step: 1e-3,
            };
            for tilt in [0.3, -0.3, std::f64::consts::PI + 0.3] {
                let mut contact = contact(0, 1, tilt);
                relinearise_at_impact(&model, &mut contact, motion, &crossed(0.0));
                let side = Vector3::z() * height.signum();
                let turned = contact.frame.normal;
                assert!((turned - side).norm() < 1e-12, "{height} {tilt}");
                assert!((contact.distance - height.abs()).abs() < 1e-12);
                assert!(contact.held);
                // A gap below the clearance tells no side.
                let near = beside(-1e-9 * height.signum(), -3.0);
                let known = contact.frame.normal;
                let motion = StepMotion {
                    start: &near,
                    ..motion
                };
                relinearise_at_impact(&model, &mut contact, motion, &beside(0.0, 0.1));
                assert_eq!(contact.frame.normal, known);
            }
        }
    }
}
