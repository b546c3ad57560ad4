//! Bodies squeezed between prescribed bodies that approach each other. For a rigid body no step is short enough; a
//! deformable body can be compressed only so far.

use crate::contacts::contact::{Contact, ContactKey};
use crate::contacts::opposing_normals::OPPOSITE;
use crate::contacts::stencil::solids_of;
use crate::error::StepFailure;
use crate::model::{Model, PointMotion};
use nalgebra::Vector3;
use std::collections::BTreeMap;

/// A prescribed body, obstacle or half-space in contact with a body.
struct Wall {
    /// Its number.
    solid: usize,
    /// Normal towards the body.
    normal: Vector3<f64>,
    /// Velocity at the contact (m/s).
    velocity: Vector3<f64>,
}

/// Two walls on opposite sides of a body that approach each other.
struct Squeeze {
    body: usize,
    walls: [usize; 2],
}

/// The cause of `failure` at `time` (s), if `contacts` squeeze a body between two prescribed ones that approach each
/// other. Rigid bodies come first. The cause of an inverted element is a squeeze of its own body.
pub(crate) fn squeezed(
    model: &Model,
    contacts: &[Contact],
    time: f64,
    failure: &StepFailure,
) -> Option<StepFailure> {
    let mut squeezes = squeezes(model, contacts, time);
    if let StepFailure::Inverted { body, .. } = failure {
        squeezes.retain(|squeeze| model.geometry.name_of(squeeze.body) == body);
    }
    let rigid = squeezes.iter().find(|of| is_rigid(model, of.body));
    let squeeze = rigid.or(squeezes.first())?;
    let body = model.geometry.name_of(squeeze.body).to_owned();
    let [first, second] = squeeze
        .walls
        .map(|wall| model.geometry.name_of(wall).to_owned());
    Some(if rigid.is_some() {
        StepFailure::Squeezed {
            body,
            first,
            second,
        }
    } else {
        StepFailure::Pressed {
            body,
            first,
            second,
            failure: Box::new(failure.clone()),
        }
    })
}

fn is_rigid(model: &Model, solid: usize) -> bool {
    model.rigid.iter().any(|rigid| rigid.body == solid)
}

/// The first such pair of walls of every body that has one.
fn squeezes(model: &Model, contacts: &[Contact], time: f64) -> Vec<Squeeze> {
    let mut walls: BTreeMap<usize, Vec<Wall>> = BTreeMap::new();
    for contact in contacts {
        if let Some((body, wall)) = wall(model, contact, time) {
            walls.entry(body).or_default().push(wall);
        }
    }
    let of_body = |(body, walls): (usize, Vec<Wall>)| {
        walls.iter().enumerate().find_map(|(index, a)| {
            let b = walls[..index].iter().find(|b| press(b, a))?;
            Some(Squeeze {
                body,
                walls: [b.solid, a.solid],
            })
        })
    };
    walls.into_iter().filter_map(of_body).collect()
}

/// Whether two walls of a body approach each other. Two sides of one wall, and walls that move together, do not.
fn press(a: &Wall, b: &Wall) -> bool {
    a.solid != b.solid
        && a.normal.dot(&b.normal) < OPPOSITE
        && (a.velocity - b.velocity).dot(&(a.normal - b.normal)) > 0.0
}

/// The free body of a contact and the wall on its other side; `None` for other contacts.
fn wall(model: &Model, contact: &Contact, time: f64) -> Option<(usize, Wall)> {
    let motion = |point: u32| model.unknowns.motion_of_point[point as usize];
    let gives_way = |solid: usize| {
        let of_solid = |point: &&u32| model.geometry.solid_of_point(**point) == solid;
        let moves = |&point: &u32| !motion(point).is_prescribed();
        contact.stencil().iter().filter(of_solid).any(moves)
    };
    let [first, second] = solids_of(&model.geometry, contact.key);
    let (body, solid, normal) = match [gives_way(first), gives_way(second)] {
        [true, false] => (first, second, contact.frame.normal),
        [false, true] => (second, first, -contact.frame.normal),
        _ => return None,
    };
    let mut velocity = Vector3::zeros();
    if !matches!(contact.key, ContactKey::VertexHalfSpace { .. }) {
        for (&point, weight) in contact.stencil().iter().zip(&contact.weights) {
            if model.geometry.solid_of_point(point) == solid
                && let PointMotion::Prescribed(motion) = motion(point)
            {
                let start = &model.points.rest[point as usize];
                let of_point = model.unknowns.motions[motion as usize].velocity_at(start, time);
                velocity += of_point * weight.abs();
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
