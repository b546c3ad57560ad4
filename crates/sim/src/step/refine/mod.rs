//! Stage 5: checks that the solved motion is free of collisions. Before the first solve, it checks the predicted motion
//! in the same way. Every colliding pair becomes a contact.

pub(crate) mod check_gaps;
#[cfg(test)]
mod crossed_edges;
pub(crate) mod relinearise;

use crate::contacts::conflict::drop_contradicted;
use crate::contacts::duplicate_suppression::DuplicateSuppression;
use crate::contacts::new_contacts::NewContacts;
use crate::contacts::pass_through::{Entering, passes_through};
use crate::contacts::touch::Touch;
use crate::contacts::{
    contact::{Contact, ContactKey},
    stencil::{describe, solids_of},
};
use crate::step::detect::Detector;
use crate::step::detect::half_space::find_hits_on_half_spaces;
use crate::step::detect::last_motion::LastMotion;
use crate::step::refine::relinearise::relinearise_at_impact;
use crate::{
    contacts::step_motion::{Hit, StepMotion},
    step::detect::separation::{SeparationBounds, SurfaceCandidates},
};
use crate::{
    error::StepFailure,
    model::{Model, PointMotion},
    report::StepReport,
};
use impinge_contact::{ContactState, Multipliers};
use std::collections::BTreeSet;

/// Kind of the checked motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MotionKind {
    /// Motion with the start velocities, without contact forces.
    Predicted,
    /// Motion of a solve with the present contacts.
    Solved,
}

/// A motion whose impacts become contacts.
#[derive(Debug, Clone, Copy)]
struct CheckedMotion<'a> {
    motion: StepMotion<'a>,
    kind: MotionKind,
}

/// Workspace of the stage.
#[derive(Debug, Default)]
pub(crate) struct Refiner {
    last: LastMotion,
    separation: SeparationBounds,
    /// Colliding pairs of the motion that was tested last, in any order.
    pub(crate) hits: Vec<Hit>,
    /// Contacts of the colliding pairs of this round.
    pub(crate) touched: BTreeSet<ContactKey>,
    added: NewContacts,
    /// Vertices and edges that enter a body in the motion of this round, with that body.
    inside: BTreeSet<(Entering, usize)>,
    suppression: DuplicateSuppression,
}

impl Refiner {
    /// Finds the colliding pairs of the motion among the candidates, which must cover it; returns whether there are
    /// any.
    ///
    /// Pairs of bodies that move as in the last call are not tested again: their hits are kept.
    pub(crate) fn find_hits(
        &mut self,
        model: &Model,
        detector: &Detector,
        motion: StepMotion<'_>,
    ) -> bool {
        let geometry = &model.geometry;
        self.last.compare(&geometry.surface, motion);
        let (last, hits) = (&self.last, &mut self.hits);
        hits.retain(|hit| {
            let solids = solids_of(geometry, hit.key);
            !last.differs_any(solids.map(|solid| solid as u32))
        });
        let candidates = SurfaceCandidates {
            surface: &geometry.surface,
            pairs: &detector.candidates,
            version: detector.version,
        };
        (self.separation).find_hits(candidates, motion, last, hits);
        find_hits_on_half_spaces(geometry, motion, last, hits);
        !self.hits.is_empty()
    }

    /// Turns the colliding pairs of a solved motion into contacts; returns the last of them.
    ///
    /// Of neighbouring impacts only the earliest becomes a contact in this round ([`DuplicateSuppression`]). An impact
    /// of a known contact means that its linearisation is stale: it is re-linearised and activated.
    ///
    /// # Errors
    /// [`StepFailure::PrescribedCollision`] if no free point takes part in an impact.
    ///
    /// # Panics
    /// If [`find_hits`](Self::find_hits) has found none.
    pub(crate) fn add_hits(
        &mut self,
        model: &Model,
        motion: StepMotion<'_>,
        contacts: &mut Vec<Contact>,
        report: &mut StepReport,
    ) -> Result<ContactKey, StepFailure> {
        let checked = CheckedMotion {
            motion,
            kind: MotionKind::Solved,
        };
        self.take_hits(model, checked, contacts, report)?;
        Ok(self.hits[self.hits.len() - 1].key)
    }

