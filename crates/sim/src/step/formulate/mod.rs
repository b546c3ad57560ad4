//! Stage 3: stored contacts, seen from the start of the step, become rows of the contact problem.

#[cfg(test)]
mod row_laws;

use crate::contacts::conflict::drop_contradicted;
use crate::contacts::{
    contact::{CONTACTS_PER_TASK, Contact, ContactKey},
    features::features_for,
    linearise::{linearise, reach},
    stencil::{solids_of, stencil_of},
};
use crate::step::assemble::rigid::RigidStep;
use crate::step::refine::relinearise::MAX_RELINEARISATIONS;
use crate::{
    model::{Model, PointMotion},
    report::StepReport,
    step::context::StepContext,
    tolerances::ToleranceScales,
};
use impinge_contact::{ContactProblem, ContactRow, ContactSolution, ContactState, Tolerances};
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

/// Re-projects the contacts of the last step at `positions`; those that opened or left their feature go.
pub(crate) fn carry_over(
    model: &Model,
    positions: &[Vector3<f64>],
    time_step: f64,
    contacts: &mut Vec<Contact>,
    report: &mut StepReport,
) {
    let mut stays = Vec::with_capacity(contacts.len());
    (contacts.par_iter_mut().with_min_len(CONTACTS_PER_TASK))
        .map(|contact| carry(model, positions, time_step, contact))
        .collect_into_vec(&mut stays);
    report.removed += stays.iter().filter(|stays| !**stays).count() as u32;
    let mut stays = stays.into_iter();
    contacts.retain(|_| stays.next() != Some(false));
    merge_duplicates(contacts);
    drop_contradicted(contacts);
}

/// Re-projects one contact at `positions`; whether it stays.
fn carry(model: &Model, positions: &[Vector3<f64>], time_step: f64, contact: &mut Contact) -> bool {
    move_to_touching_features(model, positions, contact);
    let clearance = model.geometry.clearance(contact.key);
    let corners = contact.gather(positions);
    let lin = linearise(
        &model.geometry,
        Some(positions),
        contact.key,
        &corners,
        &contact.frame.normal,
    );
    if lin.is_off_feature(&model.geometry, contact.key) {
        return false;
    }
    let lin = lin.clamped(contact.key).facing(contact.key, &corners);
    contact.weights = lin.weights;
    contact.turn_to(lin.normal);
    contact.distance = lin.normal.dot(&contact.gap_vector(&corners));
    let opened = match contact.multipliers.state {
        ContactState::Inactive => contact.distance >= reach(&model.geometry, contact.key),
        _ => contact.distance > clearance && contact.multipliers.lambda <= 0.0,
    };
    if opened {
        return false;
    }
    // A contact that did not settle in the last step gets one more re-linearisation in this one, not all of them.
    contact.relinearised = if contact.held {
        MAX_RELINEARISATIONS - 1
    } else {
        0
    };
    contact.held = false;
    contact.hits = 0;
    let sticks = contact.multipliers.state == ContactState::Sticking;
    if contact.anchored && sticks {
        let slip = contact.anchor_vector(&corners);
        let slip = slip - contact.frame.normal * contact.frame.normal.dot(&slip);
        let slip_tolerance =
            (model.geometry.tolerances).slip(model.geometry.scale_of(contact.key), time_step);
        contact.slip_start = beyond(slip, 0.5 * slip_tolerance, slip_tolerance);
    } else {
        contact.drop_anchor(&corners);
        contact.anchored = model.settings.anchored_contacts && sticks;
    }
    true
}

