//! `contacts_NNNNN.vtp`: the contacts of a frame as points with arrays; reading restores every number bit for bit.

use std::path::Path;

use super::arrays::{Arrays, array, of_vectors};
use super::{OutputError, names};
use crate::measure::contacts::{ContactRecord, Feature, contact_records};
use crate::model::Model;
use crate::state::State;
use impinge_contact::ContactState;
use impinge_geometry::io::vtk::{PointSet, Values, read_vtp, write_vtp};
use nalgebra::Vector3;

// Names of the arrays, documented in docs/output.md.
const NORMAL: &str = "normal";
const GAP: &str = "gap";
const NORMAL_FORCE: &str = "normal_force";
const FRICTION_FORCE: &str = "friction_force";
const SLIP: &str = "slip";
const STATE: &str = "state";
const FRICTION: &str = "friction";
const BODIES: &str = "bodies";
const FEATURES: [&str; 2] = ["first_feature", "second_feature"];

/// Fills the place of a node that a feature does not have.
const NO_NODE: i32 = -1;

/// A stored contact. Forces and the slip are those of the first body; the second one feels the opposite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoredContact {
    /// Numbers of the two bodies, obstacles or half-spaces.
    pub bodies: [u32; 2],
    /// The features that touch, in the node numbers of the meshes of their bodies.
    pub features: [Feature; 2],
    /// Point of application on the first body (m).
    pub place: Vector3<f64>,
    /// Unit normal, to the first body.
    pub normal: Vector3<f64>,
    /// Distance of the two sides along the normal (m).
    pub gap: f64,
    /// Normal force (N).
    pub normal_force: Vector3<f64>,
    /// Friction force (N).
    pub friction_force: Vector3<f64>,
    /// Displacement of the first body along the other, as in [`ContactRecord::slip`] (m).
    pub slip: Vector3<f64>,
    /// Whether it sticks or slides.
    pub state: ContactState,
    /// Coulomb friction coefficient `μ` (1).
    pub friction: f64,
}

impl From<&ContactRecord<'_>> for StoredContact {
    fn from(record: &ContactRecord<'_>) -> Self {
        Self {
            bodies: record.solids.map(|solid| solid as u32),
            features: record.features,
            place: record.place,
            normal: record.normal,
            gap: record.gap,
            normal_force: record.normal * record.normal_force,
            friction_force: record.friction_force,
            slip: record.slip,
            state: record.state,
            friction: record.friction,
        }
    }
}

/// The contacts of a frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrameContacts {
    /// Names of all bodies, then of mesh obstacles, then of half-spaces.
    pub names: Vec<String>,
    /// The contacts that push, in the order of [`Simulation::contacts`](crate::Simulation::contacts).
    pub contacts: Vec<StoredContact>,
}

impl FrameContacts {
    /// The contacts of `state`.
    ///
    /// # Panics
    /// If `state` is not one of `model`.
    pub fn capture(model: &Model, state: &State) -> Self {
        let geometry = &model.geometry;
        let all = geometry.solid_count() + geometry.half_spaces.len();
        let name = |index| names::printable(geometry.name_of(index));
        let records = contact_records(model, state);
        Self {
            names: (0..all).map(name).collect(),
            contacts: records.iter().map(StoredContact::from).collect(),
        }
    }
}

