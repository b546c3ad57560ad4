//! Linearisations that are stale move to where the features are now.

use crate::contacts::sweep::Sweep;
use crate::contacts::{
    contact::Contact,
    linearise::{Linearisation, linearise},
};
use crate::model::Model;
use nalgebra::Vector3;

/// Re-linearisations of one contact in one step after which it stays as it is.
pub(crate) const MOST_RELINEARISATIONS: u8 = 3;

/// Largest turn of a normal in one re-linearisation: cosine and sine of 15 degrees.
const TURN_COSINE: f64 = 0.965_925_826_289_068_3;
const TURN_SINE: f64 = 0.258_819_045_102_520_76;

/// Moves the linearisation to `target`, or as far towards it as the normal may turn at once.
pub(crate) fn relinearise(
    model: &Model,
    contact: &mut Contact,
    sweep: Sweep<'_>,
    target: [Vector3<f64>; 4],
) {
    let old_normal = contact.frame.normal;
    // What the neighbours admit did not keep a held contact apart: its own features must.
    let surroundings = (!contact.held).then_some(sweep.start);
    let seen_at = |corners: &[Vector3<f64>; 4]| {
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
        let seen = seen_at(&blend);
        (seen.normal.dot(&old_normal) >= TURN_COSINE).then_some((seen, blend))
    });
    // The old normal need not be what was seen at `linearised_at`: no part of the way may be near it, and a contact
    // that stays as it is would be hit in every round.
    let (seen, at) = part_of_the_way.unwrap_or_else(|| {
        let seen = seen_at(&target);
        let normal = turned_towards(&old_normal, &seen.normal);
        (Linearisation { normal, ..seen }, target)
    });
    let start = contact.gather(sweep.start);
    let seen = seen.facing(contact.key, &start);
    contact.weights = seen.weights;
    contact.turn_to(seen.normal);
    contact.linearised_at = at;
    contact.distance = contact.frame.normal.dot(&contact.gap_vector(&start));
}

/// `normal` turned by the most that is allowed at once towards another that is farther off.
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

    /// A normal that the neighbours asked for may be farther from the pair's own than it may turn at once, although the
    /// contact was seen where it is hit again: it turns as far as it may, every time, until it is the pair's own.
    #[test]
    fn a_contact_that_is_hit_again_turns_to_its_own_normal() {
        let model = TwoCubes::apart().model;
        let start = crossed(0.1);
        let sweep = Sweep {
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
            relinearise(&model, &mut contact, sweep, hit);
            angles.push(contact.frame.normal.z.min(1.0).acos().to_degrees());
        }
        for (angle, expected) in angles.iter().zip([25.0, 10.0, 0.0, 0.0]) {
            assert!((angle - expected).abs() < 1e-5, "{angles:?}");
        }
    }
}
