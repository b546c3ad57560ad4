//! The surface of the bodies in a frame: the part that a viewer shows.

use impinge_sim::output::Frame;

use super::simplify::{Face, simplify};

/// Corners of the four faces of a tetrahedron, wound around its outward normals.
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// Surface triangles of a run, the same in all of its frames.
#[derive(Debug, Clone)]
pub(crate) struct Surface {
    /// Point of each surface vertex, ascending.
    pub(crate) points: Vec<u32>,
    /// Corners as surface vertices.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// The first triangles, as many, are of closed surfaces wound outwards: their backs cannot be seen.
    pub(crate) closed: usize,
    /// Body of each surface vertex.
    pub(crate) bodies: Vec<u32>,
    /// Number of each surface vertex in the mesh of its body.
    pub(crate) nodes: Vec<u32>,
    /// Number of triangles before simplification, if it was simplified.
    pub(crate) simplified: Option<usize>,
}

impl Surface {
    /// The surface of `frame`, simplified if it has more than `most` triangles.
    pub(crate) fn of(frame: &Frame, most: Option<Most>) -> Self {
        let of_elements = boundary(&frame.tets);
        let mut closed = of_elements.len();
        let mut faces: Vec<Face> = of_elements
            .into_iter()
            .chain(frame.triangles.iter().copied())
            .map(|corners| (corners, frame.body_of_point[corners[0] as usize] as usize))
            .collect();
        let all = faces.len();
        let mut simplified = None;
        if let Some(most) = most.filter(|most| all > most.shown) {
            faces = simplify(&frame.points, &faces, most.simplified);
            simplified = Some(all);
            closed = 0;
        }
        let mut points: Vec<u32> = faces.iter().flat_map(|(corners, _)| *corners).collect();
        points.sort_unstable();
        points.dedup();
        let mut place = vec![0; frame.points.len()];
        for (vertex, &point) in (0..).zip(&points) {
            place[point as usize] = vertex;
        }
        let of_points = |values: &[u32]| points.iter().map(|&p| values[p as usize]).collect();
        Self {
            triangles: faces
                .iter()
                .map(|(corners, _)| corners.map(|point| place[point as usize]))
                .collect(),
            bodies: of_points(&frame.body_of_point),
            nodes: of_points(&frame.node_ids),
            closed,
            simplified,
            points,
        }
    }
}

/// When a surface is simplified.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Most {
    /// Most triangles that are shown as they are.
    pub(crate) shown: usize,
    /// Most triangles of a simplified surface.
    pub(crate) simplified: usize,
}

/// Faces that belong to one tetrahedron only, wound around the outward normals, in the order of the tetrahedra.
fn boundary(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let faces: Vec<[u32; 3]> = tets
        .iter()
        .flat_map(|tet| FACES.map(|face| face.map(|corner| tet[corner])))
        .collect();
    let key = |face: usize| {
        let mut corners = faces[face];
        corners.sort_unstable();
        corners
    };
    let mut order: Vec<usize> = (0..faces.len()).collect();
    order.sort_unstable_by_key(|&face| (key(face), face));
    let mut single: Vec<usize> = order
        .chunk_by(|&a, &b| key(a) == key(b))
        .filter(|same| same.len() == 1)
        .flatten()
        .copied()
        .collect();
    single.sort_unstable();
    single.into_iter().map(|face| faces[face]).collect()
}

#[cfg(test)]
mod tests {
    use super::boundary;

    #[test]
    fn two_tetrahedra_share_no_face_of_their_boundary() {
        let faces = boundary(&[[0, 1, 2, 3], [1, 2, 3, 4]]);
        assert_eq!(faces.len(), 6);
        let shared = |face: &[u32; 3]| [1, 2, 3].iter().all(|corner| face.contains(corner));
        assert!(!faces.iter().any(shared), "{faces:?}");
    }

    /// Every edge of a closed surface that is wound outwards has a triangle in each direction.
    #[test]
    fn the_boundary_is_closed() {
        let faces = boundary(&[[0, 1, 2, 3]]);
        let mut edges: Vec<[u32; 2]> = faces
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        assert_eq!(edges.len(), 12);
        assert!(edges.iter().all(|&[a, b]| edges.contains(&[b, a])));
    }
}