/// The bytes of the file.
pub(super) fn encode(contacts: &FrameContacts, path: &Path) -> Result<Vec<u8>, OutputError> {
    let FrameContacts { names, contacts } = contacts;
    let vectors = |name: &str, vector: fn(&StoredContact) -> &Vector3<f64>| {
        of_vectors(name, contacts.iter().map(vector))
    };
    let doubles =
        |number: fn(&StoredContact) -> f64| Values::Float64(contacts.iter().map(number).collect());
    let states = contacts.iter().map(|contact| code(contact.state)).collect();
    let bodies = contacts.iter().flat_map(|contact| contact.bodies).collect();
    let mut point_data = vec![
        vectors(NORMAL, |contact| &contact.normal),
        array(GAP, 1, doubles(|contact| contact.gap)),
        vectors(NORMAL_FORCE, |contact| &contact.normal_force),
        vectors(FRICTION_FORCE, |contact| &contact.friction_force),
        vectors(SLIP, |contact| &contact.slip),
        array(STATE, 1, Values::UInt8(states)),
        array(FRICTION, 1, doubles(|contact| contact.friction)),
        array(BODIES, 2, Values::UInt32(bodies)),
    ];
    for (side, name) in FEATURES.into_iter().enumerate() {
        let nodes = contacts
            .iter()
            .flat_map(|contact| nodes(contact.features[side]));
        point_data.push(array(name, 3, Values::Int32(nodes.collect())));
    }
    let set = PointSet {
        points: contacts.iter().map(|contact| contact.place).collect(),
        point_data,
        field_data: names::encode(names),
    };
    let mut bytes = Vec::new();
    // Writing to a vector does not fail.
    write_vtp(&mut bytes, &set).map_err(|source| OutputError::write(path, source))?;
    Ok(bytes)
}

/// Reads the contacts of a frame that [`FrameWriter`](super::FrameWriter) wrote.
///
/// # Errors
/// [`OutputError::Read`] if the file cannot be read, [`OutputError::Format`] if it is no whole file of contacts.
pub fn read_contacts(path: impl AsRef<Path>) -> Result<FrameContacts, OutputError> {
    let path = path.as_ref();
    let bytes = super::read_regular(path).map_err(|source| OutputError::read(path, source))?;
    decode(&bytes, path)
}

/// The values, if there are `count` of them.
fn whole<T>(values: Option<Vec<T>>, count: usize) -> Option<Vec<T>> {
    values.filter(|values| values.len() == count)
}

pub(super) fn decode(bytes: &[u8], path: &Path) -> Result<FrameContacts, OutputError> {
    let fail = |problem: &str| OutputError::format(path, problem);
    let set = read_vtp(bytes).map_err(|error| fail(&super::vtu::beginning(&error.to_string())))?;
    let names = names::decode(set.field_data)
        .ok_or_else(|| fail("a number of a body has no name, or two"))?;
    let mut arrays = Arrays(set.point_data);
    let count = set.points.len();
    let missing = |name: &str| fail(&format!("the array `{name}` is missing or of another type"));
    let mut vectors = |name: &str| whole(arrays.vectors(name), count).ok_or_else(|| missing(name));
    let normals = vectors(NORMAL)?;
    let normal_forces = vectors(NORMAL_FORCE)?;
    let friction_forces = vectors(FRICTION_FORCE)?;
    let slips = vectors(SLIP)?;
    let mut doubles = |name: &str| whole(arrays.doubles(name), count).ok_or_else(|| missing(name));
    let gaps = doubles(GAP)?;
    let frictions = doubles(FRICTION)?;
    let Some(Values::UInt8(states)) = arrays.take(STATE).filter(|codes| codes.len() == count)
    else {
        return Err(missing(STATE));
    };
    let bodies = arrays.unsigned(BODIES).ok_or_else(|| missing(BODIES))?;
    let (bodies, []) = bodies.as_chunks::<2>() else {
        return Err(missing(BODIES));
    };
    let mut features = [Vec::new(), Vec::new()];
    for (of_side, name) in features.iter_mut().zip(FEATURES) {
        let Some(Values::Int32(nodes)) = arrays.take(name) else {
            return Err(missing(name));
        };
        let (nodes, []) = nodes.as_chunks::<3>() else {
            return Err(missing(name));
        };
        let read: Option<Vec<Feature>> = nodes.iter().map(feature).collect();
        *of_side =
            read.ok_or_else(|| fail("a feature is none of plane, vertex, edge and triangle"))?;
        if of_side.len() != count {
            return Err(missing(name));
        }
    }
    if bodies.len() != count {
        return Err(missing(BODIES));
    }
    if let Some(body) = bodies
        .as_flattened()
        .iter()
        .find(|&&body| body as usize >= names.len())
    {
        return Err(fail(&format!(
            "a contact is of body {body}, which has no name"
        )));
    }
    let contact = |index: usize| {
        Some(StoredContact {
            bodies: bodies[index],
            features: [features[0][index], features[1][index]],
            place: set.points[index],
            normal: normals[index],
            gap: gaps[index],
            normal_force: normal_forces[index],
            friction_force: friction_forces[index],
            slip: slips[index],
            state: state(states[index])?,
            friction: frictions[index],
        })
    };
    let contacts: Option<Vec<StoredContact>> = (0..count).map(contact).collect();
    let contacts = contacts.ok_or_else(|| fail("a state is none of 0, 1 and 2"))?;
    Ok(FrameContacts { names, contacts })
}

