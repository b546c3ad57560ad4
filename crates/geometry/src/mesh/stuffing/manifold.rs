//! Removes tetrahedra that are connected by an edge or a node only.
//!
//! Where the shape is about as thin as a lattice cube, pieces may meet in a single edge or node. The surface is not a
//! manifold there, and contact would act on it from both sides. The smaller piece loses its tetrahedra at that place.
//! The others keep their angles, and the loop ends because every round removes tetrahedra.

use super::stencil::Key;
use crate::mesh::topology::DisjointSets;

/// A face of a tetrahedron: its nodes ascending, and the tetrahedron.
type Face = ([Key; 3], u32);

/// Removes tetrahedra until the surface is manifold, and returns their number.
///
/// `on_surface` marks the nodes that may lie on the surface, and is kept up to date.
pub(super) fn make_manifold(
    tets: &mut Vec<[Key; 4]>,
    on_surface: &mut [bool],
    volume: impl Fn(&[Key; 4]) -> f64,
) -> usize {
    let before = tets.len();
    loop {
        let layer: Vec<u32> = (0u32..)
            .zip(tets.iter())
            .filter(|(_, tet)| tet.iter().filter(|&&key| on_surface[key as usize]).count() > 0)
            .map(|(index, _)| index)
            .collect();
        let boundary = boundary_faces(tets, &layer, on_surface);
        let pinches = pinches(&boundary);
        if pinches.is_empty() {
            return before - tets.len();
        }
        let mut doomed = doomed(tets, &layer, &pinches, &volume);
        doomed.sort_unstable();
        doomed.dedup();
        for &tet in &doomed {
            for key in tets[tet as usize] {
                on_surface[key as usize] = true;
            }
        }
        let (mut index, mut next) = (0u32, doomed.iter().peekable());
        tets.retain(|_| {
            let keep = next.next_if(|&&tet| tet == index).is_none();
            index += 1;
            keep
        });
    }
}

/// The faces that belong to one tetrahedron only.
fn boundary_faces(tets: &[[Key; 4]], layer: &[u32], on_surface: &[bool]) -> Vec<Face> {
    let mut faces: Vec<Face> = Vec::with_capacity(layer.len());
    for &tet in layer {
        let corners = tets[tet as usize];
        for left_out in 0..4 {
            let mut face = [0; 3];
            let others = (0..4).filter(|&place| place != left_out);
            for (slot, place) in face.iter_mut().zip(others) {
                *slot = corners[place];
            }
            if face.iter().all(|&key| on_surface[key as usize]) {
                face.sort_unstable();
                faces.push((face, tet));
            }
        }
    }
    faces.sort_unstable();
    faces
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|run| run.len() == 1)
        .map(|run| run[0])
        .collect()
}

/// One or two nodes at which the surface is not manifold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Pinch {
    Edge([Key; 2]),
    Node(Key),
}

/// Edges with more than two faces, then nodes with more than one fan. Nodes of such edges wait for a later round.
fn pinches(boundary: &[Face]) -> Vec<Pinch> {
    let mut sides: Vec<([Key; 2], u32)> = Vec::with_capacity(3 * boundary.len());
    for (face, ([a, b, c], _)) in (0u32..).zip(boundary) {
        // Ascending within a face.
        sides.extend([[*a, *b], [*a, *c], [*b, *c]].map(|edge| (edge, face)));
    }
    sides.sort_unstable();
    let corner = |face: u32, key: Key| {
        let nodes = &boundary[face as usize].0;
        3 * face as usize + nodes.iter().position(|&node| node == key).unwrap_or(0)
    };
    let mut fans = DisjointSets::new(3 * boundary.len());
    let mut pinches = Vec::new();
    let mut at_pinched_edge = Vec::new();
    for run in sides.chunk_by(|a, b| a.0 == b.0) {
        let edge = run[0].0;
        if let &[(_, first), (_, second)] = run {
            for key in edge {
                fans.join(corner(first, key), corner(second, key));
            }
        } else {
            pinches.push(Pinch::Edge(edge));
            at_pinched_edge.extend(edge);
        }
    }
    at_pinched_edge.sort_unstable();
    let mut heads: Vec<Key> = (0..3 * boundary.len())
        .filter(|&corner| fans.representative(corner) == corner)
        .map(|corner| boundary[corner / 3].0[corner % 3])
        .collect();
    heads.sort_unstable();
    let pinched_nodes = heads
        .chunk_by(|a, b| a == b)
        .filter(|run| run.len() > 1 && at_pinched_edge.binary_search(&run[0]).is_err())
        .map(|run| Pinch::Node(run[0]));
    pinches.extend(pinched_nodes);
    pinches
}

/// The tetrahedra at each pinch that do not belong to the largest piece there; all of them if there is one piece.
fn doomed(
    tets: &[[Key; 4]],
    layer: &[u32],
    pinches: &[Pinch],
    volume: &impl Fn(&[Key; 4]) -> f64,
) -> Vec<u32> {
    let mut nodes: Vec<Key> = pinches
        .iter()
        .map(|pinch| match *pinch {
            Pinch::Edge([node, _]) | Pinch::Node(node) => node,
        })
        .collect();
    nodes.sort_unstable();
    nodes.dedup();
    let mut around: Vec<(Key, u32)> = Vec::new();
    for &tet in layer {
        for key in tets[tet as usize] {
            if nodes.binary_search(&key).is_ok() {
                around.push((key, tet));
            }
        }
    }
    around.sort_unstable();

    let mut doomed = Vec::new();
    for pinch in pinches {
        let (shared, second) = match *pinch {
            Pinch::Edge([first, second]) => (first, Some(second)),
            Pinch::Node(node) => (node, None),
        };
        let start = around.partition_point(|&(key, _)| key < shared);
        let end = around.partition_point(|&(key, _)| key <= shared);
        let star: Vec<u32> = around[start..end]
            .iter()
            .map(|&(_, tet)| tet)
            .filter(|&tet| second.is_none_or(|key| tets[tet as usize].contains(&key)))
            .collect();
        let pieces = pieces(tets, &star, volume);
        if pieces.len() == 1 {
            doomed.extend(star);
        } else {
            doomed.extend(pieces.into_iter().skip(1).flatten());
        }
    }
    doomed
}

/// The tetrahedra of a star, grouped into pieces connected through faces; the piece of largest volume first.
fn pieces(tets: &[[Key; 4]], star: &[u32], volume: &impl Fn(&[Key; 4]) -> f64) -> Vec<Vec<u32>> {
    let mut sets = DisjointSets::new(star.len());
    for (i, &first) in star.iter().enumerate() {
        for (j, &second) in star[..i].iter().enumerate() {
            let other = tets[second as usize];
            let common = tets[first as usize]
                .iter()
                .filter(|key| other.contains(key));
            if common.count() == 3 {
                sets.join(i, j);
            }
        }
    }
    let mut pieces: Vec<(f64, Vec<u32>)> = Vec::new();
    for head in 0..star.len() {
        if sets.representative(head) != head {
            continue;
        }
        let members: Vec<u32> = (0..star.len())
            .filter(|&member| sets.representative(member) == head)
            .map(|member| star[member])
            .collect();
        let size = members.iter().map(|&tet| volume(&tets[tet as usize])).sum();
        pieces.push((size, members));
    }
    // Stable: of equal pieces the one with the first tetrahedron stays first.
    pieces.sort_by(|a, b| b.0.total_cmp(&a.0));
    pieces.into_iter().map(|(_, members)| members).collect()
}
