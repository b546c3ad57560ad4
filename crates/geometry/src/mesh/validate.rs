//! Checks shared by tetrahedron and triangle meshes.

use nalgebra::Vector3;

use super::{COORDINATE_LIMIT, MeshError};

/// Checks counts, coordinates and indices, on which the later checks rely.
pub(super) fn check_ranges<const N: usize>(
    kind: &'static str,
    kind_plural: &'static str,
    nodes: &[Vector3<f64>],
    elements: &[[u32; N]],
) -> Result<(), MeshError> {
    // Surface edges are numbered by u32 too: six per tetrahedron at most.
    let limit = (u32::MAX / 8) as usize;
    for (kind, count) in [("nodes", nodes.len()), (kind_plural, elements.len())] {
        if count > limit {
            return Err(MeshError::TooLarge { kind, count, limit });
        }
    }
    for (node, p) in (0u32..).zip(nodes) {
        if !p
            .iter()
            .all(|coordinate| coordinate.abs() < COORDINATE_LIMIT)
        {
            return Err(MeshError::BadCoordinate {
                node,
                x: p.x,
                y: p.y,
                z: p.z,
            });
        }
    }
    if elements.is_empty() {
        return Err(MeshError::NoElements { kind: kind_plural });
    }
    let missing = (0u32..).zip(elements).find_map(|(element, corners)| {
        let node = corners.iter().find(|&&node| node as usize >= nodes.len())?;
        Some((element, *node))
    });
    match missing {
        Some((element, node)) => Err(MeshError::IndexOutOfRange {
            kind,
            element,
            node,
            nodes: nodes.len(),
        }),
        None => Ok(()),
    }
}

/// As [`check_ranges`]; also checks that every element has distinct corners and every node an element.
pub(super) fn check_basics<const N: usize>(
    kind: &'static str,
    kind_plural: &'static str,
    nodes: &[Vector3<f64>],
    elements: &[[u32; N]],
) -> Result<(), MeshError> {
    check_ranges(kind, kind_plural, nodes, elements)?;
    let mut used = vec![false; nodes.len()];
    for (element, corners) in (0u32..).zip(elements) {
        for (position, &node) in corners.iter().enumerate() {
            used[node as usize] = true;
            if corners[..position].contains(&node) {
                return Err(MeshError::RepeatedNode {
                    kind,
                    element,
                    node,
                });
            }
        }
    }
    match (0u32..).zip(used).find(|&(_, used)| !used) {
        Some((node, _)) => Err(MeshError::UnusedNode { node, kind }),
        None => Ok(()),
    }
}

/// Checks that no two elements have the same set of corners.
pub(super) fn check_distinct<const N: usize>(
    kind: &'static str,
    elements: &[[u32; N]],
) -> Result<(), MeshError> {
    let mut keyed: Vec<([u32; N], u32)> = Vec::with_capacity(elements.len());
    for (index, corners) in (0u32..).zip(elements) {
        let mut key = *corners;
        key.sort_unstable();
        keyed.push((key, index));
    }
    keyed.sort_unstable();
    match keyed.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(MeshError::DuplicateElement {
            kind,
            first: pair[0].1,
            second: pair[1].1,
        }),
        None => Ok(()),
    }
}

/// Groups of nodes at exactly the same position, as `(representative, copy)`; the smallest index represents.
pub(super) fn coincident_nodes(nodes: &[Vector3<f64>]) -> Vec<(u32, u32)> {
    let mut order: Vec<u32> = (0..nodes.len() as u32).collect();
    // Adding 0.0 turns −0 into +0, which `total_cmp` distinguishes.
    let key = |node: u32| nodes[node as usize].map(|coordinate| coordinate + 0.0);
    order.sort_unstable_by(|&a, &b| {
        let (p, q) = (key(a), key(b));
        p.x.total_cmp(&q.x)
            .then(p.y.total_cmp(&q.y))
            .then(p.z.total_cmp(&q.z))
            .then(a.cmp(&b))
    });
    let mut copies = Vec::new();
    let mut representative = 0;
    for rank in 1..order.len() {
        if key(order[rank]) == key(order[representative]) {
            copies.push((order[representative], order[rank]));
        } else {
            representative = rank;
        }
    }
    copies.sort_unstable();
    copies
}
