//! The pairs that a broad phase reports.

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

    /// Removes all pairs but keeps the memory.
    pub fn clear(&mut self) {
        self.vertex_face.clear();
        self.edge_edge.clear();
    }
}
