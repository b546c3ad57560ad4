//! Direct factorisations: a thin face over `faer`, run on one thread so that the bits never depend on their number.

mod lu;
mod singular_values;

pub use lu::SparseLu;
pub use singular_values::singular_values;
