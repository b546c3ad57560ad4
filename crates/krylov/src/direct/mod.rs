//! Direct factorisations: a thin face over `faer`, run on one thread so that the bits never depend on their number.

mod cholesky;
mod lu;
mod singular_values;

pub use cholesky::{MOST_RIGHT_HAND_SIDES, SparseCholesky};
pub use lu::SparseLu;
pub use singular_values::singular_values;
