//! Kinds of primitives, and their corners.

/// Kind of the primitives of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Corners `[p, a, b, c]`: a point and a closed triangle.
    VertexFace,
    /// Corners `[a0, a1, b0, b1]`: two closed edges.
    EdgeEdge,
}

/// Positions of the four corners.
pub type Corners = [[f64; 3]; 4];
