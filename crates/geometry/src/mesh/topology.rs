//! Connectivity of triangles: edges, closedness, parts.

use super::MeshError;

/// One side of a triangle, with its edge as key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// Ascending end nodes.
    edge: [u32; 2],
    triangle: u32,
    /// Whether the triangle runs along the edge from the smaller node to the larger.
    forward: bool,
}

/// All sides, sorted by edge and then by triangle.
fn sorted_sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (triangle, &[a, b, c]) in (0u32..).zip(triangles) {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            sides.push(Side {
                edge: [from.min(to), from.max(to)],
                triangle,
                forward: from < to,
            });
        }
    }
    sides.sort_unstable();
    sides
}

/// The unique edges of `triangles` with ascending ends, ascending.
pub(super) fn unique_edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = sorted_sides(triangles)
        .into_iter()
        .map(|side| side.edge)
        .collect();
    edges.dedup();
    edges
}

/// Number of edges that have a triangle on one side only.
pub(super) fn open_edge_count(triangles: &[[u32; 3]]) -> usize {
    sorted_sides(triangles)
        .chunk_by(|a, b| a.edge == b.edge)
        .filter(|run| run.len() == 1)
        .count()
}

/// Checks that every edge has two triangles that run along it in opposite directions, and every vertex one fan.
pub(super) fn check_closed(triangles: &[[u32; 3]], node_count: usize) -> Result<(), MeshError> {
    for run in sorted_sides(triangles).chunk_by(|a, b| a.edge == b.edge) {
        if let [only] = run {
            return Err(MeshError::OpenEdge {
                edge: only.edge,
                triangle: only.triangle,
            });
        }
        check_edge(run)?;
    }
    check_fans(triangles, node_count)
}

/// Checks that no edge has more than two triangles, and that these run along it in opposite directions.
pub(super) fn check_sheet(triangles: &[[u32; 3]]) -> Result<(), MeshError> {
    sorted_sides(triangles)
        .chunk_by(|a, b| a.edge == b.edge)
        .try_for_each(check_edge)
}

/// Checks the sides at one edge: a single one, or two in opposite directions.
fn check_edge(sides: &[Side]) -> Result<(), MeshError> {
    let edge = sides[0].edge;
    match sides {
        [first, second] if first.forward == second.forward => Err(MeshError::InconsistentWinding {
            edge,
            first: first.triangle,
            second: second.triangle,
        }),
        [_] | [_, _] => Ok(()),
        _ => Err(MeshError::NonManifoldEdge {
            edge,
            triangle: sides[0].triangle,
            count: sides.len(),
        }),
    }
}

/// Checks that the triangles around each vertex form one fan. Every edge must have exactly two triangles.
fn check_fans(triangles: &[[u32; 3]], node_count: usize) -> Result<(), MeshError> {
    // A corner (vertex, triangle) is joined to the next one across each of the triangle's two sides at the vertex.
    let mut corner_sets = DisjointSets::new(3 * triangles.len());
    let corner_of = |triangle: u32, node: u32| {
        let place = triangles[triangle as usize]
            .iter()
            .position(|&other| other == node);
        3 * triangle as usize + place.unwrap_or(0)
    };
    for run in sorted_sides(triangles).chunk_by(|a, b| a.edge == b.edge) {
        for pair in run.windows(2) {
            for node in pair[0].edge {
                corner_sets.join(
                    corner_of(pair[0].triangle, node),
                    corner_of(pair[1].triangle, node),
                );
            }
        }
    }
    let mut fans = vec![0usize; node_count];
    for (corner, &node) in triangles.as_flattened().iter().enumerate() {
        if corner_sets.representative(corner) == corner {
            fans[node as usize] += 1;
        }
    }
    match (0u32..).zip(fans).find(|&(_, fans)| fans > 1) {
        Some((node, fans)) => Err(MeshError::NonManifoldVertex { node, fans }),
        None => Ok(()),
    }
}

/// `V − E + F` over the vertices that triangles use: 2 for a sphere, 0 for a torus, summed over parts.
#[expect(
    clippy::cast_possible_wrap,
    reason = "validated meshes have fewer than 2³² elements"
)]
pub(super) fn euler_characteristic(triangles: &[[u32; 3]]) -> i64 {
    let mut vertices: Vec<u32> = triangles.as_flattened().to_vec();
    vertices.sort_unstable();
    vertices.dedup();
    vertices.len() as i64 - unique_edges(triangles).len() as i64 + triangles.len() as i64
}

/// Number of connected parts: elements are joined when they share a node.
pub(super) fn part_count<const N: usize>(elements: &[[u32; N]], node_count: usize) -> usize {
    let mut sets = DisjointSets::new(node_count);
    let mut used = vec![false; node_count];
    for corners in elements {
        for &node in corners {
            used[node as usize] = true;
            sets.join(corners[0] as usize, node as usize);
        }
    }
    (0..node_count)
        .filter(|&node| used[node] && sets.representative(node) == node)
        .count()
}

/// Union-find; the smallest member represents its set.
pub(super) struct DisjointSets {
    parent: Vec<usize>,
}

impl DisjointSets {
    pub(super) fn new(count: usize) -> Self {
        Self {
            parent: (0..count).collect(),
        }
    }

    pub(super) fn representative(&mut self, member: usize) -> usize {
        let mut root = member;
        while self.parent[root] != root {
            self.parent[root] = self.parent[self.parent[root]];
            root = self.parent[root];
        }
        root
    }

    pub(super) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.representative(a), self.representative(b));
        self.parent[a.max(b)] = a.min(b);
    }
}
