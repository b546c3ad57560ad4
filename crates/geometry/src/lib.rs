//! Meshes, broad phase, distances, continuous collision detection and exact intersection tests.

pub mod broad_phase;
pub mod ccd;
pub mod distance;
pub mod exact;
pub mod io;
pub mod mesh;
pub mod surface;
