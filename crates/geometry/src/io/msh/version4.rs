//! Sections of formats 4.0 and 4.1.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::super::error::Problem;
use super::cursor::Cursor;
use super::element_type::element_type;
use super::raw::{Nodes, RawElements};

/// Minor version; 4.0 and 4.1 differ in the layout of blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Minor {
    /// Tags are `int`, each node's tag stands before its coordinates, blocks begin with `entity dimension`.
    Zero,
    /// Tags are `size_t`, all tags of a block of nodes come first, blocks begin with `dimension entity`.
    One,
}

/// The physical groups of each entity, by its dimension and tag.
pub(super) type PhysicalGroups = BTreeMap<(i64, i64), Vec<i64>>;

/// Counts by dimension, then for each entity its tag, its box (in 4.1 points have a position only), its physical
/// groups, and the entities that bound it.
pub(super) fn entities(cursor: &mut Cursor<'_>, minor: Minor) -> Result<PhysicalGroups, Problem> {
    let mut groups = PhysicalGroups::new();
    let counts = [
        cursor.size()?,
        cursor.size()?,
        cursor.size()?,
        cursor.size()?,
    ];
    for (dimension, count) in (0..).zip(counts) {
        for _ in 0..count {
            let tag = cursor.int()?;
            let coordinates = match (dimension, minor) {
                (0, Minor::One) => 3,
                _ => 6,
            };
            for _ in 0..coordinates {
                cursor.double()?;
            }
            let mut physical = Vec::new();
            for _ in 0..cursor.size()? {
                physical.push(cursor.int()?);
            }
            if dimension > 0 {
                for _ in 0..cursor.size()? {
                    cursor.int()?;
                }
            }
            if !physical.is_empty() {
                groups.insert((dimension, tag), physical);
            }
        }
    }
    Ok(groups)
}

/// 4.1: `blocks nodes min-tag max-tag`, then blocks of `dimension entity parametric count`, all tags, all coordinates.
/// 4.0: `blocks nodes`, then blocks of `entity dimension parametric count`, each tag before its coordinates.
pub(super) fn nodes(cursor: &mut Cursor<'_>, minor: Minor) -> Result<Nodes, Problem> {
    let [blocks, total] = header(cursor, minor)?;
    let mut nodes = Nodes::default();
    for _ in 0..blocks {
        let (dimension, _entity) = block_entity(cursor, minor)?;
        let parametric = cursor.int()?;
        let count = cursor.size()?;
        // Parametric nodes carry one parameter per dimension of their entity after the coordinates.
        let parameters = match (parametric, dimension) {
            (0, _) => 0,
            (1, 0..=3) => dimension,
            _ => {
                return Err(cursor.problem(format!(
                    "a node block has dimension {dimension} and parametric flag {parametric}; allowed are 0 to 3 and \
                     0 or 1"
                )));
            }
        };
        if minor == Minor::One {
            for _ in 0..count {
                nodes.tags.push(cursor.size()?);
            }
        }
        for _ in 0..count {
            if minor == Minor::Zero {
                nodes.tags.push(cursor.unsigned_int()?);
            }
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

/// `blocks elements`, in 4.1 `min-tag max-tag`, then blocks of an entity, `type count`, and `tag nodes..` per element.
pub(super) fn elements(
    cursor: &mut Cursor<'_>,
    minor: Minor,
    groups: &PhysicalGroups,
) -> Result<RawElements, Problem> {
    let [blocks, total] = header(cursor, minor)?;
    let number = |cursor: &mut Cursor<'_>| match minor {
        Minor::Zero => cursor.unsigned_int(),
        Minor::One => cursor.size(),
    };
    let mut elements = RawElements::default();
    let mut read = 0usize;
    for _ in 0..blocks {
        let entity = block_entity(cursor, minor)?;
        let of = groups.contains_key(&entity).then_some(entity);
        let kind = cursor.int()?;
        let count = cursor.size()?;
        let known = element_type(kind).ok_or_else(|| {
            cursor.problem(format!("a block has the unknown element type {kind}"))
        })?;
        let mut nodes = Vec::with_capacity(known.nodes);
        for _ in 0..count {
            let tag = number(cursor)?;
            nodes.clear();
            for _ in 0..known.nodes {
                nodes.push(number(cursor)?);
            }
            elements.push(tag, known, &nodes, of);
            read += 1;
        }
    }
    check_total(cursor, "elements", total, read)?;
    Ok(elements)
}

/// The numbers of blocks and entries; in 4.1 the range of their tags follows.
fn header(cursor: &mut Cursor<'_>, minor: Minor) -> Result<[u64; 2], Problem> {
    let counts = [cursor.size()?, cursor.size()?];
    if minor == Minor::One {
        cursor.size()?;
        cursor.size()?;
    }
    Ok(counts)
}

/// Dimension and tag of the entity of a block.
fn block_entity(cursor: &mut Cursor<'_>, minor: Minor) -> Result<(i64, i64), Problem> {
    let (first, second) = (cursor.int()?, cursor.int()?);
    Ok(match minor {
        Minor::Zero => (second, first),
        Minor::One => (first, second),
    })
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