/// Gives a contact that slid to an end, side or corner the features it now touches with, unless a contact of these did
/// not keep it apart and it still pushes, on its own features: merged with that one it would be hit again, in every
/// step.
fn move_to_touching_features(model: &Model, positions: &[Vector3<f64>], contact: &mut Contact) {
    let key = features_for(
        &model.geometry,
        contact.key,
        &contact.gather(positions),
        positions,
    );
    let pushes = contact.multipliers.state != ContactState::Inactive;
    contact.stands_alone &= pushes && key != contact.key && {
        let (corners, normal) = (contact.gather(positions), &contact.frame.normal);
        !linearise(&model.geometry, None, contact.key, &corners, normal)
            .is_off_feature(&model.geometry, contact.key)
    };
    if key == contact.key || contact.stands_alone {
        return;
    }
    // The force stays what it is on the first side; a pair of vertices is ordered by number and may turn round.
    let first = contact.points[0];
    contact.key = key;
    (contact.points, contact.point_count) = stencil_of(&model.geometry, key);
    let sides = solids_of(&model.geometry, key);
    let turned = match key {
        ContactKey::VertexVertex { .. } | ContactKey::VertexEdge { .. } => {
            sides[0] != model.geometry.solid_of_point(first)
        }
        _ => false,
    };
    if turned {
        // `F` acts on the first side along tangents that turn with the normal: both signs change together.
        contact.frame.normal = -contact.frame.normal;
        contact.frame.tangents = contact.frame.tangents.map(|t| -t);
    }
    contact.anchored = false;
}

/// Makes one contact of those that came down to the same touch: their forces add up. Where they pushed against each
/// other, the stronger one stays and the difference is what is left of them.
fn merge_duplicates(contacts: &mut Vec<Contact>) {
    // What carries most force names the state of the merged contact, and its direction.
    contacts.sort_by(|a, b| {
        let idle = |contact: &Contact| contact.multipliers.state == ContactState::Inactive;
        let (by_key, by_state) = (a.key.cmp(&b.key), idle(a).cmp(&idle(b)));
        let by_force = b.multipliers.lambda.total_cmp(&a.multipliers.lambda);
        by_key.then(by_state).then(by_force)
    });
    contacts.dedup_by(|second, first| {
        if second.key != first.key {
            return false;
        }
        let (kept, gone) = (&mut first.multipliers, &second.multipliers);
        let force = second.frame.tangents[0] * gone.friction_force()[0]
            + second.frame.tangents[1] * gone.friction_force()[1];
        let [f1, f2] = first.frame.tangential(&force);
        let agreement = second.frame.normal.dot(&first.frame.normal).signum();
        kept.lambda = (kept.lambda + agreement * gone.lambda).max(0.0);
        kept.previous_lambda = (kept.previous_lambda + agreement * gone.previous_lambda).max(0.0);
        let friction = if kept.state == ContactState::Sticking {
            &mut kept.gamma
        } else {
            &mut kept.sliding_force
        };
        friction[0] += f1;
        friction[1] += f2;
        true
    });
}

/// What of `slip` lies beyond the first `free` metres, and of that no more than `most`.
///
/// Slip within the tolerance is not called back: near-duplicate contacts whose anchors differ by that much would pull
/// against each other with forces far outside of their cones. What is called back within a step becomes velocity, so it
/// is called back as slowly as it gathers.
fn beyond(slip: Vector3<f64>, free: f64, most: f64) -> Vector3<f64> {
    let length = slip.norm();
    if length > free {
        slip * ((length - free).min(most) / length)
    } else {
        Vector3::zeros()
    }
}

/// Most doublings of the target gap of a contact, 5 to 15: a thousand clearances.
const MOST_DOUBLINGS: u8 = 10;

/// Target gap (m) that a contact with `hits` repeated impacts in this step gets in addition.
///
/// Edges that slide over each other and turn meet more than once on their way. A row at one impact allows the next one,
/// and the row there the first again, without end. So every impact beyond [`MAX_RELINEARISATIONS`] doubles
/// the gap.
fn extra_gap_after(hits: u8, clearance: f64) -> f64 {
    match hits.checked_sub(MAX_RELINEARISATIONS + 1) {
        Some(doublings) => clearance * f64::from(1_u32 << doublings.min(MOST_DOUBLINGS)),
        None => 0.0,
    }
}

