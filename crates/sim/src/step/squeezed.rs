//! Rigid bodies between prescribed ones that approach each other: no step is short enough for them.

use super::contact::{Contact, ContactKey};
use super::stencil::solids_of;
use crate::error::StepFailure;
use crate::model::{Model, PointMotion};
use nalgebra::Vector3;
use std::collections::BTreeMap;

/// Cosine between the normals of two walls below which a body between them is pressed rather than pushed aside.
const OPPOSITE: f64 = -0.9;

/// What keeps a rigid body from going further, and goes its own way.
struct Wall {
    /// Number of the obstacle, body or half-space.
    solid: usize,
    /// Towards the body.
    normal: Vector3<f64>,
    /// How it goes where they touch (m/s).
    velocity: Vector3<f64>,
}

/// The first rigid body that `contacts` hold between two prescribed ones that come nearer to each other at `time` (s).
pub(crate) fn squeezed(model: &Model, contacts: &[Contact], time: f64) -> Option<StepFailure> {
    let mut walls: BTreeMap<usize, Vec<Wall>> = BTreeMap::new();
    for contact in contacts {
        if let Some((body, wall)) = wall(model, contact, time) {
            walls.entry(body).or_default().push(wall);
        }
    }
    walls.into_iter().find_map(|(body, walls)| {
        // Two sides of one body, and walls that go together, come no nearer.
        let closing = |a: &Wall, b: &Wall| {
            a.solid != b.solid
                && a.normal.dot(&b.normal) < OPPOSITE
                && (a.velocity - b.velocity).dot(&(a.normal - b.normal)) > 0.0
        };
        let pair = walls.iter().enumerate().find_map(|(index, a)| {
            let b = walls[..index].iter().find(|b| closing(a, b))?;
            Some([b.solid, a.solid])
        });
        pair.map(|[first, second]| StepFailure::Squeezed {
            body: model.name_of(body).to_owned(),
            first: model.name_of(first).to_owned(),
            second: model.name_of(second).to_owned(),
        })
    })
}

/// The rigid body of a contact, and the wall on its other side, if that is what the contact is between.
fn wall(model: &Model, contact: &Contact, time: f64) -> Option<(usize, Wall)> {
    let motion = |point: u32| model.motion_of_point[point as usize];
    let is_rigid = |solid: usize| model.rigid.iter().any(|rigid| rigid.body == solid);
    let [first, second] = solids_of(model, contact.key);
    let (body, solid, normal) = match [is_rigid(first), is_rigid(second)] {
        [true, false] => (first, second, contact.frame.normal),
        [false, true] => (second, first, -contact.frame.normal),
        _ => return None,
    };
    let mut velocity = Vector3::zeros();
    if !matches!(contact.key, ContactKey::VertexHalfSpace { .. }) {
        for (&point, weight) in contact.stencil().iter().zip(&contact.weights) {
            match motion(point) {
                PointMotion::Rigid(_) => {}
                // What gives way is no wall.
                PointMotion::Free(_) => return None,
                PointMotion::Prescribed(motion) => {
                    let start = &model.rest[point as usize];
                    let of_point = model.motions[motion as usize].velocity_at(start, time);
                    velocity += of_point * weight.abs();
                }
            }
        }
    }
    Some((
        body,
        Wall {
            solid,
            normal,
            velocity,
        },
    ))
}
