//! Errors of a linear system that are found before the first iteration.

/// A preconditioner or a factorisation could not be built from the given matrix.
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
    /// A matrix cannot be factorised.
    #[error(
        "the matrix of {unknowns} unknowns is singular or not finite; every unknown needs an equation that is \
         independent of the others"
    )]
    SingularMatrix {
        /// Scalar rows of the matrix.
        unknowns: usize,
    },
    /// A matrix has no Cholesky factor.
    #[error(
        "the matrix of {unknowns} unknowns is not positive definite or not finite; give every unknown mass, or project \
         element stiffness to be positive semidefinite"
    )]
    NotPositiveDefinite {
        /// Scalar rows of the matrix.
        unknowns: usize,
    },
    /// A factorisation does not fit in memory.
    #[error(
        "the factors of a matrix of {unknowns} unknowns do not fit in memory; use an iterative method"
    )]
    TooLarge {
        /// Scalar rows of the matrix.
        unknowns: usize,
    },
}
