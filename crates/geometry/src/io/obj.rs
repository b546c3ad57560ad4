//! Wavefront `.obj`: the `v` and `f` statements.

use std::io::{self, Write};

use nalgebra::Vector3;

use super::error::Problem;
use super::extract::Elements;
use crate::mesh::TriangleMesh;

/// Reads vertices and faces; texture coordinates, normals, groups, materials, lines and points are ignored.
///
/// Texture and normal indices are ignored, so files with a wrong number of `vn` lines are read. The common library,
/// `tobj`, is not used: it renumbers vertices, drops unused ones and reads single precision by default, so errors could
/// not name the vertex and coordinates would not be exact.
pub(super) fn read(bytes: &[u8]) -> Result<Elements, Problem> {
    let mut elements = Elements::default();
    let mut corners = Vec::new();
    for (line, statement) in statements(bytes) {
        let mut words = statement.split_ascii_whitespace();
        match words.next() {
            Some("v") => elements.nodes.push(vertex(line, words)?),
            Some("f") => {
                corners.clear();
                for word in words {
                    corners.push(corner(line, word, elements.nodes.len())?);
                }
                if corners.len() < 3 {
                    return Err(Problem::line(
                        line,
                        format!("a face needs at least 3 corners, found {}", corners.len()),
                    ));
                }
                elements.push_polygon(&corners);
            }
            _ => {}
        }
    }
    Ok(elements)
}

/// Statements with the line they start on; a backslash at the end of a line continues the statement.
fn statements(bytes: &[u8]) -> impl Iterator<Item = (usize, String)> {
    let text = String::from_utf8_lossy(bytes);
    let mut statements = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (index, line) in text.lines().enumerate() {
        // Material and group names may hold any bytes; only `v` and `f` lines are parsed.
        let line = line.split('#').next().unwrap_or_default();
        let (first_line, mut statement) = open.take().unwrap_or((index + 1, String::new()));
        let continues = line.trim_end().strip_suffix('\\');
        statement.push_str(continues.unwrap_or(line));
        if continues.is_some() {
            statement.push(' ');
            open = Some((first_line, statement));
        } else {
            statements.push((first_line, statement));
        }
    }
    statements.extend(open);
    statements.into_iter()
}

/// The three coordinates; a weight or a colour may follow.
pub(super) fn vertex<'a>(
    line: usize,
    mut words: impl Iterator<Item = &'a str>,
) -> Result<Vector3<f64>, Problem> {
    let mut position = Vector3::zeros();
    for axis in 0..3 {
        let word = words.next().ok_or_else(|| {
            Problem::line(line, format!("a vertex needs 3 coordinates, found {axis}"))
        })?;
        position[axis] = word
            .parse()
            .map_err(|_| Problem::line(line, format!("the coordinate {word:?} is not a number")))?;
    }
    Ok(position)
}

/// The vertex index of `v`, `v/vt`, `v//vn` or `v/vt/vn`: from 1, or from −1 backwards from the last vertex so far.
fn corner(line: usize, word: &str, vertices: usize) -> Result<u32, Problem> {
    let number = word.split('/').next().unwrap_or_default();
    let index: i64 = number.parse().map_err(|_| {
        Problem::line(
            line,
            format!("the face corner {word:?} does not start with a vertex number"),
        )
    })?;
    let from_zero = match index {
        0 => None,
        1.. => Some(index - 1),
        _ => i64::try_from(vertices)
            .ok()
            .and_then(|count| count.checked_add(index)),
    };
    from_zero
        .and_then(|index| u32::try_from(index).ok())
        .ok_or_else(|| {
            Problem::line(
                line,
                format!("there is no vertex {index}: numbers start at 1 or count back from -1"),
            )
        })
}

/// Writes vertices and faces.
pub(super) fn write(out: &mut impl Write, mesh: &TriangleMesh) -> io::Result<()> {
    writeln!(
        out,
        "# {} vertices, {} triangles, metres",
        mesh.vertices().len(),
        mesh.triangles().len()
    )?;
    for p in mesh.vertices() {
        writeln!(out, "v {:e} {:e} {:e}", p.x, p.y, p.z)?;
    }
    for [a, b, c] in mesh
        .triangles()
        .iter()
        .map(|corners| corners.map(|vertex| vertex + 1))
    {
        writeln!(out, "f {a} {b} {c}")?;
    }
    Ok(())
}
