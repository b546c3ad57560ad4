//! Flat and duplicate triangles.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::RepairReport;
use crate::mesh::measure::triangle_is_flat;
use crate::mesh::topology::DisjointSets;

/// Most rounds in which a flat triangle passes its middle corner to a neighbour that is flat itself.
const MOST_ROUNDS: usize = 100;

/// Removes triangles without area.
///
/// If the corners are distinct, one lies on the side between the others. It is inserted into the triangle across that
/// side, so that no gap remains.
pub(super) fn remove_flat(
    nodes: &[Vector3<f64>],
    triangles: &mut Vec<[u32; 3]>,
    report: &mut RepairReport,
) {
    let before = triangles.len();
    triangles.retain(|&[a, b, c]| a != b && b != c && c != a);
    report.flat_elements += before - triangles.len();
    for _ in 0..MOST_ROUNDS {
        let flat: Vec<usize> = (0..triangles.len())
            .filter(|&index| triangle_is_flat(triangles[index].map(|node| nodes[node as usize])))
            .collect();
        if flat.is_empty() {
            return;
        }
        report.flat_elements += flat.len();
        let mut across: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
        for (index, corners) in triangles.iter().enumerate() {
            for edge in edges(*corners) {
                across.entry(sorted(edge)).or_default().push(index);
            }
        }
        let mut gone = vec![false; triangles.len()];
        let mut added = Vec::new();
        for index in flat {
            if gone[index] {
                // Another flat triangle split this one in this round; its parts may be flat in the next.
                report.flat_elements -= 1;
                continue;
            }
            gone[index] = true;
            let ([a, b], middle) = longest_side(nodes, triangles[index]);
            let neighbour = across[&sorted([a, b])].iter().copied().find(|&other| {
                other != index && !gone[other] && !triangles[other].contains(&middle)
            });
            if let Some(other) = neighbour {
                gone[other] = true;
                let corners = triangles[other];
                let from = (0..3)
                    .find(|&at| sorted([corners[at], corners[(at + 1) % 3]]) == sorted([a, b]));
                let at = from.unwrap_or(0);
                let (p, q, apex) = (corners[at], corners[(at + 1) % 3], corners[(at + 2) % 3]);
                added.extend([[p, middle, apex], [middle, q, apex]]);
            }
        }
        let mut gone = gone.into_iter();
        triangles.retain(|_| !gone.next().unwrap_or(false));
        triangles.extend(added);
    }
    // Longer chains lose the remaining flat triangles.
    let before = triangles.len();
    triangles.retain(|corners| !triangle_is_flat(corners.map(|node| nodes[node as usize])));
    report.flat_elements += before - triangles.len();
}

/// The longest side of a triangle, and the corner opposite to it.
fn longest_side(nodes: &[Vector3<f64>], [a, b, c]: [u32; 3]) -> ([u32; 2], u32) {
    let length = |[from, to]: [u32; 2]| (nodes[from as usize] - nodes[to as usize]).norm();
    let mut sides = [([a, b], c), ([b, c], a), ([c, a], b)];
    sides.sort_by(|first, second| length(second.0).total_cmp(&length(first.0)));
    sides[0]
}

/// Removes copies of triangles; where two shells meet at a wall, both copies.
///
/// A triangle present in both windings is part of a wall if its connected set of such triangles reaches an edge with
/// two other triangles. A sheet drawn on both sides has no such edge and keeps one side.
pub(super) fn remove_duplicates(triangles: &mut Vec<[u32; 3]>, report: &mut RepairReport) {
    let mut copies: BTreeMap<[u32; 3], Vec<usize>> = BTreeMap::new();
    for (index, corners) in triangles.iter().enumerate() {
        let mut key = *corners;
        key.sort_unstable();
        copies.entry(key).or_default().push(index);
    }
    let mut keep = vec![false; triangles.len()];
    for indices in copies.values() {
        keep[indices[0]] = true;
    }
    let both_ways: Vec<usize> = copies
        .values()
        .filter(|indices| {
            indices.len() == 2 && is_even(triangles[indices[0]]) != is_even(triangles[indices[1]])
        })
        .map(|indices| indices[0])
        .collect();
    let walls = walls(triangles, &keep, &both_ways);
    for &index in &walls {
        keep[index] = false;
    }
    report.wall_triangles = 2 * walls.len();
    let removed = keep.iter().filter(|keep| !**keep).count();
    report.duplicate_elements += removed - report.wall_triangles;
    let mut keep = keep.into_iter();
    triangles.retain(|_| keep.next().unwrap_or(true));
}

/// The walls among the triangles given in both windings.
fn walls(triangles: &[[u32; 3]], keep: &[bool], both_ways: &[usize]) -> Vec<usize> {
    if both_ways.is_empty() {
        return Vec::new();
    }
    let mut counts: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    for (corners, _) in triangles.iter().zip(keep).filter(|(_, keep)| **keep) {
        for edge in edges(*corners) {
            *counts.entry(sorted(edge)).or_default() += 1;
        }
    }
    let mut sets = DisjointSets::new(both_ways.len());
    let mut first_at: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    for (member, &index) in both_ways.iter().enumerate() {
        for edge in edges(triangles[index]) {
            let first = *first_at.entry(sorted(edge)).or_insert(member);
            sets.join(first, member);
        }
    }
    let mut is_wall = vec![false; both_ways.len()];
    for (member, &index) in both_ways.iter().enumerate() {
        let meets = edges(triangles[index])
            .iter()
            .any(|&edge| counts[&sorted(edge)] > 2);
        let head = sets.representative(member);
        is_wall[head] |= meets;
    }
    (0..both_ways.len())
        .filter(|&member| is_wall[sets.representative(member)])
        .map(|member| both_ways[member])
        .collect()
}

/// Whether the winding is an even permutation of ascending order.
fn is_even([a, b, c]: [u32; 3]) -> bool {
    (a < b) ^ (b < c) ^ (a < c)
}

pub(super) fn edges([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

pub(super) fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
