//! Stereolithography `.stl`, binary and ASCII.
//!
//! The reader is our own because the common library (`stl_io`) takes every file that begins with `solid` for ASCII, as
//! binary files of several programs do, reads ASCII numbers in single precision, and cannot say on which line a file is
//! wrong.

use std::collections::HashMap;
use std::io::{self, Write};

use nalgebra::Vector3;

use super::error::{ParseError, Place, Problem};
use super::extract::Elements;
use super::obj::vertex;
use crate::mesh::TriangleMesh;

/// Bytes before the triangles of a binary file: a title and a count.
const HEADER: usize = 84;

/// Bytes per triangle: normal and corners in single precision, and two without fixed meaning.
const RECORD: usize = 50;

/// Reads the triangles and welds corners at the same position; normals are ignored.
pub(super) fn read(bytes: &[u8]) -> Result<Elements, Problem> {
    let mut soup = Soup::default();
    let announced = announced_triangles(bytes);
    let records = announced.and_then(|count| records(bytes, count));
    if let Some(records) = records {
        for record in records {
            for corner in record[12..48].as_chunks::<12>().0 {
                soup.push(single_precision(corner));
            }
        }
    } else if starts_as_text(bytes) {
        read_ascii(bytes, &mut soup)?;
    } else {
        return Err(match announced {
            Some(count) => Problem::Parse(ParseError {
                place: Place::Byte {
                    byte: HEADER - 4,
                    section: None,
                },
                problem: format!(
                    "the header announces {count} triangles, which take {} bytes, but {} follow: the file is \
                     truncated or no binary .stl file",
                    RECORD * count,
                    bytes.len() - HEADER
                ),
            }),
            None => Problem::whole_file(
                "neither the word `solid` of an ASCII .stl file nor the header of a binary one: the file is truncated",
            ),
        });
    }
    let mut elements = Elements {
        nodes: soup.vertices,
        ..Elements::default()
    };
    for triangle in soup.corners.as_chunks::<3>().0 {
        elements.push_polygon(triangle);
    }
    Ok(elements)
}

/// The count of a binary header, if the file is long enough for one.
fn announced_triangles(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(HEADER - 4..HEADER)?.first_chunk::<4>()?;
    usize::try_from(u32::from_le_bytes(*count)).ok()
}

/// The triangles of a binary file; some programs append data of their own.
///
/// The first bytes of a text, read as a count, are always far beyond its length.
fn records(bytes: &[u8], count: usize) -> Option<&[[u8; RECORD]]> {
    let (records, rest) = bytes[HEADER..].as_chunks::<RECORD>();
    if count == 0 && !(records.is_empty() && rest.is_empty()) {
        return None;
    }
    records.get(..count)
}

fn single_precision(corner: &[u8; 12]) -> Vector3<f64> {
    let numbers = corner.as_chunks::<4>().0;
    Vector3::from_fn(|axis, _| f64::from(f32::from_le_bytes(numbers[axis])))
}

fn starts_as_text(bytes: &[u8]) -> bool {
    bytes
        .trim_ascii_start()
        .get(..5)
        .is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
}

/// Reads the `vertex` statements, three to a facet.
fn read_ascii(bytes: &[u8], soup: &mut Soup) -> Result<(), Problem> {
    let text = String::from_utf8_lossy(bytes);
    // Some systems mark the end of a text with these.
    let text = text.trim_end_matches(['\0', '\u{1a}']);
    let mut in_facet = None;
    let mut lines = 0;
    for (index, statement) in text.lines().enumerate() {
        lines = index + 1;
        let mut words = statement.split_ascii_whitespace();
        let mut keyword = words.next().unwrap_or_default().to_ascii_lowercase();
        if keyword == "end" {
            // Some programs write `end solid`, `end facet` and `end loop`.
            keyword.push_str(&words.next().unwrap_or_default().to_ascii_lowercase());
        }
        match (keyword.as_str(), in_facet) {
            ("facet", None) => in_facet = Some(0),
            ("vertex", Some(count)) if count < 3 => {
                soup.push(vertex(lines, words)?);
                in_facet = Some(count + 1);
            }
            ("vertex", Some(_)) => {
                return Err(Problem::line(lines, "a facet has more than 3 vertices"));
            }
            ("endfacet", Some(3)) => in_facet = None,
            ("endfacet", Some(count)) => {
                return Err(Problem::line(
                    lines,
                    format!("a facet needs 3 vertices, found {count}"),
                ));
            }
            ("" | "outer" | "outerloop" | "loop" | "endloop" | "color", _)
            | ("solid" | "endsolid", None) => {}
            _ => {
                let shown: String = statement.trim().chars().take(40).collect();
                return Err(Problem::line(
                    lines,
                    format!("{shown:?} has no place here in an ASCII .stl file"),
                ));
            }
        }
    }
    if in_facet.is_some() {
        return Err(Problem::line(
            lines,
            "the file ends inside a facet: it is truncated",
        ));
    }
    Ok(())
}

/// Corners in threes, each position once, in the order of its first appearance.
#[derive(Default)]
struct Soup {
    vertices: Vec<Vector3<f64>>,
    corners: Vec<u32>,
    /// Looked up by the bits of a position, never iterated.
    known: HashMap<[u64; 3], u32>,
}

impl Soup {
    fn push(&mut self, position: Vector3<f64>) {
        // Adding 0.0 turns −0 into +0.
        let key = [0, 1, 2].map(|axis| (position[axis] + 0.0_f64).to_bits());
        let next = self.vertices.len() as u32;
        let vertex = *self.known.entry(key).or_insert(next);
        if vertex == next {
            self.vertices.push(position);
        }
        self.corners.push(vertex);
    }
}

/// Writes ASCII; coordinates keep all their digits, and normals follow the winding.
pub(super) fn write(out: &mut impl Write, mesh: &TriangleMesh) -> io::Result<()> {
    writeln!(out, "solid impinge")?;
    for triangle in 0..mesh.triangles().len() {
        let corners = mesh.corners(triangle);
        let [a, b, c] = corners;
        let normal = (b - a)
            .cross(&(c - a))
            .try_normalize(0.0)
            .unwrap_or_else(Vector3::zeros);
        writeln!(
            out,
            "facet normal {:e} {:e} {:e}\nouter loop",
            normal.x, normal.y, normal.z
        )?;
        for p in corners {
            writeln!(out, "vertex {:e} {:e} {:e}", p.x, p.y, p.z)?;
        }
        writeln!(out, "endloop\nendfacet")?;
    }
    writeln!(out, "endsolid impinge")
}
