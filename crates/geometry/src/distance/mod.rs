//! Closest points of a point and a triangle, and of two edges.
//!
//! Both functions are total: collapsed triangles, zero-length edges and parallel edges have an answer like any other
//! input. The distance returned is always that of two points of the closed primitives, namely those given by the
//! weights, so it can exceed the true minimum by rounding only.

mod edge_edge;
mod point_segment;
mod point_triangle;

pub use edge_edge::{EdgeEdge, EdgePart, edge_edge};
pub use point_triangle::{PointTriangle, TriangleFeature, point_triangle};

/// A parallelogram (or triangle) whose squared sine between its sides is below this has no trustworthy plane: the
/// 2×2 system for the interior closest point loses about half of the 16 digits there, so its solution is then only
/// one more candidate beside the boundary.
pub(crate) const SLIVER_SINE_SQUARED: f64 = 1e-8;
