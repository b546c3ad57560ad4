//! From elements to the global forces and the global matrix.
//!
//! [`ElasticModel`] holds what never changes (elements, materials, masses) and answers questions about a
//! configuration: energy, forces, stresses, volume ratios. [`Assembler`] is that model bound to one matrix pattern: it
//! knows where every number goes and adds `K` and the forces of a whole step in one pass over the elements.

mod assembler;
mod bound;
mod hexahedra;
mod kernel;
mod measures;
mod model;
mod reduce;
mod rotations;
mod rows;

pub use assembler::{Assembler, AssemblyScales};
pub use measures::VolumeRatio;
pub use model::ElasticModel;
