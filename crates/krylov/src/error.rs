//! What makes a linear system unusable before the first iteration.

/// A preconditioner could not be built from the given matrix.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KrylovError {
    /// A diagonal entry is zero, negative or not a number.
    #[error(
        "diagonal entry {row} is {value}, which a Jacobi preconditioner cannot use: it must be positive and finite. \
         Give the unknown some mass or stiffness, or use no preconditioner"
    )]
    NonPositiveDiagonal {
        /// Scalar row of the entry.
        row: usize,
        /// The entry.
        value: f64,
    },
    /// A diagonal block is not positive definite.
    #[error(
        "diagonal block {block} is not positive definite and finite, so it has no inverse that preconditions. Give the \
         node some mass or stiffness in every direction, or project its element stiffness to be positive semidefinite"
    )]
    IndefiniteBlock {
        /// Block row of the block.
        block: usize,
    },
}
