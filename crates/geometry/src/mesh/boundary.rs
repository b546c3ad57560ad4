//! The boundary surface of a tetrahedral mesh.

use std::collections::{BTreeMap, BTreeSet};

use super::{MeshError, topology};

/// The faces that belong to one tetrahedron only, in the node numbering of the tetrahedral mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundarySurface {
    triangles: Vec<[u32; 3]>,
    tet_of_triangle: Vec<u32>,
    nodes: Vec<u32>,
}

impl BoundarySurface {
    /// The triangles as node ids of the tetrahedral mesh, wound outwards, in the order of their tetrahedra.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The tetrahedron behind each triangle.
    pub fn tet_of_triangle(&self) -> &[u32] {
        &self.tet_of_triangle
    }

    /// The node ids that lie on the surface, ascending: entry `i` is the tetrahedral node of surface vertex `i`.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// The edges as ascending pairs of node ids, ascending and unique.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        topology::unique_edges(&self.triangles)
    }

    /// Whether the surface is a closed manifold: see [`TriangleMesh::check_closed`](super::TriangleMesh::check_closed).
    ///
    /// The boundary of tetrahedra never has a hole, but it is non-manifold where tetrahedra touch in an edge or a node
    /// only. Contact accepts that; methods that need a normal per vertex may not.
    ///
    /// # Errors
    /// [`MeshError::NonManifoldEdge`] or [`MeshError::NonManifoldVertex`].
    pub fn check_closed(&self) -> Result<(), MeshError> {
        let node_count = self.nodes.last().map_or(0, |&node| node as usize + 1);
        topology::check_closed(&self.triangles, node_count)
    }
}

/// The first four nodes of a quadrangle that the tetrahedra on its two sides cut along different diagonals. Then all
/// four triangles between these nodes are faces of one tetrahedron only, but no tetrahedron has all four nodes.
pub(super) fn mismatched_diagonals(
    tets: &[[u32; 4]],
    surface: &BoundarySurface,
) -> Option<MeshError> {
    let sorted = |mut face: [u32; 3]| {
        face.sort_unstable();
        face
    };
    let faces: BTreeSet<[u32; 3]> = surface.triangles.iter().copied().map(sorted).collect();
    let solids: BTreeSet<[u32; 4]> = tets
        .iter()
        .map(|&corners| {
            let mut corners = corners;
            corners.sort_unstable();
            corners
        })
        .collect();
    let mut apexes: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
    for &[a, b, c] in &faces {
        for (edge, apex) in [([a, b], c), ([b, c], a), ([a, c], b)] {
            apexes.entry(edge).or_default().push(apex);
        }
    }
    apexes.iter().find_map(|(&[a, c], apexes)| {
        let pairs = apexes.iter().enumerate();
        pairs
            .flat_map(|(at, &b)| apexes[..at].iter().map(move |&d| [b, d]))
            .find_map(|[b, d]| {
                let mut nodes = [a, b, c, d];
                nodes.sort_unstable();
                let closed =
                    faces.contains(&sorted([a, b, d])) && faces.contains(&sorted([c, b, d]));
                (closed && !solids.contains(&nodes)).then_some(MeshError::MismatchedDiagonals {
                    nodes: [a, b, c, d],
                })
            })
    })
}

/// The four faces of a positive tetrahedron, each wound outwards.
const OUTWARD_FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// One face of one tetrahedron, with its nodes in ascending order as key.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Face {
    key: [u32; 3],
    tet: u32,
    side: u8,
}

/// Extracts the boundary of `tets`; see [`TetMesh::surface`](super::TetMesh::surface).
pub(super) fn extract(tets: &[[u32; 4]]) -> Result<BoundarySurface, MeshError> {
    let corners =
        |tet: u32, side: u8| OUTWARD_FACES[side as usize].map(|corner| tets[tet as usize][corner]);

    let mut faces = Vec::with_capacity(4 * tets.len());
    for tet in 0..tets.len() as u32 {
        for side in 0..4 {
            let mut key = corners(tet, side);
            key.sort_unstable();
            faces.push(Face { key, tet, side });
        }
    }
    faces.sort_unstable();

    let mut outside: Vec<(u32, u8)> = Vec::new();
    for run in faces.chunk_by(|a, b| a.key == b.key) {
        match run {
            [only] => outside.push((only.tet, only.side)),
            [a, b] => {
                if is_even(corners(a.tet, a.side)) == is_even(corners(b.tet, b.side)) {
                    return Err(MeshError::OverlappingTets {
                        nodes: a.key,
                        first: a.tet,
                        second: b.tet,
                    });
                }
            }
            _ => {
                return Err(MeshError::OvercrowdedFace {
                    nodes: run[0].key,
                    first: run[0].tet,
                    second: run[1].tet,
                    third: run[2].tet,
                });
            }
        }
    }
    outside.sort_unstable();

    let triangles: Vec<[u32; 3]> = outside
        .iter()
        .map(|&(tet, side)| corners(tet, side))
        .collect();
    let mut nodes = triangles.as_flattened().to_vec();
    nodes.sort_unstable();
    nodes.dedup();
    Ok(BoundarySurface {
        triangles,
        tet_of_triangle: outside.into_iter().map(|(tet, _)| tet).collect(),
        nodes,
    })
}

/// Whether the winding is an even permutation of ascending order.
fn is_even([a, b, c]: [u32; 3]) -> bool {
    (a < b) ^ (b < c) ^ (a < c)
}