    /// Turns the colliding pairs of the motion with the start velocities into contacts. Otherwise the first solve would
    /// only find them; a contact that is not needed gets no force. The predicted motion knows no contact forces, so
    /// known contacts are unchanged, and impacts that belong to or conflict with one of them are skipped.
    pub(crate) fn add_predicted_hits(
        &mut self,
        model: &Model,
        motion: StepMotion<'_>,
        contacts: &mut Vec<Contact>,
        report: &mut StepReport,
    ) {
        let checked = CheckedMotion {
            motion,
            kind: MotionKind::Predicted,
        };
        // Only solved motions can fail.
        let taken = self.take_hits(model, checked, contacts, report);
        debug_assert!(taken.is_ok(), "{taken:?}");
    }

    /// Turns the impacts of a motion into contacts.
    fn take_hits(
        &mut self,
        model: &Model,
        checked: CheckedMotion<'_>,
        contacts: &mut Vec<Contact>,
        report: &mut StepReport,
    ) -> Result<(), StepFailure> {
        let CheckedMotion { motion, kind } = checked;
        let slip_tolerance = |key| {
            model
                .geometry
                .tolerances
                .slip(model.geometry.scale_of(key), motion.time_step)
        };
        // The earliest impact of a contact determines its place.
        self.hits
            .sort_by(|a, b| a.time.total_cmp(&b.time).then(a.key.cmp(&b.key)));
        self.touched.clear();
        self.inside.clear();
        self.suppression.clear();
        self.added.clear();
        let predicted = kind == MotionKind::Predicted;
        for hit in &self.hits {
            report.ccd_queries += 1;
            report.ccd_work_limits += u32::from(hit.work_limited);
            if passes_through(&mut self.inside, &model.geometry, hit, motion) {
                continue;
            }
            let mut touch = Touch::new(&model.geometry, hit, motion);
            let is_stored = |key| place_of(contacts, key).is_ok();
            if predicted && (is_stored(touch.key) || is_stored(hit.key)) {
                continue;
            }
            if touch.key != hit.key
                && !self.touched.contains(&touch.key)
                && !can_stand_for_others(model, &touch, motion, contacts, &mut self.added)
            {
                touch = Touch::with_key(&model.geometry, hit.key, hit.time, motion);
                touch.stands_alone = true;
            }
            if !self.touched.insert(touch.key) {
                continue;
            }
            if let Ok(stored) = place_of(contacts, touch.key) {
                let contact = &mut contacts[stored];
                contact.hits = contact.hits.saturating_add(1);
                contact.stands_alone |= touch.stands_alone;
                relinearise_at_impact(model, contact, motion, &touch.at_impact);
                report.relinearised += 1;
                if contact.multipliers.state == ContactState::Inactive {
                    let slip = slip(contact, motion);
                    contact.multipliers =
                        Multipliers::fresh(slip, contact.friction, slip_tolerance(contact.key));
                }
            } else {
                let mut contact = touch.first_contact(&model.geometry, motion);
                if !self.suppression.admits(&contact)
                    || predicted && self.added.is_against_stored(&contact, contacts)
                {
                    continue;
                }
                // No predicted contacts for rigid bodies: a body on few corners rests better without rows that it does
                // not need, and its steps have few rounds.
                let free = |&point: &u32| match model.unknowns.motion_of_point[point as usize] {
                    PointMotion::Free(_) => true,
                    PointMotion::Rigid(_) => !predicted,
                    PointMotion::Prescribed(_) => false,
                };
                if !contact.stencil().iter().any(free) {
                    if predicted {
                        continue;
                    }
                    return Err(StepFailure::PrescribedCollision {
                        contact: describe(&model.geometry, touch.key),
                    });
                }
                let slip = slip(&contact, motion);
                contact.multipliers =
                    Multipliers::fresh(slip, contact.friction, slip_tolerance(contact.key));
                self.added.push(&contact, contacts.len());
                report.contacts_added += 1;
            }
        }
        if self.added.join(contacts) {
            drop_contradicted(contacts);
        }
        Ok(())
    }
}