/// The part of the motion of points that no unknown stands for.
#[derive(Clone, Copy)]
pub(crate) struct KnownMotion<'a> {
    /// The rigid bodies, posed.
    pub(crate) rigid: &'a RigidStep,
    /// Mean velocity over the step (m/s): all of it for prescribed points, the remainder that rows leave out for points
    /// of rigid bodies. It is not read for nodes.
    pub(crate) velocity: &'a [Vector3<f64>],
}

/// Fills the problem's rows and the warm start from the contacts.
pub(crate) fn fill_problem(
    context: StepContext<'_>,
    known: KnownMotion<'_>,
    contacts: &[Contact],
    problem: &mut ContactProblem,
    solution: &mut ContactSolution,
) {
    let StepContext { model, state, .. } = context;
    let time_step = context.time_step;
    let KnownMotion { rigid, velocity } = known;
    let finest = model.geometry.finest_scale();
    let Tolerances {
        gap: gap_reference,
        slip: slip_reference,
        ..
    } = (model.geometry.tolerances).solver(finest, time_step, 1.0);
    problem.clear_contacts();
    solution.contacts.clear();
    for contact in contacts {
        let [s1, s2] = contact.frame.tangential(&contact.slip_start);
        let pair = model.geometry.scale_of(contact.key);
        let clearance = model.geometry.tolerances.clearance(pair.length);
        let tolerance = model.geometry.tolerances.gap(pair, time_step);
        let goal = ToleranceScales::goal(clearance, contact.distance, tolerance, contact.held)
            + extra_gap_after(contact.hits, clearance);
        let mut offset = Vector3::new(goal - contact.distance, -s1, -s2);
        let mut entries = RowEntries::default();
        for (i, &point) in contact.stencil().iter().enumerate() {
            let rows = Matrix3::from_rows(&[
                (contact.frame.normal * (contact.weights[i] * time_step)).transpose(),
                (contact.frame.tangents[0] * (contact.anchor_weights[i] * time_step)).transpose(),
                (contact.frame.tangents[1] * (contact.anchor_weights[i] * time_step)).transpose(),
            ]);
            match model.unknowns.motion_of_point[point as usize] {
                PointMotion::Free(block) => entries.add(block, &rows),
                PointMotion::Rigid(index) => {
                    let center = state.rigid[index as usize].pose.center;
                    let arm = state.positions[point as usize] - center;
                    let block = model.rigid[index as usize].first_block;
                    entries.add(block, &rows);
                    entries.add(block + 1, &rigid.angular_rows(index as usize, &rows, &arm));
                    offset -= rows * velocity[point as usize];
                }
                // What a prescribed point does is known: it moves to the constant.
                PointMotion::Prescribed(_) => offset -= rows * velocity[point as usize],
            }
        }
        let index = problem.push(&ContactRow {
            entries: entries.filled(),
            offset,
            friction: contact.friction,
        });
        let slip = model.geometry.tolerances.slip(pair, time_step);
        problem.scale_displacements(index, [tolerance / gap_reference, slip / slip_reference]);
        solution.contacts.push(contact.multipliers);
    }
}

/// Blocks of one contact: four points bring at most a block each, or two blocks for a side that is rigid.
#[derive(Default)]
struct RowEntries {
    entries: [(u32, Matrix3<f64>); 5],
    count: usize,
}

impl RowEntries {
    /// Adds to the entry of `block`: points of one rigid body share theirs.
    fn add(&mut self, block: u32, rows: &Matrix3<f64>) {
        let filled = &mut self.entries[..self.count];
        if let Some((_, sum)) = filled.iter_mut().find(|(known, _)| *known == block) {
            *sum += rows;
        } else {
            self.entries[self.count] = (block, *rows);
            self.count += 1;
        }
    }

