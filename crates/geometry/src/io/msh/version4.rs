//! Sections of format 4.1.

use nalgebra::Vector3;

use super::super::error::Problem;
use super::cursor::Cursor;
use super::element_type::element_type;
use super::{Nodes, RawElements};

/// `blocks nodes min-tag max-tag`, then blocks of `dimension entity parametric count`, all tags, all coordinates.
pub(super) fn nodes(cursor: &mut Cursor<'_>) -> Result<Nodes, Problem> {
    let [blocks, total, ..] = header(cursor)?;
    let mut nodes = Nodes::default();
    for _ in 0..blocks {
        let dimension = cursor.int()?;
        let _entity = cursor.int()?;
        let parametric = cursor.int()?;
        let count = cursor.size()?;
        // Parametric nodes carry one parameter per dimension of their entity after the coordinates.
        let parameters = match (parametric, dimension) {
            (0, _) => 0,
            (1, 0..=3) => dimension,
            _ => {
                return Err(cursor.problem(format!(
                    "a node block has dimension {dimension} and parametric flag {parametric}; allowed are 0 to 3 and 0 or 1"
                )));
            }
        };
        for _ in 0..count {
            nodes.tags.push(cursor.size()?);
        }
        for _ in 0..count {
            nodes.positions.push(Vector3::new(
                cursor.double()?,
                cursor.double()?,
                cursor.double()?,
            ));
            for _ in 0..parameters {
                cursor.double()?;
            }
        }
    }
    check_total(cursor, "nodes", total, nodes.tags.len())?;
    Ok(nodes)
}

/// `blocks elements min-tag max-tag`, then blocks of `dimension entity type count` with `tag nodes..` per element.
pub(super) fn elements(cursor: &mut Cursor<'_>) -> Result<RawElements, Problem> {
    let [blocks, total, ..] = header(cursor)?;
    let mut elements = RawElements::default();
    let mut read = 0usize;
    for _ in 0..blocks {
        let _dimension = cursor.int()?;
        let _entity = cursor.int()?;
        let kind = cursor.int()?;
        let count = cursor.size()?;
        let known = element_type(kind).ok_or_else(|| {
            cursor.problem(format!("a block has the unknown element type {kind}"))
        })?;
        let mut nodes = Vec::with_capacity(known.nodes);
        for _ in 0..count {
            let tag = cursor.size()?;
            nodes.clear();
            for _ in 0..known.nodes {
                nodes.push(cursor.size()?);
            }
            elements.push(tag, known, &nodes);
            read += 1;
        }
    }
    check_total(cursor, "elements", total, read)?;
    Ok(elements)
}

fn header(cursor: &mut Cursor<'_>) -> Result<[u64; 4], Problem> {
    Ok([
        cursor.size()?,
        cursor.size()?,
        cursor.size()?,
        cursor.size()?,
    ])
}

fn check_total(cursor: &Cursor<'_>, kind: &str, stated: u64, read: usize) -> Result<(), Problem> {
    if stated == read as u64 {
        Ok(())
    } else {
        Err(cursor.problem(format!(
            "the section announces {stated} {kind} but its blocks hold {read}"
        )))
    }
}
