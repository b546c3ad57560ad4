//! Separate nodes for sheets of a surface, or parts of a solid, that touch in an edge or a node.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::RepairReport;
use super::triangles::{edges, sorted};
use crate::mesh::topology::DisjointSets;

/// Displacement of a split node into its part, relative to the shortest edge there: large enough that the parts do not
/// touch, small enough that elements keep their shape.
const RELATIVE_GAP: f64 = 1e-3;

/// Gives each fan of triangles around a node its own node.
///
/// At an edge with more than two triangles, those that bound the same wedge of the inside stay together.
pub(super) fn surface(
    nodes: &mut Vec<Vector3<f64>>,
    triangles: &mut [[u32; 3]],
    report: &mut RepairReport,
) {
    let mut sides: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
    for (index, corners) in triangles.iter().enumerate() {
        for edge in edges(*corners) {
            sides.entry(sorted(edge)).or_default().push(index);
        }
    }
    let mut fans = DisjointSets::new(3 * triangles.len());
    for (edge, members) in &sides {
        let pairs = match members.as_slice() {
            &[first, second] => vec![[first, second]],
            members => wedges(nodes, triangles, *edge, members),
        };
        for [first, second] in pairs {
            for &node in edge {
                fans.join(
                    corner(triangles, first, node),
                    corner(triangles, second, node),
                );
            }
        }
    }
    give_own_nodes(nodes, triangles, &mut fans, report);
}

/// Number of the corner at `node` of an element among the corners of all elements.
fn corner<const N: usize>(elements: &[[u32; N]], index: usize, node: u32) -> usize {
    let place = elements[index].iter().position(|&other| other == node);
    N * index + place.unwrap_or(0)
}

/// The triangles at an edge in pairs that bound a wedge of the inside; a triangle without a partner is in no pair.
fn wedges(
    nodes: &[Vector3<f64>],
    triangles: &[[u32; 3]],
    [from, to]: [u32; 2],
    members: &[usize],
) -> Vec<[usize; 2]> {
    let base = nodes[from as usize];
    let axis = nodes[to as usize] - base;
    let apex = |index: usize| {
        let apex = triangles[index]
            .iter()
            .find(|&&node| node != from && node != to);
        apex.map_or(base, |&node| nodes[node as usize]) - base
    };
    let across = |arm: Vector3<f64>| arm - axis * (arm.dot(&axis) / axis.norm_squared());
    let first = across(apex(members[0]));
    let second = axis.cross(&first) / axis.norm();
    // Angle about the edge, counterclockwise when looking against its direction.
    let mut around: Vec<(f64, usize, bool)> = members
        .iter()
        .map(|&index| {
            let arm = across(apex(index));
            let forward = edges(triangles[index]).contains(&[from, to]);
            (arm.dot(&second).atan2(arm.dot(&first)), index, forward)
        })
        .collect();
    around.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    // The normal of a forward triangle points to growing angles, so the inside is at smaller ones: between this
    // triangle and the one before it, which runs backwards.
    let count = around.len();
    (0..count)
        .map(|at| (around[(at + count - 1) % count], around[at]))
        .filter(|(before, this)| this.2 && !before.2)
        .map(|(before, this)| [before.1, this.1])
        .collect()
}

/// Gives each set of tetrahedra at a node that are connected through faces its own node.
pub(super) fn solid(
    nodes: &mut Vec<Vector3<f64>>,
    tets: &mut [[u32; 4]],
    report: &mut RepairReport,
) {
    let mut faces: BTreeMap<[u32; 3], Vec<usize>> = BTreeMap::new();
    for (index, corners) in tets.iter().enumerate() {
        for left_out in 0..4 {
            let mut face = [0, 1, 2].map(|at| corners[(left_out + 1 + at) % 4]);
            face.sort_unstable();
            faces.entry(face).or_default().push(index);
        }
    }
    let mut fans = DisjointSets::new(4 * tets.len());
    for (face, members) in &faces {
        for &member in &members[1..] {
            for &node in face {
                fans.join(corner(tets, members[0], node), corner(tets, member, node));
            }
        }
    }
    give_own_nodes(nodes, tets, &mut fans, report);
}

/// The first fan of a node keeps it, the others get copies; all of these nodes move a little into their fan.
fn give_own_nodes<const N: usize>(
    nodes: &mut Vec<Vector3<f64>>,
    elements: &mut [[u32; N]],
    fans: &mut DisjointSets,
    report: &mut RepairReport,
) {
    let heads: Vec<usize> = (0..N * elements.len())
        .map(|corner| fans.representative(corner))
        .collect();
    let mut fans_of: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (corner, &node) in elements.as_flattened().iter().enumerate() {
        if heads[corner] == corner {
            fans_of.entry(node).or_default().push(corner);
        }
    }
    fans_of.retain(|_, heads| heads.len() > 1);
    if fans_of.is_empty() {
        return;
    }
    // The corners of each fan at a node that has several.
    let mut corners_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (corner, node) in elements.as_flattened().iter().enumerate() {
        if fans_of.contains_key(node) {
            corners_of.entry(heads[corner]).or_default().push(corner);
        }
    }
    let at_rest = nodes.clone();
    let original = elements.to_vec();
    for (&node, heads) in &fans_of {
        let place = at_rest[node as usize];
        for (number, head) in heads.iter().enumerate() {
            let corners = &corners_of[head];
            let arms: Vec<Vector3<f64>> = corners
                .iter()
                .flat_map(|&corner| original[corner / N])
                .filter(|&other| other != node)
                .map(|other| at_rest[other as usize] - place)
                .collect();
            let shortest = arms.iter().map(Vector3::norm).fold(f64::INFINITY, f64::min);
            let inwards = arms.iter().sum::<Vector3<f64>>();
            let step = inwards.try_normalize(0.0).unwrap_or_else(Vector3::zeros)
                * (RELATIVE_GAP * shortest);
            report.split_distance = report.split_distance.max(step.norm());
            if number == 0 {
                nodes[node as usize] = place + step;
                continue;
            }
            let copy = nodes.len() as u32;
            nodes.push(place + step);
            report.split_nodes += 1;
            for &corner in corners {
                elements.as_flattened_mut()[corner] = copy;
            }
        }
    }
}
