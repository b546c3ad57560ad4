//! Re-linearisation of contacts at the present positions of their features.

use crate::contacts::step_motion::StepMotion;
use crate::contacts::{
    contact::Contact,
    linearise::{Linearisation, linearise},
};
use crate::model::Model;
use nalgebra::Vector3;

/// Largest number of re-linearisations of one contact in one step.
pub(crate) const MAX_RELINEARISATIONS: u8 = 3;

/// Largest turn of a normal in one re-linearisation: cosine and sine of 15 degrees.
const TURN_COSINE: f64 = 0.965_925_826_289_068_3;
const TURN_SINE: f64 = 0.258_819_045_102_520_76;

/// Moves the linearisation to `target`, or as far towards it as the normal may turn at once.
pub(crate) fn relinearise(
    model: &Model,
    contact: &mut Contact,
    motion: StepMotion<'_>,
    target: [Vector3<f64>; 4],
) {
    let old_normal = contact.frame.normal;
    // A held contact takes the normal of its own features: normals admissible to its neighbours did not keep it
    // separated.
    let surroundings = (!contact.held).then_some(motion.start);
    let linearise_at = |corners: &[Vector3<f64>; 4]| {
        linearise(
            &model.geometry,
            surroundings,
            contact.key,
            corners,
            &old_normal,
        )
        .clamped(contact.key)
    };
    let part_of_the_way = (0..8).find_map(|halvings: i32| {
        let share = 0.5_f64.powi(halvings);
        let mut blend = contact.linearised_at;
        for (x, target) in blend.iter_mut().zip(&target) {
            *x += (target - *x) * share;
        }
        let linearisation = linearise_at(&blend);
        (linearisation.normal.dot(&old_normal) >= TURN_COSINE).then_some((linearisation, blend))
    });
    // The old normal may differ from the one computed at `linearised_at`, so that no part of the way has a normal near
    // it. The normal then turns by the largest angle; an unchanged contact would collide in every round.
    let (linearisation, at) = part_of_the_way.unwrap_or_else(|| {
        let linearisation = linearise_at(&target);
        let normal = turned_towards(&old_normal, &linearisation.normal);
        (
            Linearisation {
                normal,
                ..linearisation
            },
            target,
        )
    });
    let start = contact.gather(motion.start);
    let linearisation = linearisation.facing(contact.key, &start);
    contact.weights = linearisation.weights;
    contact.turn_to(linearisation.normal);
    contact.linearised_at = at;
    contact.distance = contact.frame.normal.dot(&contact.gap_vector(&start));
}

/// `normal` turned by the largest allowed angle towards `other`.
fn turned_towards(normal: &Vector3<f64>, other: &Vector3<f64>) -> Vector3<f64> {
    let across = other - normal * normal.dot(other);
    match across.try_normalize(f64::EPSILON) {
        Some(across) => normal * TURN_COSINE + across * TURN_SINE,
        None => *normal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::two_cubes::TwoCubes;
    use crate::step::refine::crossed_edges::{contact, crossed};

    /// A normal that was admissible to the neighbours may differ by more than one turn from the pair's own normal,
    /// although the linearisation point is that of the impact. It turns by the largest angle each time until it is the
    /// pair's own.
    #[test]
    fn a_contact_that_is_hit_again_turns_to_its_own_normal() {
        let model = TwoCubes::apart().model;
        let start = crossed(0.1);
        let motion = StepMotion {
            start: &start,
            end: &crossed(-0.1),
            time_step: 1e-3,
        };
        let hit = crossed(0.0);
        let mut contact = contact(0, 1, 40.0_f64.to_radians());
        contact.held = true;
        contact.linearised_at = hit;
        let mut angles = Vec::new();
        for _ in 0..4 {
            relinearise(&model, &mut contact, motion, hit);
            angles.push(contact.frame.normal.z.min(1.0).acos().to_degrees());
        }
        for (angle, expected) in angles.iter().zip([25.0, 10.0, 0.0, 0.0]) {
            assert!((angle - expected).abs() < 1e-5, "{angles:?}");
        }
    }
}
