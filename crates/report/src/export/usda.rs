//! A film as the text form of USD, <https://openusd.org/release/api/usd_geom_page_front.html>.
//!
//! Each body is a mesh with its name and its colour; the points of moving bodies have a sample per frame.

use std::{collections::HashSet, f64::consts::PI, fmt};

use nalgebra::{UnitQuaternion, Vector3};
use openusd::gf::{Vec3f, vec3f};
use openusd::sdf::{
    ChildrenKey, Data, FieldKey, Path, SpecData, SpecType, Specifier, Value, Variability,
};
use openusd::tf::Token;
use openusd::usda::TextWriter;
use thiserror::Error;

use super::colours::{OF_WALLS, linear, of_body};
use super::solid::Solid;
use crate::viewer::Film;
use crate::viewer::patch::patch;

/// The root, over all bodies.
const ROOT: &str = "run";

/// A value without a text form, in the words of the writer.
#[derive(Debug, Error)]
#[error("the film has no text form: {0}")]
pub struct UsdaError(String);

impl UsdaError {
    fn new(cause: &dyn fmt::Display) -> Self {
        Self(cause.to_string())
    }
}

/// The text of the file. Lengths are in metres; the unit of time codes is the time between the first two frames. The
/// vertical of the scene is z or y; another one is turned to z.
///
/// # Errors
/// [`UsdaError`] from the writer of the format.
pub fn usda(film: &Film) -> Result<String, UsdaError> {
    let times: Vec<f64> = film.shots.iter().map(|shot| shot.time).collect();
    let pace = match times[..] {
        [first, second, ..] if second > first => 1.0 / (second - first),
        _ => 1.0,
    };
    let codes: Vec<f64> = times.iter().map(|time| (time - times[0]) * pace).collect();
    let up = film.stage.up();
    let is_y = up == Vector3::y();
    let turn = if is_y || up == Vector3::z() {
        UnitQuaternion::identity()
    } else {
        let turn = UnitQuaternion::rotation_between(&up, &Vector3::z());
        turn.unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI))
    };
    let mut layer = Layer::default();
    for solid in Solid::all(film) {
        let samples = (0..film.shots.len()).map(|shot| single(&turn, &solid.points(film, shot)));
        layer.add_mesh(Mesh {
            name: &solid.name,
            corners: &solid.corners,
            points: codes.iter().copied().zip(samples).collect(),
            colour: of_body(solid.number),
        })?;
    }
    for wall in &film.stage.names.walls {
        if let Some(corners) = patch(&wall.point, &wall.normal, film.limits.corners().iter()) {
            layer.add_mesh(Mesh {
                name: &wall.name,
                corners: &[0, 1, 2, 0, 2, 3],
                points: vec![(0.0, single(&turn, &corners))],
                colour: OF_WALLS,
            })?;
        }
    }
    let end = codes.last().copied().unwrap_or(0.0);
    layer.finish(
        &film.stage.names.title,
        if is_y { "Y" } else { "Z" },
        pace,
        end,
    )
}

/// A mesh, and its points at their time codes.
struct Mesh<'a> {
    name: &'a str,
    corners: &'a [u32],
    points: Vec<(f64, Vec<Vec3f>)>,
    /// Its parts from 0 to 255.
    colour: [f32; 3],
}

/// An attribute of a mesh.
struct Attribute {
    name: &'static str,
    kind: &'static str,
    values: Vec<(FieldKey, Value)>,
}

impl Attribute {
    /// An attribute with one value at all times.
    fn constant(name: &'static str, kind: &'static str, value: Value) -> Self {
        Self {
            name,
            kind,
            values: vec![(FieldKey::Default, value)],
        }
    }

    /// The same attribute, which must not change in time.
    fn uniform(mut self) -> Self {
        let uniform = Value::Variability(Variability::Uniform);
        self.values.push((FieldKey::Variability, uniform));
        self
    }
}

