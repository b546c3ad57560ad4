//! Stage 5: is the solved motion collision-free, and do the linearised gaps mean what they say? Before the first solve, the same hits on the
//! motion that it starts from.

use super::{
    added::Added,
    apart::{Apart, Hit, POINTS_PER_TASK, Sweep},
    contact::{Contact, ContactKey},
    contradiction::drop_contradicted,
    crowd::Crowd,
    detect::Detector,
    features::features_for,
    formulate::{friction_of, solids_of},
    gap::{distance_apart, gap_at},
    linearise::{Linearisation, closest_direction, linearise, release},
    passing::{Entering, passes_through},
};
use crate::{
    error::StepFailure,
    model::{Model, PointMotion},
    report::StepReport,
};
use impinge_contact::{ContactState, Multipliers, frame::ContactFrame};
use nalgebra::Vector3;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Largest turn of a normal in one re-linearisation: cosine and sine of 15 degrees.
const TURN_COSINE: f64 = 0.965_925_826_289_068_3;
const TURN_SINE: f64 = 0.258_819_045_102_520_76;

/// Re-linearisations of one contact in one step after which it stays as it is.
pub(crate) const MOST_RELINEARISATIONS: u8 = 3;

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
    hits: Vec<Hit>,
    /// Contacts that this round's hits came down to.
    touched: BTreeSet<ContactKey>,
    added: Added,
    /// Vertices and edges that the motion of this round takes into a body, and which body.
    inside: BTreeSet<(Entering, usize)>,
    crowd: Crowd,
}

impl Refiner {
    /// Tests every candidate on the motion and turns hits into contacts; returns a description of the last one found.
    ///
    /// Of the hits at one place the earliest becomes a contact and the others wait ([`Crowd`]). A hit on a stored pair means that its linearisation is stale: it is re-linearised and activated.
    ///
    /// # Errors
    /// [`StepFailure::PrescribedCollision`] if no free point takes part in a hit.
    pub(crate) fn add_hits(
        &mut self,
        model: &Model,
        detector: &Detector,
        sweep: Sweep<'_>,
        time_step: f64,
        contacts: &mut Vec<Contact>,
        report: &mut StepReport,
    ) -> Result<Option<ContactKey>, StepFailure> {
        self.find_hits(model, detector, sweep);
        self.take_hits(model, sweep, time_step, contacts, report, Motion::Solved)?;
        Ok(self.hits.last().map(|hit| hit.key))
    }

    /// Turns what a motion that nothing was solved for yet would hit into contacts: a solve without them would only find them out, and
    /// one that is not needed stays without force. That motion knows nothing of what pushes, so stored contacts stay as they are, and
    /// what comes down to one of them, or is against one, is left to it.
    pub(crate) fn foresee_hits(
        &mut self,
        model: &Model,
        detector: &Detector,
        sweep: Sweep<'_>,
        time_step: f64,
        contacts: &mut Vec<Contact>,
        report: &mut StepReport,
    ) {
        self.find_hits(model, detector, sweep);
        // Only a solved motion is refused for what it hits.
        let taken = self.take_hits(model, sweep, time_step, contacts, report, Motion::Foreseen);
        debug_assert!(taken.is_ok(), "{taken:?}");
    }

