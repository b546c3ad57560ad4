//! Tetrahedral solids and triangle surfaces that are valid by construction.
//!
//! The constructors of [`TetMesh`] and [`TriangleMesh`] check every property that later stages rely on, and name each
//! defect ([`MeshError`]). All lengths are metres.
//!
//! - [`TetMesh`], [`TriangleMesh`]: the meshes
//! - [`BoundarySurface`]: the boundary of a solid, with its map to the nodes
//! - [`generate`]: procedural shapes
//! - `tetrahedralize`, `hexahedralize` (feature `parry`): from a watertight surface to a solid
//! - [`repair`]: from a mesh with defects to a valid one
//! - [`hexahedron_tets`]: hexahedra cut into tetrahedra that meet face to face
//! - [`MeshSummary`]: counts, measures and defects of a mesh
//! - [`tet_volume`], [`tet_quality`], [`triangle_area`]: measures of one element

mod boundary;
mod error;
pub mod generate;
mod hexahedra;
mod measure;
mod morton;
#[cfg(feature = "io")]
mod polygon;
pub mod repair;
#[cfg(feature = "parry")]
mod stuffing;
mod summary;
mod tet_mesh;
mod topology;
mod triangle_mesh;
mod validate;

pub use boundary::BoundarySurface;
pub use error::MeshError;
#[cfg(feature = "io")]
pub(crate) use hexahedra::first_twisted;
pub use hexahedra::hexahedron_tets;
pub use measure::{tet_dihedral_cosines, tet_quality, tet_volume, triangle_area};
#[cfg(feature = "io")]
pub(crate) use polygon::triangulate;
#[cfg(feature = "parry")]
pub use stuffing::{
    HexahedralFilling, StuffingError, StuffingOptions, StuffingReport, dihedral_range,
    hexahedralize, tetrahedralize,
};
pub use summary::{MeshSummary, SolidSummary};
pub use tet_mesh::TetMesh;
pub use triangle_mesh::TriangleMesh;

/// Bound in m of the magnitude of coordinates: the cube of any difference is then far from overflow.
pub const COORDINATE_LIMIT: f64 = 1e90;
