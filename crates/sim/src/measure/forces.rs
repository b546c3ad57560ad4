//! Contact forces as results: per contact, per point and per pair of solids.

use crate::{contacts::stencil::solids_of, model::Model, state::State};
use impinge_contact::ContactState;
use nalgebra::Vector3;
use std::collections::BTreeMap;

/// Force of one contact on its first side; the second side feels the opposite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactForce {
    /// Numbers of the two solids; half-spaces are numbered after bodies and mesh obstacles.
    pub solids: [usize; 2],
    /// Point of application on the first side (m).
    pub place: Vector3<f64>,
    /// Unit normal, to the first side.
    pub normal: Vector3<f64>,
    /// `λ`: normal force (N).
    pub normal_force: f64,
    /// Friction force on the first side (N).
    pub tangential_force: Vector3<f64>,
    /// Whether it sticks.
    pub sticking: bool,
}

/// Resultant of all contacts between two solids.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PairForce {
    /// Force on the first solid (N); the second feels the opposite.
    pub force: Vector3<f64>,
    /// Moment on the first solid about the world's origin (N·m).
    pub moment_on_first: Vector3<f64>,
    /// Moment on the second solid about the world's origin (N·m). It is the opposite up to the clearance times
    /// friction.
    pub moment_on_second: Vector3<f64>,
}

/// All contact forces of a state.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactForces {
    /// One entry per active contact, in the order of the contacts.
    pub contacts: Vec<ContactForce>,
    /// Force on every point of the model, prescribed ones included (N).
    pub points: Vec<Vector3<f64>>,
    /// Resultants by solids, the smaller number first.
    pub pairs: BTreeMap<[usize; 2], PairForce>,
}

/// Gathers the contact forces of `state`.
pub fn contact_forces(model: &Model, state: &State) -> ContactForces {
    let mut forces = ContactForces {
        points: vec![Vector3::zeros(); state.positions.len()],
        ..Default::default()
    };
    for contact in &state.contacts {
        if contact.multipliers.state == ContactState::Inactive {
            continue;
        }
        let solids = solids_of(&model.geometry, contact.key);
        let [f1, f2] = contact.multipliers.friction_force();
        let tangential_force = contact.frame.tangents[0] * f1 + contact.frame.tangents[1] * f2;
        let normal_force = contact.multipliers.lambda;
        let total = contact.frame.normal * normal_force + tangential_force;

        let (mut place, mut moments) = (Vector3::zeros(), [Vector3::zeros(); 2]);
        for (i, &point) in contact.stencil().iter().enumerate() {
            let (x, force) = (state.positions[point as usize], contact.force_on(i));
            forces.points[point as usize] += force;
            let side = usize::from(contact.weights[i] < 0.0 || contact.anchor_weights[i] < 0.0);
            moments[side] += x.cross(&force);
            if side == 0 {
                place += x * contact.weights[i];
            }
        }
        if contact.point_count == 1 {
            // A half-space has no points: it takes the opposite force at the vertex.
            moments[1] = -moments[0];
        }
        forces.contacts.push(ContactForce {
            solids,
            place,
            normal: contact.frame.normal,
            normal_force,
            tangential_force,
            sticking: contact.multipliers.state == ContactState::Sticking,
        });
        let swapped = solids[0] > solids[1];
        let (key, sign) = if swapped {
            ([solids[1], solids[0]], -1.0)
        } else {
            (solids, 1.0)
        };
        let pair = forces.pairs.entry(key).or_default();
        pair.force += total * sign;
        let [first, second] = if swapped {
            [moments[1], moments[0]]
        } else {
            moments
        };
        pair.moment_on_first += first;
        pair.moment_on_second += second;
    }
    forces
}