    /// Turns `hits` on a motion into contacts.
    fn take_hits(
        &mut self,
        model: &Model,
        sweep: Sweep<'_>,
        time_step: f64,
        contacts: &mut Vec<Contact>,
        report: &mut StepReport,
        motion: Motion,
    ) -> Result<(), StepFailure> {
        let slip_tolerance = model.tolerances.solver(time_step).slip;
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
            if passes_through(&mut self.inside, model, hit, sweep) {
                continue;
            }
            let mut touch = Touch::new(model, hit, sweep);
            let is_stored = |key| place_of(contacts, key).is_ok();
            if foreseen && (is_stored(touch.key) || is_stored(hit.key)) {
                continue;
            }
            if touch.key != hit.key
                && !self.touched.contains(&touch.key)
                && !can_stand_for_others(model, &touch, sweep, contacts, &mut self.added)
            {
                touch = Touch::with_key(model, hit.key, hit.time, sweep);
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
                        Multipliers::fresh(slip, contact.friction, slip_tolerance);
                }
            } else {
                let mut contact = first_contact(model, &touch, sweep);
                if !self.crowd.admits(&contact)
                    || foreseen && self.added.is_against_stored(&contact, contacts)
                {
                    continue;
                }
                // What rests on few corners rests better without rows that are not needed, and few rounds are to be saved there.
                let free = |&point: &u32| match model.motion_of_point[point as usize] {
                    PointMotion::Free(_) => true,
                    PointMotion::Rigid(_) => !foreseen,
                    PointMotion::Prescribed(_) => false,
                };
                if !contact.stencil().iter().any(free) {
                    if foreseen {
                        continue;
                    }
                    return Err(StepFailure::PrescribedCollision {
                        contact: describe(model, touch.key),
                    });
                }
                let slip = slip(&contact, sweep);
                contact.multipliers = Multipliers::fresh(slip, contact.friction, slip_tolerance);
                self.added.push(&contact, contacts.len());
                report.contacts_added += 1;
            }
        }
        if self.added.join(contacts) {
            drop_contradicted(contacts);
        }
        Ok(())
    }

    /// Moves the linearisation of every active contact that was not hit and whose gap is off, as [`check_gaps`] does.
    pub(crate) fn follow_gaps(
        &mut self,
        model: &Model,
        sweep: Sweep<'_>,
        contacts: &mut [Contact],
        report: &mut StepReport,
    ) {
        let clearance = model.tolerances.clearance();
        self.touched.extend(self.hits.iter().map(|hit| hit.key));
        for contact in contacts {
            if contact.multipliers.state == ContactState::Inactive
                || contact.held
                || self.touched.contains(&contact.key)
            {
                continue;
            }
            let corners = contact.gather(sweep.end);
            if gap_at(model, sweep.end, contact, clearance) < clearance {
                continue;
            }
            let normal = &contact.frame.normal;
            let seen = linearise(model, Some(sweep.start), contact.key, &corners, normal);
            if !seen.is_off_feature(model, contact.key) {
                relinearise(model, contact, sweep, corners);
                report.relinearised += 1;
            }
        }
    }

    /// Fills `hits`, ascending by key.
    fn find_hits(&mut self, model: &Model, detector: &Detector, sweep: Sweep<'_>) {
        let surface = &model.surface;
        self.hits.clear();
        self.apart.find_hits(
            surface,
            &detector.candidates,
            detector.version,
            sweep,
            &mut self.hits,
        );
        for half_space in 0..model.half_spaces.len() as u32 {
            let of_some = |vertices: &[u32]| -> Vec<Hit> {
                let hit = |&vertex: &u32| hit_on_half_space(model, half_space, vertex, sweep);
                vertices.iter().filter_map(hit).collect()
            };
            let hits = surface.vertices().par_chunks(POINTS_PER_TASK).map(of_some);
            self.hits.par_extend(hits.flatten_iter());
        }
    }
}

/// Where a vertex meets a half-space, if it does.
fn hit_on_half_space(model: &Model, index: u32, vertex: u32, sweep: Sweep<'_>) -> Option<Hit> {
    if model.surface.is_passive_point(vertex) {
        return None;
    }
    let half_space = &model.half_spaces[index as usize];
    let height = |x: &Vector3<f64>| half_space.normal.dot(&(x - half_space.point));
    let (start, end) = (&sweep.start[vertex as usize], &sweep.end[vertex as usize]);
    let last = height(end);
    // A straight motion crosses a plane if and only if an end is beyond it; the bound is what the three products and the
    // difference can be wrong by.
    let rounding = 8.0 * f64::EPSILON * (end.amax() + half_space.point.amax());
    // What is not a number is a hit.
    if last > rounding {
        return None;
    }
    let first = height(start);
    let key = ContactKey::VertexHalfSpace {
        vertex,
        half_space: index,
    };
    Some(Hit {
        key,
        time: (first / (first - last)).clamp(0.0, 1.0),
        work_limited: false,
    })
}

