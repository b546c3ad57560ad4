//! Exact predicates: intersection of triangles, points inside a surface, orientation of tetrahedra.
//!
//! Everything here is decided by signs of determinants that are exact for the `f64` coordinates as given (the `robust`
//! crate's adaptive predicates), with no tolerance anywhere. It shares no code with `distance`, `ccd` or `broad_phase`,
//! so it can check their guarantees independently.
//!
//! Valid while products of three coordinate differences neither overflow nor underflow: nonzero differences between
//! about 1e-90 and 1e100 m.
//!
//! # Source
//! Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates", 1997,
//! <https://doi.org/10.1007/PL00009321>.

mod predicate;
mod segment;
mod surface;
mod triangle;
pub(crate) mod vertical_ray;
mod winding;

pub use predicate::{Orientation, tet_orientation};
pub use segment::{segment_crosses_triangle, segments_intersect};
pub use surface::{IntersectingPair, surface_intersections};
pub use triangle::triangles_intersect;
pub use winding::winding_number;