/// Whether one contact of the nearest features can replace the contact of the colliding pair. It cannot if it exists
/// already, because it did not prevent the collision, or if it conflicts with another new contact there.
fn can_stand_for_others(
    model: &Model,
    touch: &Touch,
    motion: StepMotion<'_>,
    stored: &[Contact],
    added: &mut NewContacts,
) -> bool {
    let known = place_of(stored, touch.key);
    known.is_err() && !added.conflicts_with(&touch.first_contact(&model.geometry, motion), stored)
}

/// Index of a contact in the set of a step, which is sorted by key.
fn place_of(contacts: &[Contact], key: ContactKey) -> Result<usize, usize> {
    contacts.binary_search_by_key(&key, |contact| contact.key)
}

/// Tangential displacement of the motion relative to sticking (m).
fn slip(contact: &Contact, motion: StepMotion<'_>) -> [f64; 2] {
    contact
        .frame
        .tangential(&contact.anchor_vector(&contact.gather(motion.end)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::{conflict::conflicts, cube::CUBE, two_cubes::TwoCubes};
    use crate::scene::Scene;
    use crate::step::detect::UniformMotion;
    use impinge_contact::frame::ContactFrame;
    use impinge_geometry::broad_phase::Bvh;
    use nalgebra::Vector3;

    /// Impacts of the motion from `start` to `end`, and their contacts.
    fn hits_on_the_way(
        model: &Model,
        start: &[Vector3<f64>],
        end: &[Vector3<f64>],
    ) -> (Refiner, Vec<Contact>) {
        let (mut detector, mut report) =
            (Detector::new(Box::<Bvh>::default()), StepReport::default());
        let still = vec![Vector3::zeros(); start.len()];
        detector.prepare(
            model,
            UniformMotion {
                start,
                velocity: &still,
                time_step: 1e-3,
            },
            &mut report,
        );
        let (mut refiner, mut contacts) = (Refiner::default(), Vec::new());
        let motion = StepMotion {
            start,
            end,
            time_step: 1e-3,
        };
        detector.cover(model, motion, &mut report);
        assert!(refiner.find_hits(model, &detector, motion));
        refiner
            .add_hits(model, motion, &mut contacts, &mut report)
            .expect("free points");
        (refiner, contacts)
    }

    /// A refiner that has tested other motions finds the same hits as a new one.
    #[test]
    fn hits_do_not_depend_on_the_motions_before() {
        let third = r#"
[[body]]
name = "third"
position = [3.0, 0.0, 0.0]
mesh = { cuboid = { size = [1, 1, 1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
[[body]]
name = "fourth"
position = [3.0, 0.0, 1.05]
mesh = { cuboid = { size = [1, 1, 1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
[[obstacle]]
name = "below"
shape = { half_space = { point = [0, 0, -1], normal = [0, 0, 1] } }
[[obstacle]]
name = "aside"
shape = { half_space = { point = [4, 0, 0], normal = [-1, 0, 0] } }
"#;
        let scene = Scene::parse("cubes.toml", &format!("{CUBE}{third}"), &[""; 0]);
        let (model, state) = Model::new(&scene.expect("a scene")).expect("a model");
        let mut detector = Detector::new(Box::<Bvh>::default());
        let mut report = StepReport::default();
        let mut seasoned = Refiner::default();
        // Displacements of the three bodies in each motion (m).
        let motions = [
            [[0.0, 0.0, -0.9], [0.0, 0.0, 0.0], [0.0, 0.0, -0.2]],
            [[0.0, 0.0, -0.9], [0.0, 0.0, 0.0], [0.0, 0.0, -0.1]],
            [[0.0, 0.0, -0.9], [0.6, 0.0, 0.0], [0.0, 0.0, -0.1]],
            [[0.0, 0.0, -0.1], [0.6, 0.0, 0.0], [0.0, 0.0, -0.1]],
            [[0.0, 0.0, -0.1], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
            [[0.0, 0.0, -0.1], [0.0, 0.0, 0.0], [0.0, 0.0, -0.1]],
        ];
        let mut counts = Vec::new();
        for displacements in motions {
            let mut end = state.positions.clone();
            for (body, u) in model.geometry.bodies.iter().zip(displacements) {
                for point in body.points.clone() {
                    end[point] += Vector3::from(u);
                }
            }
            let motion = StepMotion {
                start: &state.positions,
                end: &end,
                time_step: 1e-3,
            };
            if counts.is_empty() {
                let velocity = vec![Vector3::zeros(); end.len()];
                let uniform = UniformMotion {
                    start: motion.start,
                    velocity: &velocity,
                    time_step: 1e-3,
                };
                detector.prepare(&model, uniform, &mut report);
            }
            detector.cover(&model, motion, &mut report);
            let sorted = |refiner: &mut Refiner| {
                refiner.find_hits(&model, &detector, motion);
                let mut hits: Vec<_> =
                    (refiner.hits.iter().map(|hit| (hit.key, hit.time))).collect();
                hits.sort_by_key(|(key, _)| *key);
                hits
            };
            let found = sorted(&mut seasoned);
            assert_eq!(found, sorted(&mut Refiner::default()));
            counts.push(found.len());
        }
        let any: Vec<bool> = counts.iter().map(|&count| count > 0).collect();
        assert_eq!(any, [true, true, true, true, false, true], "{counts:?}");
    }

    /// Predicted impacts become contacts; known contacts are changed by solved motions only.
    #[test]
    fn predicted_impacts_are_met_and_known_contacts_stay() {
        let cubes = TwoCubes::apart();
        let (model, start, time_step) = (
            &cubes.model,
            &cubes.positions,
            cubes.model.settings.time_step,
        );
        let fall = Vector3::z() * -0.1;
        let mut end = start.clone();
        for point in model.geometry.bodies[1].points.clone() {
            end[point] += fall;
        }
        let (mut detector, mut report) =
            (Detector::new(Box::<Bvh>::default()), StepReport::default());
        let still = vec![Vector3::zeros(); start.len()];
        detector.prepare(
            model,
            UniformMotion {
                start,
                velocity: &still,
                time_step,
            },
            &mut report,
        );
        let motion = StepMotion {
            start,
            end: &end,
            time_step,
        };
        detector.cover(model, motion, &mut report);
        let (mut refiner, mut contacts) = (Refiner::default(), Vec::new());
        let mut predict = |contacts: &mut Vec<Contact>| {
            refiner.find_hits(model, &detector, motion);
            refiner.add_predicted_hits(model, motion, contacts, &mut report);
        };
        predict(&mut contacts);
        assert!(!contacts.is_empty());
        let found = contacts.clone();
        predict(&mut contacts);
        assert_eq!(contacts, found);
        // Contacts of two vertices with reversed normals conflict with the impacts there: impacts elsewhere return,
        // these contacts stay.
        let mut against = *(found.iter())
            .find(|contact| matches!(contact.key, ContactKey::VertexEdge { .. }))
            .expect("a vertex above an edge");
        against.frame = ContactFrame::around(-against.frame.normal);
        contacts = vec![against];
        predict(&mut contacts);
        assert!(contacts.contains(&against));
        assert!(contacts.len() > 1 && contacts.len() <= found.len());
        assert!(contacts.iter().all(|own| !conflicts(&against, own)));
        assert_eq!(report.relinearised, 0);
    }

    /// A corner that moves through a ridge enters one face and leaves the other from within. Only the entry becomes a
    /// contact: rows of both would press the corner into the ridge from two sides.
    #[test]
    fn a_corner_that_is_cut_through_a_ridge_is_met_where_it_enters() {
        let second = r#"
[[body]]
name = "tilted"
position = [0.0, 0.0, 2.0]
rotation = { axis = [1, -1, 0], degrees = 54.735610317245346 }
mesh = { cuboid = { size = [1, 1, 1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
"#;
        let scene = Scene::parse("cubes.toml", &format!("{CUBE}{second}"), &[""; 0]);
        let (model, state) = Model::new(&scene.expect("a scene")).expect("a model");
        let tilted = model.geometry.bodies[1].points.clone();
        let height = |point: usize| state.positions[point].z;
        let lowest = tilted
            .clone()
            .min_by(|&p, &q| height(p).total_cmp(&height(q)))
            .expect("points");
        // The side of the lower cube at the largest x ends there. The corner starts above the top and near that side.
        let side = state.positions[..tilted.start]
            .iter()
            .fold(state.positions[0], |most, x| most.sup(x));
        let corner = side + Vector3::new(-0.01, -0.4, 0.005);
        let shift = corner - state.positions[lowest];
        let mut start = state.positions.clone();
        start[tilted.clone()].iter_mut().for_each(|x| *x += shift);
        let mut end = start.clone();
        end[tilted]
            .iter_mut()
            .for_each(|x| *x += Vector3::new(0.02, 0.0, -0.02));

        let (refiner, contacts) = hits_on_the_way(&model, &start, &end);
        let faces_hit = refiner
            .hits
            .iter()
            .filter(|hit| matches!(hit.key, ContactKey::VertexFace { vertex, .. } if vertex as usize == lowest))
            .count();
        assert_eq!(faces_hit, 2, "in by the top, out by the side");
        let of_corner: Vec<_> = contacts
            .iter()
            .filter(|contact| contact.points[0] as usize == lowest)
            .filter(|contact| matches!(contact.key, ContactKey::VertexFace { .. }))
            .collect();
        assert_eq!(of_corner.len(), 1);
        assert!(of_corner[0].frame.normal.z > 0.999);
    }

    /// An edge that moves through a ridge crosses edges of the side where it enters and of the side where it leaves.
    /// Only the first become contacts.
    #[test]
    fn an_edge_that_is_cut_through_a_ridge_is_met_where_it_enters() {
        let beam = r#"
[[body]]
name = "beam"
position = [0.0, 0.0, 2.0]
rotation = { axis = [0, 1, 0], degrees = 45 }
mesh = { cuboid = { size = [1, 3, 1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
"#;
        let scene = Scene::parse("beam.toml", &format!("{CUBE}{beam}"), &[""; 0]);
        let (model, state) = Model::new(&scene.expect("a scene")).expect("a model");
        let mut start = state.positions;
        let beam = model.geometry.bodies[1].points.clone();
        let lowest = beam
            .clone()
            .map(|p| start[p].z)
            .fold(f64::INFINITY, f64::min);
        let is_low = |x: &Vector3<f64>| x.z < lowest + 1e-9;
        let edge = (model.geometry.surface.edges().iter())
            .position(|ends| {
                ends.iter()
                    .all(|&p| beam.contains(&(p as usize)) && is_low(&start[p as usize]))
            })
            .expect("a lowest edge") as u32;
        // The edge starts above the top, near the side at the largest x, and ends beside that side, lower than the top.
        start[beam.clone()]
            .iter_mut()
            .for_each(|x| *x += Vector3::new(0.48, 0.0, 0.51 - lowest));
        let mut end = start.clone();
        end[beam]
            .iter_mut()
            .for_each(|x| *x += Vector3::new(0.04, 0.0, -0.04));

        let (refiner, contacts) = hits_on_the_way(&model, &start, &end);
        let upright = |other: u32| {
            let [p, q] = model.geometry.surface.edges()[other as usize].map(|p| start[p as usize]);
            (p - q).xy().norm() < 1e-9
        };
        let crossed = |key: ContactKey| match key {
            ContactKey::EdgeEdge { first, second } if first == edge => Some(second),
            ContactKey::EdgeEdge { first, second } if second == edge => Some(first),
            _ => None,
        };
        let left_by = |key| crossed(key).is_some_and(upright);
        assert_eq!(
            refiner.hits.iter().filter(|hit| left_by(hit.key)).count(),
            2
        );
        let entered: Vec<_> = contacts
            .iter()
            .filter(|contact| crossed(contact.key).is_some())
            .collect();
        let top = (start.iter().take(model.geometry.bodies[0].points.end))
            .map(|x| x.z)
            .fold(f64::NEG_INFINITY, f64::max);
        let on_top = |other: u32| {
            let ends = model.geometry.surface.edges()[other as usize];
            ends.iter().all(|&p| start[p as usize].z > top - 1e-9)
        };
        let met = (refiner.hits.iter()).filter(|hit| crossed(hit.key).is_some_and(on_top));
        assert_eq!(met.count(), 3, "two edges of the top, and its diagonal");
        assert_eq!(
            entered.len(),
            2,
            "the diagonal is met at a corner of an edge, and waits"
        );
        for contact in entered {
            assert!(!left_by(contact.key));
            assert!(contact.frame.normal.z.abs() > 0.999);
        }
    }
}
