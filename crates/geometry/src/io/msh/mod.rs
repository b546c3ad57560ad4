//! Gmsh `.msh`, formats 1 to 4.1, ASCII and binary.
//!
//! The reader is our own because the common library (`mshio`, an oracle in the tests) reads 4.1 only and cannot say on
//! which line a file is wrong. Counts in the file are not trusted: memory grows with the content read so far.
//!
//! Format: Gmsh reference manual, sections "MSH file format" and "Legacy formats" (versions 1, 2 and 4.0),
//! <https://gmsh.info/doc/texinfo/gmsh.html#MSH-file-format>.

mod cursor;
mod element_type;
mod raw;
mod version2;
mod version4;
mod write;

pub(super) use write::write;

use std::collections::{BTreeMap, BTreeSet};

use self::cursor::{Cursor, Encoding};
use self::raw::{Nodes, RawElements};
use self::version4::{Minor, PhysicalGroups};
use super::NodeGroup;
use super::error::Problem;
use super::extract::Elements;

/// Reads the nodes and elements of a file.
pub(super) fn read(bytes: &[u8]) -> Result<Elements, Problem> {
    let mut cursor = Cursor::new(bytes);
    let mut version = None;
    let mut names = GroupNames::new();
    let mut groups = PhysicalGroups::new();
    let mut nodes: Option<Nodes> = None;
    let mut elements: Option<RawElements> = None;

    while let Some(section) = cursor.next_section()? {
        if section == "MeshFormat" || section == "NOD" {
            if version.is_some() {
                return Err(cursor.problem("the format is given twice"));
            }
            // Format 1 has no header.
            version = Some(match section.as_str() {
                "NOD" => Version::V1,
                _ => read_format(&mut cursor)?,
            });
        }
        match (section.as_str(), version) {
            (name @ ("Nodes" | "Elements" | "Entities" | "ELM"), None) => {
                return Err(cursor.problem(format!("$MeshFormat must come before ${name}")));
            }
            ("Nodes" | "NOD", Some(_)) if nodes.is_some() => {
                return Err(cursor.problem("a second section of nodes"));
            }
            ("Elements" | "ELM", Some(_)) if elements.is_some() => {
                return Err(cursor.problem("a second section of elements"));
            }
            ("MeshFormat", _) => {}
            ("PhysicalNames", _) => names = physical_names(&mut cursor)?,
            ("Entities", Some(Version::V4(minor))) => {
                groups = version4::entities(&mut cursor, minor)?;
            }
            ("NOD", Some(Version::V1)) | ("Nodes", Some(Version::V2)) => {
                nodes = Some(version2::nodes(&mut cursor)?);
            }
            ("Nodes", Some(Version::V4(minor))) => {
                nodes = Some(version4::nodes(&mut cursor, minor)?);
            }
            ("ELM", Some(Version::V1)) => {
                elements = Some(version2::elements_of_format_1(&mut cursor)?);
            }
            ("Elements", Some(Version::V2)) => elements = Some(version2::elements(&mut cursor)?),
            ("Elements", Some(Version::V4(minor))) => {
                elements = Some(version4::elements(&mut cursor, minor, &groups)?);
            }
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
    let version = version.ok_or_else(|| missing("MeshFormat"))?;
    let nodes = nodes.ok_or_else(|| missing("Nodes"))?;
    let elements = elements.ok_or_else(|| missing("Elements"))?;
    let groups = matches!(version, Version::V4(_)).then_some(&groups);
    resolve(nodes, elements, groups, &names)
}

/// A supported format version.
#[derive(Clone, Copy)]
enum Version {
    V1,
    V2,
    V4(Minor),
}

/// Reads the header and sets the encoding of the cursor.
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
        "4" | "4.0" => Version::V4(Minor::Zero),
        "4.1" => Version::V4(Minor::One),
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
            // The integer one shows the byte order.
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

/// Names of physical groups by dimension and number.
type GroupNames = BTreeMap<(u8, u32), String>;

/// `count`, then `dimension number "name"` on each line; text also in binary files.
fn physical_names(cursor: &mut Cursor<'_>) -> Result<GroupNames, Problem> {
    let mut names = GroupNames::new();
    for _ in 0..version2::text_count(cursor)? {
        let line = cursor.text_line()?;
        let mut parts = line.splitn(3, ' ');
        let (dimension, id, name) = (parts.next(), parts.next(), parts.next());
        let parsed = (
            dimension.map(str::parse),
            id.map(str::parse),
            name.map(str::trim),
        );
        let (Some(Ok(dimension)), Some(Ok(id)), Some(name)) = parsed else {
            let shown: String = line.chars().take(40).collect();
            return Err(cursor.problem(format!(
                "expected `dimension number \"name\"`, found {shown:?}"
            )));
        };
        let name = || name.trim_matches('"').to_owned();
        names.entry((dimension, id)).or_insert_with(name);
    }
    Ok(names)
}

/// Replaces node tags by indices; `groups` are those of the entities, in format 4.
fn resolve(
    nodes: Nodes,
    elements: RawElements,
    groups: Option<&PhysicalGroups>,
    names: &GroupNames,
) -> Result<Elements, Problem> {
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
    for polygon in elements.polygons {
        let corners: Vec<u32> = polygon.into_iter().map(index).collect::<Result<_, _>>()?;
        resolved.push_polygon(&corners);
    }
    let mut sets: Vec<Vec<u32>> = Vec::new();
    let mut sets_of_group: BTreeMap<(u8, u32), BTreeSet<usize>> = BTreeMap::new();
    for ((dimension, of), tags) in elements.sets {
        let nodes: Vec<u32> = tags.into_iter().map(index).collect::<Result<_, _>>()?;
        let itself = [of.1];
        let ids = groups.map_or(&itself[..], |groups| {
            groups.get(&of).map_or(&[][..], Vec::as_slice)
        });
        for id in ids {
            // 0 stands for no group, a sign for a reversed orientation.
            if let Ok(id @ 1..) = u32::try_from(id.unsigned_abs()) {
                let members = sets_of_group.entry((dimension, id)).or_default();
                members.insert(sets.len());
            }
        }
        sets.push(ascending(nodes));
    }
    for ((dimension, id), members) in sets_of_group {
        let nodes = members.iter().flat_map(|&set| &sets[set]).copied();
        resolved.groups.push(NodeGroup {
            dimension,
            id,
            name: names.get(&(dimension, id)).cloned(),
            nodes: ascending(nodes.collect()),
        });
    }
    Ok(resolved)
}

/// The nodes in ascending order, each once.
fn ascending(mut nodes: Vec<u32>) -> Vec<u32> {
    nodes.sort_unstable();
    nodes.dedup();
    nodes.shrink_to_fit();
    nodes
}
