//! Sections of formats 1 and 2.

use nalgebra::Vector3;

use super::super::error::Problem;
use super::cursor::Cursor;
use super::element_type::{ElementType, element_type};
use super::raw::{Nodes, RawElements};

/// `count`, then `tag x y z` for each node; the count is text also in binary files.
pub(super) fn nodes(cursor: &mut Cursor<'_>) -> Result<Nodes, Problem> {
    let count = text_count(cursor)?;
    let mut nodes = Nodes::default();
    for _ in 0..count {
        nodes.tags.push(cursor.unsigned_int()?);
        nodes.positions.push(Vector3::new(
            cursor.double()?,
            cursor.double()?,
            cursor.double()?,
        ));
    }
    Ok(nodes)
}

/// ASCII: `tag type tag-count tags.. nodes..` for each element. Binary: blocks of `type element-count tag-count`, each
/// followed by `tag tags.. nodes..` for its elements.
pub(super) fn elements(cursor: &mut Cursor<'_>) -> Result<RawElements, Problem> {
    let count = text_count(cursor)?;
    let mut elements = RawElements::default();
    if cursor.is_ascii() {
        for _ in 0..count {
            let tag = cursor.unsigned_int()?;
            let kind = cursor.int()?;
            let tag_count = cursor.unsigned_int()?;
            element(cursor, &mut elements, tag, kind, tag_count)?;
        }
        return Ok(elements);
    }
    let mut read = 0;
    while read < count {
        let kind = cursor.int()?;
        let in_block = cursor.unsigned_int()?;
        let tag_count = cursor.unsigned_int()?;
        if in_block == 0 || in_block > count - read {
            return Err(cursor.problem(format!(
                "a block of {in_block} elements where {} are left",
                count - read
            )));
        }
        for _ in 0..in_block {
            let tag = cursor.unsigned_int()?;
            element(cursor, &mut elements, tag, kind, tag_count)?;
        }
        read += in_block;
    }
    Ok(elements)
}

/// Format 1: `tag type physical entity node-count nodes..` for each element.
pub(super) fn elements_of_format_1(cursor: &mut Cursor<'_>) -> Result<RawElements, Problem> {
    let mut elements = RawElements::default();
    for _ in 0..text_count(cursor)? {
        let tag = cursor.unsigned_int()?;
        let kind = cursor.int()?;
        let kind = known_type(cursor, tag, kind)?;
        let physical = cursor.int()?;
        let _entity = cursor.int()?;
        let node_count = cursor.unsigned_int()?;
        if node_count != kind.nodes as u64 {
            return Err(cursor.problem(format!(
                "element {tag}, a {}, has {node_count} nodes",
                kind.name
            )));
        }
        let nodes = nodes_of(cursor, kind)?;
        elements.push(tag, kind, &nodes, group_of(kind, physical));
    }
    Ok(elements)
}

/// The nodes of one element and its tags, the first of which is its physical group.
fn element(
    cursor: &mut Cursor<'_>,
    elements: &mut RawElements,
    tag: u64,
    kind: i64,
    tag_count: u64,
) -> Result<(), Problem> {
    let kind = known_type(cursor, tag, kind)?;
    let mut physical = None;
    for _ in 0..tag_count {
        let tag = cursor.int()?;
        physical.get_or_insert(tag);
    }
    let nodes = nodes_of(cursor, kind)?;
    let group = physical.and_then(|number| group_of(kind, number));
    elements.push(tag, kind, &nodes, group);
    Ok(())
}

/// The group of that number; 0 stands for none.
fn group_of(kind: &ElementType, number: i64) -> Option<(i64, i64)> {
    (number != 0).then_some((i64::from(kind.dimension), number))
}

fn known_type(cursor: &Cursor<'_>, tag: u64, kind: i64) -> Result<&'static ElementType, Problem> {
    element_type(kind)
        .ok_or_else(|| cursor.problem(format!("element {tag} has the unknown type {kind}")))
}

fn nodes_of(cursor: &mut Cursor<'_>, kind: &ElementType) -> Result<Vec<u64>, Problem> {
    (0..kind.nodes).map(|_| cursor.unsigned_int()).collect()
}

/// A count on a line of its own.
pub(super) fn text_count(cursor: &mut Cursor<'_>) -> Result<u64, Problem> {
    let line = cursor.text_line()?;
    line.parse().map_err(|_| {
        let shown: String = line.chars().take(40).collect();
        cursor.problem(format!(
            "expected a count on a line of its own, found {shown:?}"
        ))
    })
}
