//! Incidence of surface features: edges at a point, triangles at an edge.

use impinge_geometry::surface::CollisionSurface;

/// Edges of each point, and triangles of each edge.
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    /// Triangles of each edge; the same twice on a border.
    pub(crate) faces_of_edge: Vec<[u32; 2]>,
    /// Edges of each point, in compressed rows.
    starts: Vec<u32>,
    edges: Vec<u32>,
}

impl Neighbours {
    /// Collects the incidences of `surface`.
    pub fn new(surface: &CollisionSurface) -> Self {
        let mut faces_of_edge = vec![[u32::MAX; 2]; surface.edges().len()];
        for (face, sides) in surface.triangle_edges().iter().enumerate() {
            for &edge in sides {
                let faces = &mut faces_of_edge[edge as usize];
                if faces[0] == u32::MAX {
                    *faces = [face as u32; 2];
                } else {
                    faces[1] = face as u32;
                }
            }
        }
        let mut starts = vec![0; surface.point_count() + 1];
        for ends in surface.edges() {
            for &point in ends {
                starts[point as usize + 1] += 1;
            }
        }
        for point in 0..surface.point_count() {
            starts[point + 1] += starts[point];
        }
        let mut next = starts.clone();
        let mut edges = vec![0; 2 * surface.edges().len()];
        for (edge, ends) in surface.edges().iter().enumerate() {
            for &point in ends {
                edges[next[point as usize] as usize] = edge as u32;
                next[point as usize] += 1;
            }
        }
        Self {
            faces_of_edge,
            starts,
            edges,
        }
    }

    /// Edges that end at a point.
    pub(crate) fn edges_of(&self, point: u32) -> &[u32] {
        &self.edges[self.starts[point as usize] as usize..self.starts[point as usize + 1] as usize]
    }
}
