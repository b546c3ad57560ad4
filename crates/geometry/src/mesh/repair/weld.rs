//! Welding of close nodes.

use std::collections::HashMap;

use nalgebra::Vector3;

use super::{RELATIVE_WELD_DISTANCE, RepairReport};

/// Replaces each node in the elements by the nearest kept node within `distance`. A node with no kept one before it
/// within that distance is kept.
pub(super) fn weld<const N: usize>(
    nodes: &[Vector3<f64>],
    elements: &mut [[u32; N]],
    distance: Option<f64>,
    report: &mut RepairReport,
) {
    let (lower, upper) = nodes
        .iter()
        .fold((nodes[0], nodes[0]), |(lower, upper), p| {
            (lower.inf(p), upper.sup(p))
        });
    let distance = distance.unwrap_or_else(|| RELATIVE_WELD_DISTANCE * (upper - lower).norm());
    // Cells as wide as the distance: close nodes lie in the same cell or in neighbouring ones. The least width keeps
    // numbers of cells exact.
    let least = f64::EPSILON * (upper - lower).amax();
    let width = distance.max(least).max(f64::MIN_POSITIVE);
    let cell_of = |p: &Vector3<f64>| ((p - lower) / width).map(|x| x.floor() as i64);
    // Kept nodes by cell, a few in each; looked up, never iterated.
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::with_capacity(nodes.len());
    let mut target: Vec<u32> = Vec::with_capacity(nodes.len());
    for (node, p) in (0u32..).zip(nodes) {
        let cell = cell_of(p);
        let mut nearest: Option<(f64, u32)> = None;
        for neighbour in 0..27 {
            let step = Vector3::new(neighbour % 3 - 1, neighbour / 3 % 3 - 1, neighbour / 9 - 1);
            for &kept in cells
                .get(&<[i64; 3]>::from(cell + step))
                .into_iter()
                .flatten()
            {
                let gap = (nodes[kept as usize] - p).norm();
                if gap <= distance && nearest.is_none_or(|nearest| (gap, kept) < nearest) {
                    nearest = Some((gap, kept));
                }
            }
        }
        target.push(nearest.map_or(node, |(_, kept)| kept));
        if nearest.is_none() {
            cells.entry(cell.into()).or_default().push(node);
        }
    }
    report.weld_distance = distance;
    report.welded_nodes = (0u32..)
        .zip(&target)
        .filter(|(node, target)| node != *target)
        .count();
    for node in elements.as_flattened_mut() {
        *node = target[*node as usize];
    }
}
