//! Contacts and reactions as structured arrays.
//!
//! Numbers are copied before anything of Python is made: the simulation is locked meanwhile, and Python may switch to a
//! thread that asks for it.

use impinge_contact::ContactState;
use impinge_sim::measure::contacts::Feature;
use impinge_sim::measure::reactions::ReactionKind;
use impinge_sim::{Reaction, Simulation as Sim};
use nalgebra::Vector3;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays;

/// Nodes of the two features of a contact, three each; the rest is -1.
type Features = [[i32; 3]; 2];

/// The contacts that push, column by column.
#[derive(Default)]
pub(crate) struct Contacts {
    /// Names of all bodies, obstacles and half-spaces.
    names: Vec<String>,
    solids: Vec<[u32; 2]>,
    features: Vec<Features>,
    place: Vec<Vector3<f64>>,
    normal: Vec<Vector3<f64>>,
    gap: Vec<f64>,
    force: Vec<Vector3<f64>>,
    normal_force: Vec<f64>,
    friction_force: Vec<Vector3<f64>>,
    slip: Vec<Vector3<f64>>,
    state: Vec<&'static str>,
    friction: Vec<f64>,
}

impl Contacts {
    pub(crate) fn of(simulation: &Sim) -> Self {
        let names = simulation.bodies().map(|body| body.name().to_owned());
        let mut columns = Self {
            names: names.collect(),
            ..Self::default()
        };
        for contact in simulation.contacts() {
            columns
                .solids
                .push(contact.solids.map(|solid| solid as u32));
            columns.features.push(contact.features.map(nodes));
            columns.place.push(contact.place);
            columns.normal.push(contact.normal);
            columns.gap.push(contact.gap);
            columns.force.push(contact.force());
            columns.normal_force.push(contact.normal_force);
            columns.friction_force.push(contact.friction_force);
            columns.slip.push(contact.slip);
            columns.state.push(match contact.state {
                ContactState::Inactive => "inactive",
                ContactState::Sliding => "sliding",
                ContactState::Sticking => "sticking",
            });
            columns.friction.push(contact.friction);
        }
        columns
    }

    /// As a structured array.
    pub(crate) fn array(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let count = self.gap.len();
        let names = py.import("numpy")?.call_method1("array", (self.names,))?;
        let name = names
            .getattr("dtype")?
            .getattr("str")?
            .extract::<String>()?;
        let bodies = names.get_item(arrays::from_elements(py, &self.solids)?)?;
        let features = PyArray1::from_slice(py, self.features.as_flattened().as_flattened());
        let vectors = |rows: &[Vector3<f64>]| arrays::from_vectors(py, rows).map(Bound::into_any);
        let numbers = |entries: Vec<f64>| PyArray1::from_vec(py, entries).into_any();
        structured(
            count,
            [
                ("bodies", format!("(2,){name}"), bodies),
                (
                    "features",
                    "(2,3)i4".to_owned(),
                    features.reshape([count, 2, 3])?.into_any(),
                ),
                ("place", VECTOR.to_owned(), vectors(&self.place)?),
                ("normal", VECTOR.to_owned(), vectors(&self.normal)?),
                ("gap", NUMBER.to_owned(), numbers(self.gap)),
                ("force", VECTOR.to_owned(), vectors(&self.force)?),
                (
                    "normal_force",
                    NUMBER.to_owned(),
                    numbers(self.normal_force),
                ),
                (
                    "friction_force",
                    VECTOR.to_owned(),
                    vectors(&self.friction_force)?,
                ),
                ("slip", VECTOR.to_owned(), vectors(&self.slip)?),
                (
                    "state",
                    "U8".to_owned(),
                    PyList::new(py, self.state)?.into_any(),
                ),
                ("friction", NUMBER.to_owned(), numbers(self.friction)),
            ],
        )
    }
}

fn nodes(feature: Feature) -> [i32; 3] {
    let mut nodes = [-1; 3];
    let own: &[u32] = match &feature {
        Feature::Vertex(node) => std::slice::from_ref(node),
        Feature::Edge(nodes) => nodes,
        Feature::Triangle(nodes) => nodes,
        Feature::Plane => &[],
    };
    for (node, &own) in nodes.iter_mut().zip(own) {
        *node = own.cast_signed();
    }
    nodes
}

/// A reaction, with names of its own.
pub(crate) struct Reacting {
    kind: &'static str,
    name: String,
    body: String,
    place: Vector3<f64>,
    force: Vector3<f64>,
    torque: Vector3<f64>,
}

impl From<&Reaction<'_>> for Reacting {
    fn from(reaction: &Reaction<'_>) -> Self {
        Self {
            kind: match reaction.kind {
                ReactionKind::Held => "held",
                ReactionKind::Driven => "driven",
                ReactionKind::Joint => "joint",
            },
            name: reaction.name.to_owned(),
            body: reaction.body.to_owned(),
            place: reaction.place,
            force: reaction.force,
            torque: reaction.torque,
        }
    }
}

impl Reacting {
    /// Several as a structured array.
    pub(crate) fn array<'py>(py: Python<'py>, all: &[Self]) -> PyResult<Bound<'py, PyAny>> {
        let texts = |of: fn(&Self) -> &str| -> PyResult<_> {
            let longest = all.iter().map(|own| of(own).chars().count()).max();
            let list = PyList::new(py, all.iter().map(of))?;
            Ok((format!("U{}", longest.unwrap_or(1).max(1)), list.into_any()))
        };
        let vectors = |of: fn(&Self) -> Vector3<f64>| {
            let rows: Vec<Vector3<f64>> = all.iter().map(of).collect();
            arrays::from_vectors(py, &rows).map(Bound::into_any)
        };
        let (name_type, names) = texts(|own| &own.name)?;
        let (body_type, bodies) = texts(|own| &own.body)?;
        let kinds = PyList::new(py, all.iter().map(|own| own.kind))?.into_any();
        structured(
            all.len(),
            [
                ("kind", "U6".to_owned(), kinds),
                ("name", name_type, names),
                ("body", body_type, bodies),
                ("place", VECTOR.to_owned(), vectors(|own| own.place)?),
                ("force", VECTOR.to_owned(), vectors(|own| own.force)?),
                ("torque", VECTOR.to_owned(), vectors(|own| own.torque)?),
            ],
        )
    }

    /// One as a dictionary.
    pub(crate) fn dictionary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let own = PyDict::new(py);
        own.set_item("kind", self.kind)?;
        own.set_item("name", &self.name)?;
        own.set_item("body", &self.body)?;
        for (key, vector) in [
            ("place", &self.place),
            ("force", &self.force),
            ("torque", &self.torque),
        ] {
            own.set_item(key, PyArray1::from_slice(py, vector.as_slice()))?;
        }
        Ok(own)
    }
}

/// Types of fields, as NumPy names them.
const NUMBER: &str = "f8";
const VECTOR: &str = "(3,)f8";

/// A structured array of columns, each with its name and type.
fn structured<'py, const N: usize>(
    count: usize,
    columns: [(&str, String, Bound<'py, PyAny>); N],
) -> PyResult<Bound<'py, PyAny>> {
    let py = columns[0].2.py();
    let types = columns.iter().map(|(name, kind, _)| (*name, kind.as_str()));
    let types = PyList::new(py, types)?;
    let array = py.import("numpy")?.call_method1("zeros", (count, types))?;
    if count > 0 {
        for (name, _, values) in columns {
            array.set_item(name, values)?;
        }
    }
    Ok(array)
}