    fn filled(&self) -> &[(u32, Matrix3<f64>)] {
        &self.entries[..self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::two_cubes::TwoCubes;
    use impinge_contact::Multipliers;

    fn pushing(normal: Vector3<f64>, lambda: f64) -> Contact {
        let key = ContactKey::VertexVertex {
            first: 3,
            second: 7,
        };
        let mut contact = Contact::bare(key, &[3, 7], normal);
        contact.multipliers.state = ContactState::Sliding;
        contact.multipliers.lambda = lambda;
        contact
    }

    /// Moving the linearisation comes first. Impacts after that double the gap each time, up to a bound.
    #[test]
    fn contacts_that_are_hit_again_and_again_get_a_larger_gap() {
        let gaps = [0, 3, 4, 5, 6, u8::MAX].map(|hits| extra_gap_after(hits, 1.0));
        for (gap, expected) in gaps.iter().zip([0.0, 0.0, 1.0, 2.0, 4.0, 1024.0]) {
            assert!((gap - expected).abs() < f64::EPSILON, "{gap}, {expected}");
        }
    }

    /// A corner close to an edge that one of its own edges crosses: the pair of edges becomes a contact of the corner,
    /// but not while it pushes where that contact did not keep it apart.
    #[test]
    fn what_stands_alone_does_so_while_it_pushes() {
        let mut cubes = TwoCubes::apart();
        let below = cubes.edge(cubes.point([0.0, 0.0, 0.5]), cubes.point([0.0, 0.5, 0.5]));
        let corner = cubes.point([-0.25, -0.25, 0.55]);
        let above = cubes.edge(corner, cubes.point([0.25, -0.25, 0.55]));
        cubes.move_upper(corner, [-1e-5, 0.2, 0.5 + 5e-5]);
        let TwoCubes { model, positions } = cubes;
        let key = ContactKey::EdgeEdge {
            first: below.min(above),
            second: below.max(above),
        };
        let from_below = if below < above { -1.0 } else { 1.0 };
        let (points, _) = stencil_of(&model.geometry, key);
        let mut contact = Contact::bare(key, &points, Vector3::z() * from_below);
        contact.multipliers.state = ContactState::Sticking;
        contact.multipliers.lambda = 1.0;
        let carried = |contact: Contact| {
            let mut contacts = vec![contact];
            let mut report = StepReport::default();
            carry_over(&model, &positions, 1e-3, &mut contacts, &mut report);
            assert_eq!(contacts.len(), 1);
            contacts[0]
        };
        let nearer = ContactKey::VertexEdge {
            vertex: corner,
            edge: below,
        };
        assert_eq!(carried(contact).key, nearer);
        contact.stands_alone = true;
        assert_eq!(carried(contact).key, key);
        assert!(carried(contact).stands_alone);
        contact.multipliers = Multipliers::default();
        assert_eq!(carried(contact).key, nearer);
        assert!(!carried(contact).stands_alone);
    }

    /// Two contacts that clamped the same two vertices leave the force that they were together, along the stronger one.
    #[test]
    fn contacts_that_opposed_each_other_leave_their_difference() {
        let (up, tilted) = (Vector3::z(), Vector3::new(0.3, 0.0, -1.0).normalize());
        let mut contacts = vec![pushing(up, 722.0), pushing(tilted, 774.0)];
        merge_duplicates(&mut contacts);
        assert_eq!(contacts.len(), 1);
        assert!((contacts[0].multipliers.lambda - 52.0).abs() < 1e-9);
        assert!((contacts[0].frame.normal - tilted).norm() < 1e-12);
    }

    #[test]
    fn contacts_that_agreed_leave_their_sum() {
        let mut contacts = vec![pushing(Vector3::z(), 1.0), pushing(Vector3::z(), 2.0)];
        merge_duplicates(&mut contacts);
        assert_eq!(contacts.len(), 1);
        assert!((contacts[0].multipliers.lambda - 3.0).abs() < 1e-12);
    }
}
