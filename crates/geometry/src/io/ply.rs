//! Polygon file format `.ply`, ASCII and binary, through the `ply-rs-bw` crate.

use std::io::Cursor;

use nalgebra::Vector3;
use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{
    ElementDef, Encoding, Property, PropertyAccess, PropertyAccessResult, PropertyType, ScalarType,
};

use super::error::Problem;
use super::extract::Elements;

/// Reads the elements `vertex` and `face`; others (colours, edges) are ignored.
pub(super) fn read(bytes: &[u8]) -> Result<Elements, Problem> {
    let parser = Parser::<Entry>::new();
    let mut reader = Reader::new(Cursor::new(bytes));
    let header = parser
        .read_header(&mut reader)
        .map_err(|error| problem(&error, Encoding::Ascii))?;
    let mut elements = Elements::default();
    for (name, definition) in &header.elements {
        let left = bytes.len() as u64 - reader.get_ref().position().min(bytes.len() as u64);
        check_count(definition, header.encoding, left)?;
        let entries = parser
            .read_payload_for_element(&mut reader, definition, &header)
            .map_err(|error| problem(&error, header.encoding))?;
        match name.as_str() {
            "vertex" => {
                check_coordinates(definition)?;
                elements
                    .nodes
                    .extend(entries.iter().map(|entry| entry.position));
            }
            "face" => add_faces(&mut elements, &entries)?,
            "tristrips" => {
                elements
                    .other_surface
                    .get_or_insert((0, "triangle strip".to_owned()));
            }
            _ => {}
        }
    }
    Ok(elements)
}

fn add_faces(elements: &mut Elements, entries: &[Entry]) -> Result<(), Problem> {
    for (face, entry) in entries.iter().enumerate() {
        if entry.corners.len() < 3 {
            return Err(Problem::whole_file(format!(
                "face {face} has {} corners (property vertex_indices), but needs at least 3",
                entry.corners.len()
            )));
        }
        elements.push_polygon(&entry.corners);
    }
    Ok(())
}

/// The library trusts the counts of a header; this checks that they fit into the rest of the file.
fn check_count(definition: &ElementDef, encoding: Encoding, left: u64) -> Result<(), Problem> {
    let least: u64 = match encoding {
        // Each entry takes a line: at least its end.
        Encoding::Ascii => 1,
        _ => definition
            .properties
            .values()
            .map(|property| match &property.data_type {
                PropertyType::Scalar(scalar) | PropertyType::List(scalar, _) => width(scalar),
            })
            .sum(),
    };
    let count = definition.count as u64;
    // The last line may have no end.
    if count > 0 && (least == 0 || count > (left + 1) / least) {
        return Err(Problem::whole_file(format!(
            "the header announces {count} elements `{}`, but only {left} bytes are left for them: the file is \
             truncated or the header wrong",
            definition.name
        )));
    }
    Ok(())
}

/// Bytes of a number in a binary file.
fn width(scalar: &ScalarType) -> u64 {
    match scalar {
        ScalarType::Char | ScalarType::UChar => 1,
        ScalarType::Short | ScalarType::UShort => 2,
        ScalarType::Int | ScalarType::UInt | ScalarType::Float => 4,
        ScalarType::Double => 8,
    }
}

fn check_coordinates(definition: &ElementDef) -> Result<(), Problem> {
    match ["x", "y", "z"]
        .iter()
        .find(|&&name| !definition.properties.contains_key(name))
    {
        Some(name) => Err(Problem::whole_file(format!(
            "the vertices have no property `{name}`"
        ))),
        None => Ok(()),
    }
}

/// The library's error on one line; its line numbers are those of the file for ASCII only.
fn problem(error: &ParseError, encoding: Encoding) -> Problem {
    let text = error.to_string();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.split_once(": ").map_or(text.as_str(), |(head, rest)| {
        if head.starts_with("Line ") {
            rest
        } else {
            &text
        }
    });
    let shown: String = text.chars().take(200).collect();
    match error.line() {
        Some(line) if encoding == Encoding::Ascii => Problem::line(line, shown),
        _ => Problem::whole_file(shown),
    }
}

/// One element of any kind.
struct Entry {
    position: Vector3<f64>,
    corners: Vec<u32>,
}

impl PropertyAccess for Entry {
    fn new() -> Self {
        Self {
            position: Vector3::zeros(),
            corners: Vec::new(),
        }
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        if let Some(axis) = ["x", "y", "z"].iter().position(|&axis| axis == name) {
            if let Some(coordinate) = number(&property) {
                self.position[axis] = coordinate;
                return PropertyAccessResult::Set;
            }
            return PropertyAccessResult::UnsupportedType;
        }
        if name == "vertex_indices" || name == "vertex_index" {
            let Some(corners) = indices(property) else {
                return PropertyAccessResult::UnsupportedType;
            };
            self.corners = corners;
            return PropertyAccessResult::Set;
        }
        PropertyAccessResult::Ignored
    }
}

fn number(property: &Property) -> Option<f64> {
    match *property {
        Property::Char(value) => Some(f64::from(value)),
        Property::UChar(value) => Some(f64::from(value)),
        Property::Short(value) => Some(f64::from(value)),
        Property::UShort(value) => Some(f64::from(value)),
        Property::Int(value) => Some(f64::from(value)),
        Property::UInt(value) => Some(f64::from(value)),
        Property::Float(value) => Some(f64::from(value)),
        Property::Double(value) => Some(value),
        _ => None,
    }
}

/// Vertex numbers. A negative one becomes a number without a vertex, which the mesh reports.
fn indices(property: Property) -> Option<Vec<u32>> {
    fn each<T: TryInto<u32>>(values: Vec<T>) -> Vec<u32> {
        values
            .into_iter()
            .map(|value| value.try_into().unwrap_or(u32::MAX))
            .collect()
    }
    match property {
        Property::ListChar(values) => Some(each(values)),
        Property::ListUChar(values) => Some(each(values)),
        Property::ListShort(values) => Some(each(values)),
        Property::ListUShort(values) => Some(each(values)),
        Property::ListInt(values) => Some(each(values)),
        Property::ListUInt(values) => Some(values),
        _ => None,
    }
}