/// The attributes of a mesh: its shape, its colour, and that its triangles are flat and have two sides.
fn attributes_of(mesh: Mesh<'_>) -> [Attribute; 6] {
    let mut points = mesh.points;
    let is_moving = points.iter().any(|(_, at)| *at != points[0].1);
    if !is_moving {
        points.truncate(1);
    }
    let mut samples: Vec<(f64, Value)> = (points.into_iter())
        .map(|(code, at)| (code, Value::Vec3fVec(at)))
        .collect();
    let places = if is_moving {
        Some((FieldKey::TimeSamples, Value::TimeSamples(samples)))
    } else {
        samples.pop().map(|(_, at)| (FieldKey::Default, at))
    };
    let indices: Vec<i32> = mesh
        .corners
        .iter()
        .map(|&corner| corner.cast_signed())
        .collect();
    let counts = vec![3_i32; indices.len() / 3];
    let [r, g, b] = mesh.colour.map(|part| linear(part / 255.0));
    let colour = Value::Vec3fVec(vec![vec3f(r, g, b)]);
    [
        Attribute {
            name: "points",
            kind: "point3f[]",
            values: places.into_iter().collect(),
        },
        Attribute::constant("faceVertexCounts", "int[]", Value::IntVec(counts)),
        Attribute::constant("faceVertexIndices", "int[]", Value::IntVec(indices)),
        Attribute::constant("primvars:displayColor", "color3f[]", colour),
        Attribute::constant("subdivisionScheme", "token", Value::Token("none".into())).uniform(),
        Attribute::constant("doubleSided", "bool", Value::Bool(true)).uniform(),
    ]
}

/// A layer under construction.
#[derive(Default)]
struct Layer {
    data: Data,
    names: Vec<Token>,
    known: HashSet<String>,
}

impl Layer {
    fn add_mesh(&mut self, mesh: Mesh<'_>) -> Result<(), UsdaError> {
        let identifier = self.identifier(mesh.name);
        let place = path(&format!("/{ROOT}/{identifier}"))?;
        self.names.push(identifier.into());
        let display_name = Value::String(plain_text(mesh.name));
        let attributes = attributes_of(mesh);
        let names = attributes
            .iter()
            .map(|attribute| Token::from(attribute.name))
            .collect();
        let prim = self.prim(place.clone(), "Mesh");
        prim.add(FieldKey::DisplayName, display_name);
        prim.add(ChildrenKey::PropertyChildren, Value::TokenVec(names));
        for attribute in attributes {
            let property =
                (place.append_property(attribute.name)).map_err(|cause| UsdaError::new(&cause))?;
            let spec = (self.data).create_spec(property, SpecType::Attribute);
            spec.add(FieldKey::TypeName, Value::Token(attribute.kind.into()));
            for (key, value) in attribute.values {
                spec.add(key, value);
            }
        }
        Ok(())
    }

    fn prim(&mut self, place: Path, kind: &str) -> &mut SpecData {
        let prim = self.data.create_spec(place, SpecType::Prim);
        prim.add(FieldKey::Specifier, Value::Specifier(Specifier::Def));
        prim.add(FieldKey::TypeName, Value::Token(kind.into()));
        prim
    }

    /// A name of letters, digits and underscores that no other mesh has.
    fn identifier(&mut self, name: &str) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut plain: String = name
            .chars()
            .map(|c| if is_plain(c) { c } else { '_' })
            .collect();
        if !plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            plain.insert(0, '_');
        }
        let mut identifier = plain.clone();
        let mut further = 1;
        while !self.known.insert(identifier.clone()) {
            further += 1;
            identifier = format!("{plain}_{further}");
        }
        identifier
    }

    fn finish(mut self, title: &str, up: &str, pace: f64, end: f64) -> Result<String, UsdaError> {
        let names = std::mem::take(&mut self.names);
        let root = self.prim(path(&format!("/{ROOT}"))?, "Xform");
        root.add(FieldKey::DisplayName, Value::String(plain_text(title)));
        root.add(ChildrenKey::PrimChildren, Value::TokenVec(names));
        let layer = (self.data).create_spec(Path::abs_root(), SpecType::PseudoRoot);
        layer.add(FieldKey::DefaultPrim, Value::Token(ROOT.into()));
        layer.add("metersPerUnit", Value::Double(1.0));
        layer.add("upAxis", Value::Token(up.into()));
        layer.add(FieldKey::TimeCodesPerSecond, Value::Double(pace));
        layer.add(FieldKey::FramesPerSecond, Value::Double(pace));
        layer.add(FieldKey::StartTimeCode, Value::Double(0.0));
        layer.add(FieldKey::EndTimeCode, Value::Double(end));
        layer.add(
            ChildrenKey::PrimChildren,
            Value::TokenVec(vec![ROOT.into()]),
        );
        TextWriter::write_to_string(&self.data).map_err(|cause| UsdaError::new(&cause))
    }
}

fn path(text: &str) -> Result<Path, UsdaError> {
    Path::new(text).map_err(|cause| UsdaError::new(&cause))
}

/// A text without the characters that the writer and readers of the format take differently: those of escapes.
fn plain_text(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '"' => '\'',
            '\\' => '/',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect()
}

fn single(turn: &UnitQuaternion<f64>, points: &[Vector3<f64>]) -> Vec<Vec3f> {
    (points.iter())
        .map(|x| turn * x)
        .map(|x| vec3f(x.x as f32, x.y as f32, x.z as f32))
        .collect()
}
