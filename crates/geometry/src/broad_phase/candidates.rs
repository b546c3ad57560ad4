//! The pairs that a broad phase reports.

use super::Aabb;
use crate::surface::CollisionSurface;

/// Pairs of features that may touch, see [`BroadPhase`](super::BroadPhase).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CandidateSet {
    /// Point id and triangle index.
    pub vertex_face: Vec<[u32; 2]>,
    /// Two edge indices, the smaller first.
    pub edge_edge: Vec<[u32; 2]>,
}

impl CandidateSet {
    /// Number of pairs of both kinds.
    pub fn len(&self) -> usize {
        self.vertex_face.len() + self.edge_edge.len()
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Brings the pairs of any complete broad phase into the form that [`BroadPhase`](super::BroadPhase) asks for:
    /// removes pairs that are excluded or do not overlap, and repeated ones, and sorts the others.
    ///
    /// # Errors
    /// The first pair that `surface` does not have; the set is then incomplete.
    ///
    /// # Panics
    /// If `point_boxes.len() != surface.point_count()`.
    ///
    /// # Cost
    /// `O(k log k)` for `k` pairs.
    #[track_caller]
    pub fn normalise(
        &mut self,
        surface: &CollisionSurface,
        point_boxes: &[Aabb],
    ) -> Result<(), [u32; 2]> {
        assert_eq!(
            point_boxes.len(),
            surface.point_count(),
            "one box per point"
        );
        let (triangles, edges) = (surface.triangles(), surface.edges());
        let box_of = |points: &[u32]| {
            Aabb::of_boxes(points.iter().map(|&point| &point_boxes[point as usize]))
        };
        let touch =
            |a: &[u32], b: &[u32]| surface.may_touch(a, b) && box_of(a).overlaps(&box_of(b));
        let unknown = |&&[vertex, face]: &&[u32; 2]| {
            surface.vertices().binary_search(&vertex).is_err() || face as usize >= triangles.len()
        };
        if let Some(&pair) = self.vertex_face.iter().find(unknown) {
            return Err(pair);
        }
        let unknown = |pair: &&[u32; 2]| {
            pair[0] == pair[1] || pair.iter().any(|&edge| edge as usize >= edges.len())
        };
        if let Some(&pair) = self.edge_edge.iter().find(unknown) {
            return Err(pair);
        }
        self.vertex_face
            .retain(|&[vertex, face]| touch(&[vertex], &triangles[face as usize]));
        self.edge_edge
            .iter_mut()
            .for_each(|pair| pair.sort_unstable());
        self.edge_edge
            .retain(|&[first, second]| touch(&edges[first as usize], &edges[second as usize]));
        for pairs in [&mut self.vertex_face, &mut self.edge_edge] {
            pairs.sort_unstable();
            pairs.dedup();
        }
        Ok(())
    }

    /// Removes all pairs but keeps the memory.
    pub fn clear(&mut self) {
        self.vertex_face.clear();
        self.edge_edge.clear();
    }
}
