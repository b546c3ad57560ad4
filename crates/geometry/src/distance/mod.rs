//! Closest points of a point and a triangle, and of two edges.
//!
//! Both functions are total: collapsed triangles, zero-length edges and parallel edges have an answer like any other
//! input. The distance returned is that of the two points given by the weights, which belong to the closed primitives.
//! So it exceeds the true minimum by rounding only.

mod edge_edge;
mod point_segment;
mod point_triangle;

pub use edge_edge::{EdgeEdge, EdgePart, edge_edge};
pub use point_triangle::{PointTriangle, TriangleFeature, point_triangle};

/// Least squared sine between the sides of a parallelogram or triangle for its plane to be trusted. Below it, the 2×2
/// system for the interior closest point loses about half of the 16 digits, so its solution is only one more candidate
/// beside the boundary.
pub(crate) const SLIVER_SINE_SQUARED: f64 = 1e-8;
