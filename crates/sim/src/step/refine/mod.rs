//! Stage 5: is the solved motion collision-free? Before the first solve, the same question about the motion that it
//! starts from. What is hit becomes contacts.

pub(crate) mod check_gaps;
#[cfg(test)]
mod crossed_edges;
pub(crate) mod relinearise;

use crate::contacts::conflict::drop_contradicted;
use crate::contacts::duplicate_suppression::Crowd;
use crate::contacts::new_contacts::Added;
use crate::contacts::pass_through::{Entering, passes_through};
use crate::contacts::touch::Touch;
use crate::contacts::{
    contact::{Contact, ContactKey},
    stencil::describe,
};
use crate::step::detect::Detector;
use crate::step::detect::half_space::hit_on_half_space;
use crate::step::refine::relinearise::relinearise;
use crate::{
    contacts::sweep::{Hit, Sweep},
    step::detect::separation::{Apart, POINTS_PER_TASK},
};
use crate::{
    error::StepFailure,
    model::{Model, PointMotion},
    report::StepReport,
};
use impinge_contact::{ContactState, Multipliers};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// What is known of a motion that is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Motion {
    /// It goes on as it was, whatever is in the way.
    Foreseen,
    /// The contacts were solved for.
    Solved,
}

/// Workspace of the stage.
#[derive(Debug, Default)]
pub(crate) struct Refiner {
    apart: Apart,
    pub(crate) hits: Vec<Hit>,
    /// Contacts that this round's hits came down to.
    pub(crate) touched: BTreeSet<ContactKey>,
    added: Added,
    /// Vertices and edges that the motion of this round takes into a body, and which body.
    inside: BTreeSet<(Entering, usize)>,
    crowd: Crowd,
}

impl Refiner {
    /// Tests every candidate on the motion; whether any pair collides.
    pub(crate) fn find_hits(
        &mut self,
        model: &Model,
        detector: &Detector,
        sweep: Sweep<'_>,
    ) -> bool {
        let surface = &model.geometry.surface;
        self.hits.clear();
        self.apart.find_hits(
            surface,
            &detector.candidates,
            detector.version,
            sweep,
            &mut self.hits,
        );
        for half_space in 0..model.geometry.half_spaces.len() as u32 {
            let of_some = |vertices: &[u32]| -> Vec<Hit> {
                let hit = |&vertex: &u32| hit_on_half_space(model, half_space, vertex, sweep);
                vertices.iter().filter_map(hit).collect()
            };
            let hits = surface.vertices().par_chunks(POINTS_PER_TASK).map(of_some);
            self.hits.par_extend(hits.flatten_iter());
        }
        !self.hits.is_empty()
    }

    /// Turns the colliding pairs of a solved motion into contacts; returns the last of them.
    ///
    /// Of the impacts at one place the earliest becomes a contact and the others wait ([`Crowd`]). An impact of a
    /// stored pair means that its linearisation is stale: it is re-linearised and activated.
    ///
    /// # Errors
    /// [`StepFailure::PrescribedCollision`] if no free point takes part in an impact.
    ///
    /// # Panics
    /// If [`find_hits`](Self::find_hits) has found none.
    pub(crate) fn add_hits(
        &mut self,
        model: &Model,
        sweep: Sweep<'_>,
        contacts: &mut Vec<Contact>,
        report: &mut StepReport,
    ) -> Result<ContactKey, StepFailure> {
        self.take_hits(model, sweep, contacts, report, Motion::Solved)?;
        Ok(self.hits[self.hits.len() - 1].key)
    }

    /// Turns the predicted impacts, those of the motion that the solves start from, into contacts: a solve without them
    /// would only find them out, and one that is not needed stays without force. That motion knows no contact force, so
    /// stored contacts stay as they are, and impacts that belong to one of them or conflict with one are left to it.
    pub(crate) fn foresee_hits(
        &mut self,
        model: &Model,
        detector: &Detector,
        sweep: Sweep<'_>,
        contacts: &mut Vec<Contact>,
        report: &mut StepReport,
    ) {
        self.find_hits(model, detector, sweep);
        // Only a solved motion is refused for its impacts.
        let taken = self.take_hits(model, sweep, contacts, report, Motion::Foreseen);
        debug_assert!(taken.is_ok(), "{taken:?}");
    }

