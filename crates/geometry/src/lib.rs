//! Meshes, broad phase, distances, continuous collision detection and exact intersection tests.
//!
//! The contract of this crate is one-sided: **no pair is missed, and `Separated` is a proof.** A broad phase may report
//! too many pairs but never too few; an impact may be reported early but never late; the exact predicates, which share
//! no code with the rest, decide without rounding.
//!
//! In the order data flows:
//! - [`mesh`]: validated tetrahedral solids and triangle surfaces, their outside, procedural shapes
//! - [`io`]: reading and writing mesh files
//! - [`surface`]: the triangles, edges and vertices of all bodies over one array of points
//! - [`broad_phase`]: all pairs whose boxes overlap
//! - [`distance`]: between a point and a triangle, between two edges
//! - [`ccd`]: the first time at which moving features come too close
//! - [`kinetic`]: separation certificates for points that change their velocity
//! - [`exact`]: whether triangles intersect, decided exactly
//!
//! # Example
//! ```
//! use impinge_geometry::MeshSummary;
//! use impinge_geometry::mesh::generate::{RingShape, ring};
//!
//! let ring = ring(RingShape { major_radius: 0.1, section: 0.02, segments: 18 })?;
//! let surface = ring.surface()?;
//! assert_eq!((ring.nodes().len(), ring.tets().len()), (72, 108));
//! assert_eq!((surface.triangles().len(), surface.edges().len()), (144, 216));
//!
//! let summary = MeshSummary::of_solid(&ring)?;
//! assert!(summary.is_closed());
//! assert_eq!(summary.euler_characteristic, 0); // a torus
//! # Ok::<(), impinge_geometry::MeshError>(())
//! ```
//!
//! # Features
//! All are on by default: `io` (module [`io`], mesh files), `parallel` (threads; the same bits), `parry`
//! (`mesh::tetrahedralize`, `broad_phase::ParryBvh`, `ccd::step_size`).
//!
//! # Does not know
//! Mass, force, or velocity beyond a motion of points. All lengths are metres and all numbers `f64`.
//!
//! # Present limits
//! Solids are 4-node tetrahedra and surfaces triangles; points are numbered by `u32`.

pub mod broad_phase;
pub mod ccd;
pub mod distance;
pub mod exact;
mod few;
#[cfg(feature = "io")]
pub mod io;
pub mod kinetic;
pub mod mesh;
pub mod surface;

/// Vectors and matrices of the signatures of this crate, in the version that it uses.
pub use nalgebra;

#[cfg(feature = "io")]
pub use io::MeshIoError;
pub use mesh::{MeshError, MeshSummary, TetMesh, TriangleMesh};
pub use surface::CollisionSurface;