/// Compares every active contact with the true geometry at the end; true if anything had to change.
///
/// Also drops inactive contacts that have moved away, which needs no further solve. The worst gap outside `(0, ε₂)` is returned with
/// its pair.
pub(crate) fn check_gaps(
    model: &Model,
    sweep: Sweep<'_>,
    contacts: &mut Vec<Contact>,
    report: &mut StepReport,
) -> Option<(ContactKey, f64)> {
    let clearance = model.tolerances.clearance();
    let mut worst: Option<(ContactKey, f64)> = None;
    let (mut smallest, mut largest) = (f64::INFINITY, 0.0_f64);
    contacts.retain_mut(|contact| {
        let corners = contact.gather(sweep.end);
        if contact.multipliers.state == ContactState::Inactive {
            // One that was moved in this step is remembered: found anew, it would be moved as often again, and neighbours
            // that push in turn would never end.
            let moved = contact.held || contact.relinearised > 0;
            return moved || distance_apart(contact, &corners) < release(model);
        }
        // The continuous test has proven the pair apart, so this distance is the gap, whatever the normal.
        let gap = gap_at(model, sweep.end, contact, clearance);
        let close = gap < clearance;
        let mut settled = close || contact.held;
        if !close {
            let surroundings = (!contact.held).then_some(sweep.start);
            let normal = &contact.frame.normal;
            let seen = linearise(model, surroundings, contact.key, &corners, normal);
            if seen.is_off_feature(model, contact.key) {
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

/// A hit, traced to the features that touch.
struct Touch {
    key: ContactKey,
    points: [u32; 4],
    point_count: u8,
    /// Stencil positions at the time of impact (m).
    at_impact: [Vector3<f64>; 4],
    /// Whether a contact of the nearer features does not keep this pair apart, or could not.
    stands_alone: bool,
}

impl Touch {
    fn new(model: &Model, hit: &Hit, sweep: Sweep<'_>) -> Self {
        let found = Self::with_key(model, hit.key, hit.time, sweep);
        let key = features_for(model, hit.key, &found.at_impact, sweep.start);
        if key == hit.key {
            found
        } else {
            Self::with_key(model, key, hit.time, sweep)
        }
    }

    fn with_key(model: &Model, key: ContactKey, time: f64, sweep: Sweep<'_>) -> Self {
        let (points, point_count) = stencil_of(model, key);
        let mut at_impact = [Vector3::zeros(); 4];
        for (x, &point) in at_impact
            .iter_mut()
            .zip(&points[..usize::from(point_count)])
        {
            let start = sweep.start[point as usize];
            *x = start + (sweep.end[point as usize] - start) * time;
        }
        Self {
            key,
            points,
            point_count,
            at_impact,
            stands_alone: false,
        }
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
    known.is_err() && !added.contradict(&first_contact(model, touch, sweep), stored)
}

/// Where a contact is among those of a step, which ascend by key.
fn place_of(contacts: &[Contact], key: ContactKey) -> Result<usize, usize> {
    contacts.binary_search_by_key(&key, |contact| contact.key)
}

/// A contact from a hit: normal and weights at the time of impact, distance at the start (spec 4.3).
fn first_contact(model: &Model, touch: &Touch, sweep: Sweep<'_>) -> Contact {
    let origin = match touch.key {
        ContactKey::VertexHalfSpace { half_space, .. } => {
            model.half_spaces[half_space as usize].point
        }
        _ => Vector3::zeros(),
    };
    let mut contact = Contact {
        key: touch.key,
        points: touch.points,
        point_count: touch.point_count,
        weights: [0.0; 4],
        anchor_weights: [0.0; 4],
        origin,
        anchor: Vector3::zeros(),
        frame: ContactFrame::around(Vector3::z()),
        distance: 0.0,
        anchored: false,
        slip_start: Vector3::zeros(),
        friction: friction_of(model, touch.key),
        multipliers: Multipliers::default(),
        held: false,
        hits: 0,
        relinearised: 0,
        stands_alone: touch.stands_alone,
        linearised_at: touch.at_impact,
    };
    let start = contact.gather(sweep.start);
    let lin = impact_linearisation(model, touch, &start, sweep);
    contact.weights = lin.weights;
    contact.frame = ContactFrame::around(lin.normal);
    contact.distance = lin.normal.dot(&contact.gap_vector(&start));
    // Sticking means not to move along the tangents during this step. The paper asks to end at the point that was hit;
    // near-duplicate contacts are hit at slightly different times and would then contradict each other.
    contact.drop_anchor(&start);
    contact
}

/// Feature normal at the impact, or the closest direction at the start where the features have none that separates
/// them.
fn impact_linearisation(
    model: &Model,
    touch: &Touch,
    start: &[Vector3<f64>; 4],
    sweep: Sweep<'_>,
) -> Linearisation {
    let apart = closest_direction(touch.key, start).unwrap_or_else(Vector3::z);
    linearise(
        model,
        Some(sweep.start),
        touch.key,
        &touch.at_impact,
        &apart,
    )
    .clamped(touch.key)
    .facing(touch.key, start)
}

/// Moves the linearisation to `target`, or as far towards it as the normal may turn at once (spec 7.3).
fn relinearise(model: &Model, contact: &mut Contact, sweep: Sweep<'_>, target: [Vector3<f64>; 4]) {
    let old_normal = contact.frame.normal;
    // What the neighbours admit did not keep a held contact apart: its own features must.
    let surroundings = (!contact.held).then_some(sweep.start);
    let seen_at = |corners: &[Vector3<f64>; 4]| {
        linearise(model, surroundings, contact.key, corners, &old_normal).clamped(contact.key)
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
    // The old normal need not be what was seen at `linearised_at`: no part of the way may be near it, and a contact that
    // stays as it is would be hit in every round.
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

/// Displacement along the tangents that the motion leaves, relative to sticking (m).
fn slip(contact: &Contact, sweep: Sweep<'_>) -> [f64; 2] {
    contact
        .frame
        .tangential(&contact.anchor_vector(&contact.gather(sweep.end)))
}

/// Points of the features of `key`, and how many there are.
pub(crate) fn stencil_of(model: &Model, key: ContactKey) -> ([u32; 4], u8) {
    let surface = &model.surface;
    match key {
        ContactKey::VertexFace { vertex, face } => {
            let [a, b, c] = surface.triangles()[face as usize];
            ([vertex, a, b, c], 4)
        }
        ContactKey::EdgeEdge { first, second } => {
            let ([a0, a1], [b0, b1]) = (
                surface.edges()[first as usize],
                surface.edges()[second as usize],
            );
            ([a0, a1, b0, b1], 4)
        }
        ContactKey::VertexEdge { vertex, edge } => {
            let [a, b] = surface.edges()[edge as usize];
            ([vertex, a, b, 0], 3)
        }
        ContactKey::VertexVertex { first, second } => ([first, second, 0, 0], 2),
        ContactKey::VertexHalfSpace { vertex, .. } => ([vertex, 0, 0, 0], 1),
    }
}

/// The pair in words, for messages.
pub(crate) fn describe(model: &Model, key: ContactKey) -> String {
    let [first, second] = solids_of(model, key);
    let (first, second) = (model.name_of(first), model.name_of(second));
    match key {
        ContactKey::VertexFace { vertex, face } => {
            format!("vertex {vertex} of `{first}` against triangle {face} of `{second}`")
        }
        ContactKey::EdgeEdge {
            first: a,
            second: b,
        } => {
            format!("edge {a} of `{first}` against edge {b} of `{second}`")
        }
        ContactKey::VertexEdge { vertex, edge } => {
            format!("vertex {vertex} of `{first}` against edge {edge} of `{second}`")
        }
        ContactKey::VertexVertex {
            first: p,
            second: q,
        } => {
            format!("vertex {p} of `{first}` against vertex {q} of `{second}`")
        }
        ContactKey::VertexHalfSpace { vertex, .. } => {
            format!("vertex {vertex} of `{first}` against `{second}`")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        scene::Scene,
        step::{contradiction::contradicts, two_cubes::TwoCubes},
    };

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
        let (mut detector, mut report) = (Detector::new(), StepReport::default());
        let still = vec![Vector3::zeros(); start.len()];
        detector.prepare(model, start, &still, 1e-3, &mut report);
        detector.cover(model, start, end, &mut report);
        let (mut refiner, mut contacts) = (Refiner::default(), Vec::new());
        refiner
            .add_hits(
                model,
                &detector,
                Sweep { start, end },
                1e-3,
                &mut contacts,
                &mut report,
            )
            .expect("free points");
        (refiner, contacts)
    }

    /// Two edges that cross at the origin, the first along x and `height` above the second, which is along y.
    fn crossed(height: f64) -> [Vector3<f64>; 4] {
        let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z() * height);
        [z - x, z + x, -y, y]
    }

    fn contact(first: u32, second: u32, tilt: f64) -> Contact {
        let normal = Vector3::new(tilt.sin(), 0.0, tilt.cos());
        let key = ContactKey::EdgeEdge { first, second };
        let mut contact = Contact::bare(key, &[0, 1, 2, 3], normal);
        contact.weights = [0.5, 0.5, -0.5, -0.5];
        contact
    }

    /// What the start of the solves would hit becomes a contact; one that is known already is left to motions that were solved for.
    #[test]
    fn foreseen_hits_are_met_and_known_contacts_stay() {
        let cubes = TwoCubes::apart();
        let (model, start, time_step) = (&cubes.model, &cubes.positions, cubes.model.time_step);
        let fall = Vector3::z() * -0.1;
        let mut end = start.clone();
        for point in model.bodies[1].points.clone() {
            end[point] += fall;
        }
        let (mut detector, mut report) = (Detector::new(), StepReport::default());
        let still = vec![Vector3::zeros(); start.len()];
        detector.prepare(model, start, &still, time_step, &mut report);
        detector.cover(model, start, &end, &mut report);
        let sweep = Sweep { start, end: &end };
        let (mut refiner, mut contacts) = (Refiner::default(), Vec::new());
        let mut foresee = |contacts: &mut Vec<Contact>| {
            refiner.foresee_hits(model, &detector, sweep, time_step, contacts, &mut report);
        };
        foresee(&mut contacts);
        assert!(!contacts.is_empty());
        let found = contacts.clone();
        foresee(&mut contacts);
        assert_eq!(contacts, found);
        // Of two vertices, turned such that what hits there is against it: what hits elsewhere comes back, and this stays.
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

    /// A normal that the neighbours asked for may be farther from the pair's own than it may turn at once, although the
    /// contact was seen where it is hit again: it turns as far as it may, every time, until it is the pair's own.
    #[test]
    fn a_contact_that_is_hit_again_turns_to_its_own_normal() {
        let scene = Scene::parse("cube.toml", CUBE, &[""; 0]).expect("a scene");
        let (model, _) = Model::new(&scene).expect("a model");
        let start = crossed(0.1);
        let sweep = Sweep {
            start: &start,
            end: &crossed(-0.1),
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

    /// One that was moved in this step and has opened is not forgotten before its end.
    #[test]
    fn a_contact_that_was_moved_stays_until_the_step_ends() {
        let scene = Scene::parse("cube.toml", CUBE, &[""; 0]).expect("a scene");
        let (model, _) = Model::new(&scene).expect("a model");
        let (start, end) = (crossed(0.1), crossed(0.5));
        let sweep = Sweep {
            start: &start,
            end: &end,
        };
        let (untouched, mut moved, mut hit) =
            (contact(0, 1, 0.0), contact(1, 2, 0.0), contact(2, 3, 0.0));
        moved.relinearised = 1;
        hit.held = true;
        let mut contacts = vec![untouched, moved, hit];
        let worst = check_gaps(&model, sweep, &mut contacts, &mut StepReport::default());
        assert_eq!(worst, None);
        assert_eq!(contacts, [moved, hit]);
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
        let tilted = model.bodies[1].points.clone();
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

    /// An edge that is cut through a ridge crosses edges of the side where it enters, and of the one where it leaves. Only the first
    /// become contacts.
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
        let beam = model.bodies[1].points.clone();
        let lowest = beam
            .clone()
            .map(|p| start[p].z)
            .fold(f64::INFINITY, f64::min);
        let is_low = |x: &Vector3<f64>| x.z < lowest + 1e-9;
        let edge = (model.surface.edges().iter())
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
            let [p, q] = model.surface.edges()[other as usize].map(|p| start[p as usize]);
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
        let top = (start.iter().take(model.bodies[0].points.end))
            .map(|x| x.z)
            .fold(f64::NEG_INFINITY, f64::max);
        let on_top = |other: u32| {
            let ends = model.surface.edges()[other as usize];
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
