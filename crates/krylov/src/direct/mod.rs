//! Direct factorisations: a thin layer over `faer`, run on one thread so that no bit depends on the number of threads.

mod block_cholesky;
mod cholesky;
mod ldlt;
mod lu;
mod setup;
mod singular_values;
mod symmetric_eigen;

pub use block_cholesky::BlockCholesky;
pub use cholesky::{SolveScratch, SparseCholesky};
pub use ldlt::{SparseLdlt, minimum_degree_order};
pub use lu::SparseLu;
pub use setup::MOST_RIGHT_HAND_SIDES;
pub use singular_values::singular_values;
pub use symmetric_eigen::symmetric_eigen;
