//! Orientation of surfaces.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::RepairReport;
use super::triangles::{edges, sorted};
use crate::exact::winding_number;
use crate::mesh::measure::triangle_area;
use crate::mesh::topology::DisjointSets;

/// Winds triangles alike across every edge with two of them. Each part keeps the winding of the larger share of its
/// area.
///
/// A one-sided part, such as a Möbius strip, keeps an edge where its triangles disagree.
pub(super) fn alike(nodes: &[Vector3<f64>], triangles: &mut [[u32; 3]], report: &mut RepairReport) {
    let neighbours = neighbours(triangles);
    // Whether each triangle must be reversed to agree with the first of its part.
    let mut turned: Vec<Option<bool>> = vec![None; triangles.len()];
    for first in 0..triangles.len() {
        if turned[first].is_some() {
            continue;
        }
        turned[first] = Some(false);
        let mut part = vec![first];
        let mut at = 0;
        while let Some(&index) = part.get(at) {
            at += 1;
            let this = turned[index] == Some(true);
            for &(other, agrees) in &neighbours[index] {
                if turned[other].is_none() {
                    turned[other] = Some(this ^ !agrees);
                    part.push(other);
                }
            }
        }
        let area = |way: bool| -> f64 {
            let members = part.iter().filter(|&&index| turned[index] == Some(way));
            members
                .map(|&index| triangle_area(triangles[index].map(|node| nodes[node as usize])))
                .sum()
        };
        let minority = area(true) <= area(false);
        for &index in &part {
            if turned[index] == Some(minority) {
                triangles[index].swap(1, 2);
                report.reversed_elements += 1;
            }
        }
    }
}

/// Winds every closed shell outwards unless it lies in another one. A shell inside another, wound inwards, is a cavity.
pub(super) fn outwards(
    nodes: &[Vector3<f64>],
    triangles: &mut [[u32; 3]],
    report: &mut RepairReport,
) {
    let shells = closed_shells(nodes, triangles);
    let inside: Vec<bool> = shells
        .iter()
        .enumerate()
        .map(|(index, shell)| {
            let point = nodes[triangles[shell.members[0]][0] as usize];
            shells.iter().enumerate().any(|(other, outer)| {
                other != index
                    && outer.encloses(&point)
                    && winding_number(
                        &point,
                        outer
                            .members
                            .iter()
                            .map(|&member| triangles[member].map(|node| nodes[node as usize])),
                    ) != 0
            })
        })
        .collect();
    for (shell, inside) in shells.iter().zip(inside) {
        if inside {
            report.nested_shells += usize::from(shell.volume > 0.0);
        } else if shell.volume < 0.0 {
            report.reversed_elements += shell.members.len();
            for &member in &shell.members {
                triangles[member].swap(1, 2);
            }
        }
    }
}

/// A part of the surface without an open edge.
struct Shell {
    members: Vec<usize>,
    volume: f64,
    lower: Vector3<f64>,
    upper: Vector3<f64>,
}

impl Shell {
    fn encloses(&self, point: &Vector3<f64>) -> bool {
        (0..3).all(|axis| self.lower[axis] <= point[axis] && point[axis] <= self.upper[axis])
    }
}

fn closed_shells(nodes: &[Vector3<f64>], triangles: &[[u32; 3]]) -> Vec<Shell> {
    let neighbours = neighbours(triangles);
    let mut sets = DisjointSets::new(triangles.len());
    for (index, others) in neighbours.iter().enumerate() {
        for &(other, _) in others {
            sets.join(index, other);
        }
    }
    let mut shells: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for index in 0..triangles.len() {
        shells
            .entry(sets.representative(index))
            .or_default()
            .push(index);
    }
    shells
        .into_values()
        .filter(|members| {
            let sides = |&index: &usize| {
                neighbours[index].len() == 3 && neighbours[index].iter().all(|&(_, agrees)| agrees)
            };
            members.iter().all(sides)
        })
        .map(|members| {
            let corners = |&index: &usize| triangles[index].map(|node| nodes[node as usize]);
            let origin = corners(&members[0])[0];
            let six_volumes: f64 = members
                .iter()
                .map(|index| {
                    let [a, b, c] = corners(index).map(|corner| corner - origin);
                    a.cross(&b).dot(&c)
                })
                .sum();
            let (lower, upper) = members
                .iter()
                .flat_map(corners)
                .fold((origin, origin), |(lower, upper), p| {
                    (lower.inf(&p), upper.sup(&p))
                });
            Shell {
                volume: six_volumes / 6.0,
                members,
                lower,
                upper,
            }
        })
        .collect()
}

/// The triangles across the edges that have two, and whether both are wound alike.
fn neighbours(triangles: &[[u32; 3]]) -> Vec<Vec<(usize, bool)>> {
    let mut across: BTreeMap<[u32; 2], Vec<(usize, bool)>> = BTreeMap::new();
    for (index, corners) in triangles.iter().enumerate() {
        for edge in edges(*corners) {
            let sides = across.entry(sorted(edge)).or_default();
            sides.push((index, edge[0] < edge[1]));
        }
    }
    let mut neighbours = vec![Vec::new(); triangles.len()];
    for sides in across.values() {
        if let &[(first, forward), (second, other)] = sides.as_slice() {
            neighbours[first].push((second, forward != other));
            neighbours[second].push((first, forward != other));
        }
    }
    neighbours
}
