//! Medit (INRIA) `.mesh`, the ASCII form that Gmsh, MMG, TetGen and CGAL exchange.
//!
//! Format: Frey, "MEDIT: an interactive mesh visualization software", INRIA RT-0253, 2001, chapter 6.

use std::io::{self, Write};

use nalgebra::Vector3;

use super::error::Problem;
use super::extract::Elements;
use crate::mesh::TetMesh;

/// Use of a section of elements.
enum Use {
    Tets,
    Polygons,
    Hexahedra,
    OtherSolid(&'static str),
}

/// The sections that are read, with the number of corners of their elements; all others are skipped.
const SECTIONS: [(&str, usize, Use); 6] = [
    ("tetrahedra", 4, Use::Tets),
    ("triangles", 3, Use::Polygons),
    ("quadrilaterals", 4, Use::Polygons),
    ("hexahedra", 8, Use::Hexahedra),
    ("hexaedra", 8, Use::Hexahedra),
    ("prisms", 6, Use::OtherSolid("6-node prism")),
];

/// Reads vertices, tetrahedra, hexahedra, triangles and quadrilaterals.
pub(super) fn read(bytes: &[u8]) -> Result<Elements, Problem> {
    if bytes.trim_ascii_start().starts_with(b"MFEM") {
        return Err(Problem::line(
            1,
            "this is a mesh of MFEM, whose files have the same ending as those of Medit: save it as .vtk, .vtu or .msh",
        ));
    }
    let text = String::from_utf8_lossy(bytes);
    let mut words = Words::new(&text);
    let mut elements = Elements::default();
    let mut found_vertices = false;
    while let Some((line, word)) = words.next() {
        let keyword = word.to_ascii_lowercase();
        match keyword.as_str() {
            "meshversionformatted" => {
                words.integer("the version")?;
            }
            "dimension" => {
                let dimension = words.integer("the dimension")?;
                if dimension != 3 {
                    return Err(Problem::line(
                        words.line,
                        format!("the dimension is {dimension}, but only 3 can be used"),
                    ));
                }
            }
            "vertices" if found_vertices => {
                return Err(Problem::line(line, "a second section Vertices"));
            }
            "vertices" => {
                found_vertices = true;
                for _ in 0..words.integer("the number of vertices")? {
                    elements.nodes.push(Vector3::new(
                        words.decimal()?,
                        words.decimal()?,
                        words.decimal()?,
                    ));
                    words.skip_reference();
                }
            }
            "end" => break,
            _ => match SECTIONS.iter().find(|(name, ..)| *name == keyword) {
                Some((name, corners, purpose)) => {
                    read_section(&mut words, &mut elements, name, *corners, purpose)?;
                }
                None if word.starts_with(|first: char| first.is_ascii_alphabetic()) => {
                    words.skip_numbers();
                }
                None => {
                    let shown: String = word.chars().take(40).collect();
                    return Err(Problem::line(
                        line,
                        format!(
                            "expected the name of a section such as Vertices, found {shown:?}: a count is wrong"
                        ),
                    ));
                }
            },
        }
    }
    if found_vertices {
        Ok(elements)
    } else {
        Err(Problem::whole_file(
            "there is no section Vertices: is the file truncated or not a Medit .mesh file?",
        ))
    }
}

fn read_section(
    words: &mut Words<'_>,
    elements: &mut Elements,
    name: &str,
    corners: usize,
    purpose: &Use,
) -> Result<(), Problem> {
    let count = words.integer(&format!("the number of {name}"))?;
    let mut nodes = [0; 8];
    for element in 0..count {
        for slot in &mut nodes[..corners] {
            *slot = words.node()?;
        }
        words.skip_reference();
        match (purpose, &nodes[..corners]) {
            (Use::Tets, &[a, b, c, d]) => elements.tets.push([a, b, c, d]),
            (Use::Polygons, polygon) => elements.push_polygon(polygon),
            (Use::Hexahedra, _) => elements.hexahedra.push(nodes),
            (Use::OtherSolid(kind), _) => {
                elements
                    .other_solid
                    .get_or_insert((element, (*kind).to_owned()));
            }
            (Use::Tets, _) => {}
        }
    }
    Ok(())
}

/// The words of the file with their lines, without comments.
struct Words<'a> {
    rest: Box<dyn Iterator<Item = (usize, &'a str)> + 'a>,
    next: Option<(usize, &'a str)>,
    /// Line of the last word.
    line: usize,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        let mut rest = Box::new(text.lines().enumerate().flat_map(|(index, line)| {
            let content = line.split('#').next().unwrap_or_default();
            content
                .split_ascii_whitespace()
                .map(move |word| (index + 1, word))
        }));
        Self {
            next: rest.next(),
            rest,
            line: 1,
        }
    }

    fn next(&mut self) -> Option<(usize, &'a str)> {
        let taken = self.next.take()?;
        self.line = taken.0;
        self.next = self.rest.next();
        Some(taken)
    }

    fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, Problem> {
        let Some((line, word)) = self.next() else {
            return Err(Problem::line(
                self.line,
                format!("expected {what}, but the file ends: it is truncated"),
            ));
        };
        word.parse().map_err(|_| {
            let shown: String = word.chars().take(40).collect();
            Problem::line(line, format!("expected {what}, found {shown:?}"))
        })
    }

    fn integer(&mut self, what: &str) -> Result<u64, Problem> {
        self.number(what)
    }

    fn decimal(&mut self) -> Result<f64, Problem> {
        self.number("a coordinate")
    }

    /// A node number from 1, as an index from 0.
    fn node(&mut self) -> Result<u32, Problem> {
        let number: u32 = self.number("a vertex number")?;
        number
            .checked_sub(1)
            .ok_or_else(|| Problem::line(self.line, "there is no vertex 0: numbers start at 1"))
    }

    /// Skips the reference number at the end of an entry, on the entry's line; some writers omit it.
    fn skip_reference(&mut self) {
        if self.next.is_some_and(|(line, _)| line == self.line) {
            self.next();
        }
    }

    /// Skips everything up to the next name of a section.
    fn skip_numbers(&mut self) {
        while self
            .next
            .is_some_and(|(_, word)| !word.starts_with(|c: char| c.is_ascii_alphabetic()))
        {
            self.next();
        }
    }
}

/// Writes vertices and tetrahedra.
pub(super) fn write(out: &mut impl Write, mesh: &TetMesh) -> io::Result<()> {
    writeln!(out, "MeshVersionFormatted 2\nDimension 3\n")?;
    writeln!(out, "Vertices\n{}", mesh.nodes().len())?;
    for p in mesh.nodes() {
        writeln!(out, "{:e} {:e} {:e} 0", p.x, p.y, p.z)?;
    }
    writeln!(out, "\nTetrahedra\n{}", mesh.tets().len())?;
    for tet in mesh.tets() {
        let [a, b, c, d] = tet.map(|node| node + 1);
        writeln!(out, "{a} {b} {c} {d} 0")?;
    }
    writeln!(out, "\nEnd")
}
