//! What makes a contact problem unusable.

use thiserror::Error;

/// A contact problem that no method may start on.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum ContactError {
    /// A number in the problem is NaN or infinite.
    #[error(
        "{what} {index} of the contact problem is not finite; check the state and the forces it was built from"
    )]
    NotFinite {
        /// Which array: "right-hand side entry", "row block of contact", ...
        what: &'static str,
        /// Its index in that array.
        index: usize,
    },
    /// The diagonal of the momentum matrix has an entry that is zero or negative.
    #[error(
        "diagonal entry {index} of the momentum matrix is {value:e} kg, not positive; every free node needs mass"
    )]
    SingularMomentum {
        /// Scalar row.
        index: usize,
        /// The entry (kg).
        value: f64,
    },
    /// The momentum matrix of a body has no Cholesky factor.
    #[error(
        "the momentum matrix of the body with block {block} is not positive definite; its elements' stiffness must be \
         projected to be positive semi-definite, and every node needs mass"
    )]
    IndefiniteMomentum {
        /// The body's first block.
        block: usize,
    },
    /// A factorisation does not fit in memory.
    #[error(
        "a factorisation of {unknowns} unknowns does not fit in memory; choose the method `cr`"
    )]
    TooLarge {
        /// Scalar rows of the matrix.
        unknowns: usize,
    },
    /// Friction coefficients are never negative.
    #[error(
        "contact {contact} has the friction coefficient {value}; give a finite number that is at least 0"
    )]
    NegativeFriction {
        /// Index of the contact.
        contact: usize,
        /// The coefficient.
        value: f64,
    },
    /// The step length is zero, negative or not a number.
    #[error("the time step is {value:e} s; give a positive, finite length")]
    TimeStep {
        /// The length (s).
        value: f64,
    },
    /// The right-hand side does not fit the momentum matrix.
    #[error("the right-hand side has {found} entries, the momentum matrix {expected} rows")]
    RightHandSideLength {
        /// Entries of the right-hand side.
        found: usize,
        /// Scalar rows of the matrix.
        expected: usize,
    },
    /// A contact without any free unknown cannot be acted on.
    #[error(
        "contact {contact} touches no free unknown; leave out contacts between prescribed bodies"
    )]
    EmptyRow {
        /// Index of the contact.
        contact: usize,
    },
    /// The warm start belongs to another problem.
    #[error(
        "the solution has {found} {what}, the problem {expected}; build it with `ContactSolution::at_rest`"
    )]
    WarmStartMismatch {
        /// "velocities" or "contacts".
        what: &'static str,
        /// Length in the solution.
        found: usize,
        /// Length in the problem.
        expected: usize,
    },
    /// A tolerance or parameter of the method is outside its range.
    #[error("setting `{name}` is {value:e}; it must be {requirement}")]
    Setting {
        /// Name of the field.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The admissible range in words.
        requirement: &'static str,
    },
}