/// The number of a state in the file.
fn code(state: ContactState) -> u8 {
    match state {
        ContactState::Inactive => 0,
        ContactState::Sticking => 1,
        ContactState::Sliding => 2,
    }
}

/// The state of that number.
fn state(code: u8) -> Option<ContactState> {
    match code {
        0 => Some(ContactState::Inactive),
        1 => Some(ContactState::Sticking),
        2 => Some(ContactState::Sliding),
        _ => None,
    }
}

/// The nodes of a feature.
fn nodes(feature: Feature) -> [i32; 3] {
    match feature {
        Feature::Plane => [NO_NODE; 3],
        Feature::Vertex(a) => [a.cast_signed(), NO_NODE, NO_NODE],
        Feature::Edge([a, b]) => [a.cast_signed(), b.cast_signed(), NO_NODE],
        Feature::Triangle(nodes) => nodes.map(u32::cast_signed),
    }
}

/// The feature with these nodes.
fn feature(nodes: &[i32; 3]) -> Option<Feature> {
    match nodes.map(|node| u32::try_from(node).ok()) {
        [None, None, None] => Some(Feature::Plane),
        [Some(a), None, None] => Some(Feature::Vertex(a)),
        [Some(a), Some(b), None] => Some(Feature::Edge([a, b])),
        [Some(a), Some(b), Some(c)] => Some(Feature::Triangle([a, b, c])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn features() -> impl Strategy<Value = Feature> {
        let node = 0..i32::MAX as u32;
        prop_oneof![
            Just(Feature::Plane),
            node.clone().prop_map(Feature::Vertex),
            [node.clone(), node.clone()].prop_map(Feature::Edge),
            [node.clone(), node.clone(), node].prop_map(Feature::Triangle),
        ]
    }

    fn contacts() -> impl Strategy<Value = FrameContacts> {
        let vector = || any::<[f64; 3]>().prop_map(Vector3::from);
        let geometry = (vector(), vector(), any::<f64>(), [features(), features()]);
        let forces = (vector(), vector(), vector(), 0..3u8, any::<f64>());
        let contact = ([0..3u32, 0..3u32], geometry, forces).prop_map(
            |(bodies, (place, normal, gap, features), forces)| StoredContact {
                bodies,
                features,
                place,
                normal,
                gap,
                normal_force: forces.0,
                friction_force: forces.1,
                slip: forces.2,
                state: state(forces.3).expect("a code"),
                friction: forces.4,
            },
        );
        proptest::collection::vec(contact, 0..6).prop_map(|contacts| FrameContacts {
            names: ["a", "b & c", "a"].map(str::to_owned).to_vec(),
            contacts,
        })
    }

    proptest! {
        #[test]
        fn contacts_are_read_back_bit_for_bit(contacts in contacts()) {
            let path = Path::new("contacts_00000.vtp");
            let bytes = encode(&contacts, path).expect("memory");
            let again = decode(&bytes, path).expect("a whole file");
            // Equal bytes are equal bits, also of NaN.
            prop_assert_eq!(encode(&again, path).expect("memory"), bytes);
            prop_assert_eq!(again.names, contacts.names);
            prop_assert_eq!(again.contacts.len(), contacts.contacts.len());
        }
    }
}
