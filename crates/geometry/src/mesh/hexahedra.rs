//! Hexahedra cut into tetrahedra that meet face to face.

#[cfg(feature = "io")]
use nalgebra::Vector3;

#[cfg(feature = "io")]
use super::measure::tet_volume;

/// Outward faces of a hexahedron whose corners are four around the bottom, then the four above them.
const FACES: [[usize; 4]; 6] = [
    [0, 3, 2, 1],
    [4, 5, 6, 7],
    [0, 1, 5, 4],
    [1, 2, 6, 5],
    [2, 3, 7, 6],
    [3, 0, 4, 7],
];

/// The six tetrahedra of a hexahedron: every face is cut from its corner with the smallest number.
///
/// Two hexahedra with a common face cut it alike, as the rule depends on its four numbers only. So the tetrahedra of a
/// mesh meet face to face. The tetrahedra of a convex hexahedron all have its orientation.
///
/// # Source
/// Dompierre, Labbé, Vallet & Camarero, "How to subdivide pyramids, prisms, and hexahedra into tetrahedra", 8th
/// International Meshing Roundtable, 1999; differs from it in: always six tetrahedra, which join the smallest corner to
/// the three faces without it.
#[must_use]
pub fn hexahedron_tets(corners: &[u32; 8]) -> [[u32; 4]; 6] {
    let apex = corners.iter().copied().fold(u32::MAX, u32::min);
    let mut tets = [[apex; 4]; 6];
    let mut next = tets.iter_mut();
    for face in FACES.map(|face| face.map(|corner| corners[corner])) {
        if face.contains(&apex) {
            continue;
        }
        let first = (0..4).min_by_key(|&at| face[at]).unwrap_or(0);
        let [a, b, c, d] = std::array::from_fn(|at| face[(first + at) % 4]);
        // The pairs first: when they end, `next` is not advanced.
        for ([p, q], tet) in [[b, c], [c, d]].into_iter().zip(next.by_ref()) {
            *tet = [apex, a, p, q];
        }
    }
    tets
}

/// The first of `hexahedra` with a tetrahedron of no positive volume: flat, twisted, inverted, or with unordered
/// corners.
#[cfg(feature = "io")]
pub(crate) fn first_twisted(nodes: &[Vector3<f64>], hexahedra: &[[u32; 8]]) -> Option<usize> {
    let sound = |corners: &[u32; 8]| {
        hexahedron_tets(corners).iter().all(|tet| {
            let places = tet.map(|node| nodes.get(node as usize).copied());
            match places {
                [Some(a), Some(b), Some(c), Some(d)] => tet_volume([a, b, c, d]) > 0.0,
                // The constructor reports an index out of range.
                _ => true,
            }
        })
    };
    hexahedra.iter().position(|corners| !sound(corners))
}
