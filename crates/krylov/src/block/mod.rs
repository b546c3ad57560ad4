//! Symmetric sparse matrices of 3×3 blocks, half of which are stored.
//!
//! A mesh node, and each half of a rigid body, is one block of three unknowns; an element or a spring couples pairs of
//! blocks. The coupling is constant during a simulation and the numbers change, hence two types: [`BlockPattern`] lists
//! the stored blocks and their order in a product, [`SymmetricBlockMatrix`] holds the numbers of one matrix over a
//! shared pattern.

mod kernel;
mod matrix;
mod partition;
mod pattern;
mod product;
mod row_order;

pub use matrix::SymmetricBlockMatrix;
pub use pattern::BlockPattern;