    /// Turns `hits` on a motion into contacts.
    fn take_hits(
        &mut self,
        model: &Model,
        sweep: Sweep<'_>,
        contacts: &mut Vec<Contact>,
        report: &mut StepReport,
        motion: Motion,
    ) -> Result<(), StepFailure> {
        let slip_tolerance = |key| {
            model
                .geometry
                .tolerances
                .slip(model.geometry.scale_of(key), sweep.time_step)
        };
        // The earliest of the hits that come down to one touch places it.
        self.hits
            .sort_by(|a, b| a.time.total_cmp(&b.time).then(a.key.cmp(&b.key)));
        self.touched.clear();
        self.inside.clear();
        self.crowd.clear();
        self.added.clear();
        let foreseen = motion == Motion::Foreseen;
        for hit in &self.hits {
            report.ccd_queries += 1;
            report.ccd_work_limits += u32::from(hit.work_limited);
            if passes_through(&mut self.inside, &model.geometry, hit, sweep) {
                continue;
            }
            let mut touch = Touch::new(&model.geometry, hit, sweep);
            let is_stored = |key| place_of(contacts, key).is_ok();
            if foreseen && (is_stored(touch.key) || is_stored(hit.key)) {
                continue;
            }
            if touch.key != hit.key
                && !self.touched.contains(&touch.key)
                && !can_stand_for_others(model, &touch, sweep, contacts, &mut self.added)
            {
                touch = Touch::with_key(&model.geometry, hit.key, hit.time, sweep);
                touch.stands_alone = true;
            }
            if !self.touched.insert(touch.key) {
                continue;
            }
            if let Ok(stored) = place_of(contacts, touch.key) {
                let contact = &mut contacts[stored];
                contact.held = true;
                contact.stands_alone |= touch.stands_alone;
                contact.hits = contact.hits.saturating_add(1);
                relinearise(model, contact, sweep, touch.at_impact);
                report.relinearised += 1;
                if contact.multipliers.state == ContactState::Inactive {
                    let slip = slip(contact, sweep);
                    contact.multipliers =
                        Multipliers::fresh(slip, contact.friction, slip_tolerance(contact.key));
                }
            } else {
                let mut contact = touch.first_contact(&model.geometry, sweep);
                if !self.crowd.admits(&contact)
                    || foreseen && self.added.is_against_stored(&contact, contacts)
                {
                    continue;
                }
                // What rests on few corners rests better without rows that are not needed, and few rounds are to be
                // saved there.
                let free = |&point: &u32| match model.unknowns.motion_of_point[point as usize] {
                    PointMotion::Free(_) => true,
                    PointMotion::Rigid(_) => !foreseen,
                    PointMotion::Prescribed(_) => false,
                };
                if !contact.stencil().iter().any(free) {
                    if foreseen {
                        continue;
                    }
                    return Err(StepFailure::PrescribedCollision {
                        contact: describe(&model.geometry, touch.key),
                    });
                }
                let slip = slip(&contact, sweep);
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

/// Whether a contact of the nearer features can keep a pair apart that came down to them: not if it is stored already
/// and did not, nor if a pair that meets there needs to be pushed the other way. Then the pair needs a row of its own.
fn can_stand_for_others(
    model: &Model,
    touch: &Touch,
    sweep: Sweep<'_>,
    stored: &[Contact],
    added: &mut Added,
) -> bool {
    let known = place_of(stored, touch.key);
    known.is_err() && !added.contradict(&touch.first_contact(&model.geometry, sweep), stored)
}

/// Where a contact is among those of a step, which ascend by key.
fn place_of(contacts: &[Contact], key: ContactKey) -> Result<usize, usize> {
    contacts.binary_search_by_key(&key, |contact| contact.key)
}

/// Displacement along the tangents that the motion leaves, relative to sticking (m).
fn slip(contact: &Contact, sweep: Sweep<'_>) -> [f64; 2] {
    contact
        .frame
        .tangential(&contact.anchor_vector(&contact.gather(sweep.end)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{contacts::conflict::contradicts, contacts::two_cubes::TwoCubes, scene::Scene};
    use impinge_contact::frame::ContactFrame;
    use impinge_geometry::broad_phase::Bvh;
    use nalgebra::Vector3;

    const CUBE: &str = r#"
[time]
step = 1e-3
duration = 1e-3
[[body]]
name = "cube"
mesh = { cuboid = { size = [1, 1, 1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
"#;

    /// What the motion from `start` to `end` hits, and the contacts that come of it.
    fn hits_on_the_way(
        model: &Model,
        start: &[Vector3<f64>],
        end: &[Vector3<f64>],
    ) -> (Refiner, Vec<Contact>) {
        let (mut detector, mut report) =
            (Detector::new(Box::<Bvh>::default()), StepReport::default());
        let still = vec![Vector3::zeros(); start.len()];
        detector.prepare(model, start, &still, 1e-3, &mut report);
        detector.cover(model, start, end, &mut report);
        let (mut refiner, mut contacts) = (Refiner::default(), Vec::new());
        let sweep = Sweep {
            start,
            end,
            time_step: 1e-3,
        };
        assert!(refiner.find_hits(model, &detector, sweep));
        refiner
            .add_hits(model, sweep, &mut contacts, &mut report)
            .expect("free points");
        (refiner, contacts)
    }

    /// What the start of the solves would hit becomes a contact; one that is known already is left to motions that were
    /// solved for.
    #[test]
    fn foreseen_hits_are_met_and_known_contacts_stay() {
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
        detector.prepare(model, start, &still, time_step, &mut report);
        detector.cover(model, start, &end, &mut report);
        let sweep = Sweep {
            start,
            end: &end,
            time_step,
        };
        let (mut refiner, mut contacts) = (Refiner::default(), Vec::new());
        let mut foresee = |contacts: &mut Vec<Contact>| {
            refiner.foresee_hits(model, &detector, sweep, contacts, &mut report);
        };
        foresee(&mut contacts);
        assert!(!contacts.is_empty());
        let found = contacts.clone();
        foresee(&mut contacts);
        assert_eq!(contacts, found);
        // Of two vertices, turned such that what hits there is against it: what hits elsewhere comes back, and this
        // stays.
        let mut against = *(found.iter())
            .find(|contact| matches!(contact.key, ContactKey::VertexEdge { .. }))
            .expect("a vertex above an edge");
        against.frame = ContactFrame::around(-against.frame.normal);
        contacts = vec![against];
        foresee(&mut contacts);
        assert!(contacts.contains(&against));
        assert!(contacts.len() > 1 && contacts.len() <= found.len());
        assert!(contacts.iter().all(|own| !contradicts(&against, own)));
        assert_eq!(report.relinearised, 0);
    }

    /// A corner that the motion takes through a ridge enters one face and leaves the other from within. Only the entry
    /// becomes a contact: rows of both would press the corner into the ridge from two sides.
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
        // Of the lower cube, the side at the largest x ends there; the corner starts above the top and near that side.
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

    /// An edge that is cut through a ridge crosses edges of the side where it enters, and of the one where it leaves.
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
        // It starts above the top, near the side at the largest x, and ends beside that, lower than the top.
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
