//! Assembly of elements into global forces and the global matrix.
//!
//! [`ElasticModel`] holds the constant data (elements, materials, masses) and computes measures of a configuration:
//! energy, forces, stresses, volume ratios. [`Assembler`] is that model bound to one matrix pattern: it adds `K` and
//! the forces of a step in one pass over the elements.

mod assembler;
mod bound;
mod energies;
mod hexahedra;
mod kernel;
mod measures;
mod model;
mod motion;
mod reduce;
mod rotations;
mod rows;
mod scales;

pub use assembler::Assembler;
pub use measures::VolumeRatio;
pub use model::ElasticModel;
pub use motion::NodalMotion;
pub use scales::AssemblyScales;
