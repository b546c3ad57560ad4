//! Sections of format 2.2.

use nalgebra::Vector3;

use super::super::error::Problem;
use super::cursor::Cursor;
use super::element_type::element_type;
use super::{Nodes, RawElements};

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
            let physical_tags = cursor.unsigned_int()?;
            element(cursor, &mut elements, tag, kind, physical_tags)?;
        }
        return Ok(elements);
    }
    let mut read = 0;
    while read < count {
        let kind = cursor.int()?;
        let in_block = cursor.unsigned_int()?;
        let physical_tags = cursor.unsigned_int()?;
        if in_block == 0 || in_block > count - read {
            return Err(cursor.problem(format!(
                "a block of {in_block} elements where {} are left",
                count - read
            )));
        }
        for _ in 0..in_block {
            let tag = cursor.unsigned_int()?;
            element(cursor, &mut elements, tag, kind, physical_tags)?;
        }
        read += in_block;
    }
    Ok(elements)
}

/// Physical and partition tags, which are skipped, and the nodes of one element.
fn element(
    cursor: &mut Cursor<'_>,
    elements: &mut RawElements,
    tag: u64,
    kind: i64,
    physical_tags: u64,
) -> Result<(), Problem> {
    let known = element_type(kind)
        .ok_or_else(|| cursor.problem(format!("element {tag} has the unknown type {kind}")))?;
    for _ in 0..physical_tags {
        cursor.int()?;
    }
    let mut nodes = Vec::with_capacity(known.nodes);
    for _ in 0..known.nodes {
        nodes.push(cursor.unsigned_int()?);
    }
    elements.push(tag, known, &nodes);
    Ok(())
}

/// A count on a line of its own.
fn text_count(cursor: &mut Cursor<'_>) -> Result<u64, Problem> {
    let line = cursor.text_line()?;
    line.parse().map_err(|_| {
        let shown: String = line.chars().take(40).collect();
        cursor.problem(format!(
            "expected a count on a line of its own, found {shown:?}"
        ))
    })
}
