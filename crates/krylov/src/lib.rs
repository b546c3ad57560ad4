//! Symmetric 3×3-block sparse matrices and Krylov methods advanced step by step.

pub mod block;
pub mod operator;
pub mod vector;

pub use block::{BlockPattern, SymmetricBlockMatrix};
pub use operator::LinearOperator;
