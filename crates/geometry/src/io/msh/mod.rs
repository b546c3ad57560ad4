//! Gmsh `.msh`, formats 2.2 and 4.1, ASCII and binary.
//!
//! The reader is our own because the common library (`mshio`, an oracle in the tests) reads 4.1 only and cannot say on
//! which line a file is wrong. Counts in the file are never trusted with memory: storage grows with what has actually been read.
//!
//! Format: Gmsh reference manual, section "MSH file format" and "MSH file format version 2 (Legacy)",
//! <https://gmsh.info/doc/texinfo/gmsh.html#MSH-file-format>.

mod cursor;
mod element_type;
mod version2;
mod version4;
mod write;

pub(super) use write::write;

use nalgebra::Vector3;

use self::cursor::{Cursor, Encoding};
use self::element_type::{ElementType, Use};
use super::error::Problem;
use super::extract::Elements;

/// Reads the nodes and elements of a file.
pub(super) fn read(bytes: &[u8]) -> Result<Elements, Problem> {
    let mut cursor = Cursor::new(bytes);
    let mut version = None;
    let mut nodes: Option<Nodes> = None;
    let mut elements: Option<RawElements> = None;

    while let Some(section) = cursor.next_section()? {
        match (section.as_str(), version) {
            ("MeshFormat", None) => version = Some(read_format(&mut cursor)?),
            ("MeshFormat", Some(_)) => return Err(cursor.problem("the format is given twice")),
            (name @ ("Nodes" | "Elements"), None) => {
                return Err(cursor.problem(format!("$MeshFormat must come before ${name}")));
            }
            ("Nodes", Some(_)) if nodes.is_some() => {
                return Err(cursor.problem("a second $Nodes section"));
            }
            ("Elements", Some(_)) if elements.is_some() => {
                return Err(cursor.problem("a second $Elements section"));
            }
            ("Nodes", Some(Version::V2)) => nodes = Some(version2::nodes(&mut cursor)?),
            ("Nodes", Some(Version::V4)) => nodes = Some(version4::nodes(&mut cursor)?),
            ("Elements", Some(Version::V2)) => elements = Some(version2::elements(&mut cursor)?),
            ("Elements", Some(Version::V4)) => elements = Some(version4::elements(&mut cursor)?),
            _ => {
                cursor.skip_section(&section)?;
                continue;
            }
        }
        cursor.end_section(&section)?;
    }

    let missing = |section: &str| {
        Problem::whole_file(format!(
            "there is no ${section} section: is the file truncated or not a Gmsh .msh file?"
        ))
    };
    version.ok_or_else(|| missing("MeshFormat"))?;
    let nodes = nodes.ok_or_else(|| missing("Nodes"))?;
    let elements = elements.ok_or_else(|| missing("Elements"))?;
    resolve(nodes, elements)
}

/// A supported format version.
#[derive(Clone, Copy)]
enum Version {
    V2,
    V4,
}

/// Reads the header and tells the cursor how numbers are stored.
fn read_format(cursor: &mut Cursor<'_>) -> Result<Version, Problem> {
    let line = cursor.text_line()?;
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let [version, file_type, data_size] = words[..] else {
        return Err(cursor.problem(format!(
            "expected `version file-type data-size`, found {line:?}"
        )));
    };
    let version = match version {
        "2" | "2.0" | "2.1" | "2.2" => Version::V2,
        "4.1" => Version::V4,
        _ => {
            return Err(cursor.problem(format!(
                "format {version} is not supported: save as 4.1 or 2.2 (gmsh -save -format msh41)"
            )));
        }
    };
    if data_size != "8" {
        return Err(cursor.problem(format!(
            "a data size of {data_size} is not supported, only 8"
        )));
    }
    match file_type {
        "0" => {}
        "1" => {
            // An integer one tells the byte order.
            let encoding = match cursor.take::<4>()? {
                [1, 0, 0, 0] => Encoding::LittleEndian,
                [0, 0, 0, 1] => Encoding::BigEndian,
                _ => return Err(cursor.problem("the byte order mark after the header is not 1")),
            };
            cursor.set_encoding(encoding);
        }
        _ => {
            return Err(cursor.problem(format!(
                "file type {file_type} is neither 0 (ASCII) nor 1 (binary)"
            )));
        }
    }
    Ok(version)
}

/// Node tags and positions in file order.
#[derive(Default)]
struct Nodes {
    tags: Vec<u64>,
    positions: Vec<Vector3<f64>>,
}

/// Elements by node tags in file order.
#[derive(Default)]
struct RawElements {
    tets: Vec<[u64; 4]>,
    hexahedra: Vec<[u64; 8]>,
    triangles: Vec<[u64; 3]>,
    other_solid: Option<(u64, String)>,
    other_surface: Option<(u64, String)>,
}

impl RawElements {
    /// Files an element away by its type.
    fn push(&mut self, tag: u64, kind: &ElementType, nodes: &[u64]) {
        match (kind.purpose, nodes) {
            (Use::Tet, &[a, b, c, d]) => self.tets.push([a, b, c, d]),
            (Use::Polygon, &[a, ref rest @ ..]) => {
                self.triangles
                    .extend(rest.windows(2).map(|pair| [a, pair[0], pair[1]]));
            }
            (Use::Hexahedron, corners) => {
                self.hexahedra.extend(<[u64; 8]>::try_from(corners));
            }
            (Use::OtherSolid, _) => {
                self.other_solid.get_or_insert((tag, kind.name.to_owned()));
            }
            (Use::OtherSurface, _) => {
                self.other_surface
                    .get_or_insert((tag, kind.name.to_owned()));
            }
            _ => {}
        }
    }
}

/// Replaces node tags by indices.
fn resolve(nodes: Nodes, elements: RawElements) -> Result<Elements, Problem> {
    let mut index_of_tag: Vec<(u64, u32)> = nodes.tags.iter().copied().zip(0u32..).collect();
    index_of_tag.sort_unstable();
    if let Some(pair) = index_of_tag.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(Problem::whole_file(format!(
            "the node tag {} occurs twice: renumber the nodes",
            pair[0].0
        )));
    }
    let index = |tag: u64| {
        index_of_tag
            .binary_search_by_key(&tag, |&(tag, _)| tag)
            .map(|place| index_of_tag[place].1)
            .map_err(|_| {
                Problem::whole_file(format!(
                    "an element refers to node tag {tag}, which is not in $Nodes"
                ))
            })
    };
    let mut resolved = Elements {
        nodes: nodes.positions,
        other_solid: elements.other_solid,
        other_surface: elements.other_surface,
        ..Elements::default()
    };
    for [a, b, c, d] in elements.tets {
        resolved
            .tets
            .push([index(a)?, index(b)?, index(c)?, index(d)?]);
    }
    for corners in elements.hexahedra {
        let mut hexahedron = [0; 8];
        for (slot, tag) in hexahedron.iter_mut().zip(corners) {
            *slot = index(tag)?;
        }
        resolved.hexahedra.push(hexahedron);
    }
    for [a, b, c] in elements.triangles {
        resolved.triangles.push([index(a)?, index(b)?, index(c)?]);
    }
    Ok(resolved)
}
