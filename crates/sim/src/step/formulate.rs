//! Stage 3: stored contacts, seen from the start of the step, become rows of the contact problem.

use super::{
    contact::{Contact, ContactKey},
    linearise::linearise,
};
use crate::{
    model::{Model, PointMotion},
    report::StepReport,
};
use impinge_contact::{ContactProblem, ContactRow, ContactSolution, ContactState};
use nalgebra::{Matrix3, Vector3};

/// Re-projects the contacts of the last step at `positions`; inactive ones and those that left their feature go.
pub(crate) fn carry_over(
    model: &Model,
    positions: &[Vector3<f64>],
    contacts: &mut Vec<Contact>,
    report: &mut StepReport,
) {
    let clearance = model.tolerances.clearance();
    contacts.retain_mut(|contact| {
        if contact.multipliers.state == ContactState::Inactive {
            return false;
        }
        let corners = contact.gather(positions);
        let kept = linearise(model, contact.key, &corners, &contact.frame.normal)
            .filter(|lin| !lin.is_off_feature(contact.key))
            .map(|lin| lin.clamped(contact.key));
        let Some(lin) = kept else {
            report.removed += 1;
            return false;
        };
        contact.weights = lin.weights;
        contact.frame = contact.frame.transported(lin.normal);
        contact.distance = lin.normal.dot(&contact.gap_vector(&corners));
        if contact.distance > clearance && contact.multipliers.lambda <= 0.0 {
            report.removed += 1;
            return false;
        }
        contact.linearised_at = corners;
        contact.removals = 0;
        let holds = model.anchored_contacts && contact.multipliers.state == ContactState::Sticking;
        if holds {
            contact.slip_start = contact.anchor_vector(&corners);
        } else {
            contact.drop_anchor(&corners);
        }
        true
    });
}

/// Fills the problem's rows and the warm start from the contacts.
pub(crate) fn fill_problem(
    model: &Model,
    prescribed_velocity: &[Vector3<f64>],
    contacts: &[Contact],
    problem: &mut ContactProblem,
    solution: &mut ContactSolution,
) {
    let time_step = problem.time_step;
    let safety = 0.5 * model.tolerances.clearance();
    problem.clear_contacts();
    solution.contacts.clear();
    for contact in contacts {
        let [s1, s2] = contact.frame.tangential(&contact.slip_start);
        let mut offset = Vector3::new(safety - contact.distance, -s1, -s2);
        let mut entries = [(0, Matrix3::zeros()); 4];
        let mut count = 0;
        for (i, &point) in contact.stencil().iter().enumerate() {
            let rows = Matrix3::from_rows(&[
                (contact.frame.normal * (contact.weights[i] * time_step)).transpose(),
                (contact.frame.tangents[0] * (contact.anchor_weights[i] * time_step)).transpose(),
                (contact.frame.tangents[1] * (contact.anchor_weights[i] * time_step)).transpose(),
            ]);
            match model.motion_of_point[point as usize] {
                PointMotion::Free(block) => {
                    entries[count] = (block, rows);
                    count += 1;
                }
                // What a prescribed point does is known: it moves to the constant.
                PointMotion::Prescribed(_) => offset -= rows * prescribed_velocity[point as usize],
            }
        }
        problem.push(&ContactRow {
            entries: &entries[..count],
            offset,
            friction: contact.friction,
        });
        solution.contacts.push(contact.multipliers);
    }
}

/// `μ` of the pair that `key` belongs to.
pub(crate) fn friction_of(model: &Model, key: ContactKey) -> f64 {
    let [first, second] = solids_of(model, key);
    model.pair_friction(first, second)
}

/// Numbers of the two solids; half-spaces are numbered after the solids.
pub(crate) fn solids_of(model: &Model, key: ContactKey) -> [usize; 2] {
    let surface = &model.surface;
    match key {
        ContactKey::VertexFace { vertex, face } => [
            model.solid_of_point(vertex),
            model.solid_of_point(surface.triangles()[face as usize][0]),
        ],
        ContactKey::EdgeEdge { first, second } => [
            model.solid_of_point(surface.edges()[first as usize][0]),
            model.solid_of_point(surface.edges()[second as usize][0]),
        ],
        ContactKey::VertexHalfSpace { vertex, half_space } => [
            model.solid_of_point(vertex),
            model.solid_count() + half_space as usize,
        ],
    }
}
