//! The contacts of a state as data.

use crate::{
    contacts::{
        contact::{Contact, ContactKey},
        stencil::solids_of,
    },
    model::Model,
    state::State,
};
use impinge_contact::ContactState;
use nalgebra::Vector3;

/// A feature of one side of a contact, in the node numbers of the body's own mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Feature {
    /// A vertex.
    Vertex(u32),
    /// An edge between two vertices.
    Edge([u32; 2]),
    /// A triangle.
    Triangle([u32; 3]),
    /// The plane of a half-space.
    Plane,
}

/// A contact that pushes, at the end of the last step. Forces and the slip are those of the first side; the second side
/// feels the opposite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactRecord<'a> {
    /// Names of the two bodies, obstacles or half-spaces.
    pub bodies: [&'a str; 2],
    /// Their numbers, see [`Geometry`](crate::geometry::Geometry).
    pub solids: [usize; 2],
    /// The features that touch.
    pub features: [Feature; 2],
    /// Point of application on the first side (m).
    pub place: Vector3<f64>,
    /// Unit normal, to the first side.
    pub normal: Vector3<f64>,
    /// Distance of the two sides along the normal (m).
    pub gap: f64,
    /// Normal force (N).
    pub normal_force: f64,
    /// Friction force on the first side (N).
    pub friction_force: Vector3<f64>,
    /// Displacement of the first side along the other since the start of the step (m). For a contact that sticks, since
    /// it began to stick.
    pub slip: Vector3<f64>,
    /// Whether it sticks or slides.
    pub state: ContactState,
    /// Coulomb friction coefficient `μ` of the pair (1).
    pub friction: f64,
}

impl ContactRecord<'_> {
    /// Normal and friction force on the first side (N).
    pub fn force(&self) -> Vector3<f64> {
        self.normal * self.normal_force + self.friction_force
    }
}

/// The contacts of `state` that push, in the order of their keys.
///
/// # Panics
/// If `state` is not one of `model`.
pub fn contact_records<'a>(model: &'a Model, state: &State) -> Vec<ContactRecord<'a>> {
    let pushes = |contact: &&Contact| contact.multipliers.state != ContactState::Inactive;
    let record = |contact: &Contact| {
        let solids = solids_of(&model.geometry, contact.key);
        let corners = contact.gather(&state.positions);
        let first_side = |i: usize| contact.weights[i] >= 0.0 && contact.anchor_weights[i] >= 0.0;
        let place = (0..contact.stencil().len())
            .filter(|&i| first_side(i))
            .map(|i| corners[i] * contact.weights[i])
            .sum();
        let [t1, t2] = contact.frame.tangents;
        let [f1, f2] = contact.multipliers.friction_force();
        let [s1, s2] = (contact.frame).tangential(&contact.anchor_vector(&corners));
        ContactRecord {
            bodies: solids.map(|solid| model.geometry.name_of(solid)),
            solids,
            features: features(model, contact.key, solids),
            place,
            normal: contact.frame.normal,
            gap: contact.frame.normal.dot(&contact.gap_vector(&corners)),
            normal_force: contact.multipliers.lambda,
            friction_force: t1 * f1 + t2 * f2,
            slip: t1 * s1 + t2 * s2,
            state: contact.multipliers.state,
            friction: contact.friction,
        }
    };
    state.contacts.iter().filter(pushes).map(record).collect()
}

fn features(model: &Model, key: ContactKey, solids: [usize; 2]) -> [Feature; 2] {
    let (geometry, surface) = (&model.geometry, &model.geometry.surface);
    let node = |side: usize, point: u32| {
        let body = geometry.solid(solids[side]);
        body.original_nodes[point as usize - body.points.start]
    };
    let vertex = |side: usize, point: u32| Feature::Vertex(node(side, point));
    let edge = |side: usize, edge: u32| {
        Feature::Edge(surface.edges()[edge as usize].map(|point| node(side, point)))
    };
    match key {
        ContactKey::VertexFace { vertex: v, face } => {
            let corners = surface.triangles()[face as usize];
            [
                vertex(0, v),
                Feature::Triangle(corners.map(|point| node(1, point))),
            ]
        }
        ContactKey::EdgeEdge { first, second } => [edge(0, first), edge(1, second)],
        ContactKey::VertexEdge { vertex: v, edge: e } => [vertex(0, v), edge(1, e)],
        ContactKey::VertexVertex { first, second } => [vertex(0, first), vertex(1, second)],
        ContactKey::VertexHalfSpace { vertex: v, .. } => [vertex(0, v), Feature::Plane],
    }
}
