//! Errors of unusable contact problems.

use thiserror::Error;

/// A contact problem that no method accepts.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum ContactError {
    /// A number in the problem is NaN or infinite.
    #[error(
        "{what} {index} of the contact problem is not finite; check the state and the forces it was built from"
    )]
    NotFinite {
        /// Name of the array: "right-hand side entry", "row block of contact", ...
        what: &'static str,
        /// Its index in that array.
        index: usize,
    },
    /// The diagonal of the momentum matrix has an entry that is zero or negative.
    #[error(
        "diagonal entry {index} of the momentum matrix is {} kg, not positive; every free node needs mass",
        number(*value)
    )]
    SingularMomentum {
        /// Scalar row.
        index: usize,
        /// The entry (kg).
        value: f64,
    },
    /// An error of a method from another crate.
    #[error("the contact solver `{solver}` failed: {problem}")]
    Custom {
        /// Name of the solver.
        solver: String,
        /// Its message.
        problem: String,
    },
    /// Off-diagonal blocks are stored once, diagonal blocks in full: the latter must be symmetric.
    #[error(
        "diagonal block {block} of the momentum matrix is not symmetric: entries differ by {difference:e} kg from the \
         transpose; symmetrise the stiffness"
    )]
    AsymmetricMomentum {
        /// The block.
        block: usize,
        /// Largest difference of an entry from its mirror image (kg).
        difference: f64,
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
    /// A weight of a momentum residual is zero, negative or not finite.
    #[error("momentum block {block} has the weight {}; give a positive, finite one", number(*value))]
    MomentumWeight {
        /// Index of the block.
        block: usize,
        /// The weight.
        value: f64,
    },
    /// A displacement scale of a contact is zero, negative or not finite.
    #[error("contact {contact} has the displacement scale {}; give a positive, finite one", number(*value))]
    DisplacementScale {
        /// Index of the contact.
        contact: usize,
        /// The scale.
        value: f64,
    },
    /// The step length is zero, negative or not a number.
    #[error("the time step is {} s; give a positive, finite length", number(*value))]
    TimeStep {
        /// The length (s).
        value: f64,
    },
    /// The right-hand side does not match the momentum matrix.
    #[error("the right-hand side has {found} entries, the momentum matrix {expected} rows")]
    RightHandSideLength {
        /// Entries of the right-hand side.
        found: usize,
        /// Scalar rows of the matrix.
        expected: usize,
    },
    /// A contact without any free unknown cannot be resolved.
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
    /// A compliance is below zero.
    #[error(
        "constraint {constraint} has the compliance {}; it must be 0 (hard) or positive", number(*value)
    )]
    NegativeCompliance {
        /// Index of the constraint.
        constraint: usize,
        /// The diagonal entry.
        value: f64,
    },
    /// A constraint row without any free unknown cannot be satisfied.
    #[error(
        "a row of constraint {constraint} acts on no free unknown; remove constraints between fixed points, and links \
         without length"
    )]
    EmptyConstraint {
        /// Index of the constraint.
        constraint: usize,
    },
    /// The method does not support constraint rows.
    #[error(
        "the problem has {rows} constraint rows, which this method does not support; choose `cr` or `compliant-kkt`"
    )]
    ConstraintRows {
        /// Number of rows.
        rows: usize,
    },
    /// The compliance at contacts depends on whether one-sided rows hold.
    #[error(
        "constraint {constraint} is one-sided, so the compliance at contacts is not known; solve the problem, or leave \
         it out"
    )]
    OneSidedRow {
        /// Index of the constraint.
        constraint: usize,
    },
    /// More rows connect bodies than the method can factorise.
    #[error(
        "{rows} constraint rows connect one group of bodies, and this method takes {most}; choose `cr` or \
         `compliant-kkt`"
    )]
    ManyRows {
        /// Number of rows.
        rows: usize,
        /// The largest number.
        most: usize,
    },
    /// Rigid constraints are redundant and the factorisation failed.
    #[error(
        "the hard constraints are linearly dependent and the KKT matrix cannot be factorised; remove redundant \
         constraints, or give them a compliance"
    )]
    DependentConstraints,
    /// Bilateral rows leave a contact or one-sided row without freedom.
    #[error("contact or one-sided row {contact} cannot move: hard constraints fix all its points")]
    Immovable {
        /// Index among the contacts, one-sided rows after them.
        contact: usize,
    },
    /// MINRES on the KKT matrix supports equalities only.
    #[error(
        "contacts and one-sided rows need the direct solver of the method `compliant-kkt`, not MINRES"
    )]
    OneSidedRows,
    /// A tolerance or parameter of the method is outside its range.
    #[error("setting `{name}` is {}; it must be {requirement}", number(*value))]
    Setting {
        /// Name of the field.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The valid range in words.
        requirement: &'static str,
    },
    /// The method needs the compliance at rest of deformable bodies and was given none.
    #[error(
        "the compliance at rest of the body with block {block}, which `warped-compliance` needs, is missing; run the \
         scene with that method, or use `exact-compliance` for a stored problem"
    )]
    NoRestCompliance {
        /// A block of the body.
        block: usize,
    },
    /// The compliances were computed for another step length.
    #[error(
        "the compliance at rest belongs to a time step of {known:e} s, the problem to {time_step:e} s; compute it again"
    )]
    RestComplianceStep {
        /// Step of the compliance (s).
        known: f64,
        /// Step of the problem (s).
        time_step: f64,
    },
    /// The bodies' compliances name a block outside the problem, or one block twice.
    #[error("the compliance at rest of body {body} does not match the problem; compute it again")]
    RestComplianceBlocks {
        /// Index of the body.
        body: usize,
    },
    /// A contact acts on a node outside the collision surface.
    #[error(
        "contact {contact} acts on block {block}, which is not a surface node of the compliance at rest; compute it \
         with this node"
    )]
    InteriorContact {
        /// Index of the contact.
        contact: usize,
        /// The block.
        block: usize,
    },
    /// A body has no compliance at rest.
    #[error(
        "the rest matrix of the body is singular (smallest over largest eigenvalue {ratio:e}); give the body inertia, \
         a finite step, or prescribed nodes"
    )]
    SingularCompliance {
        /// Smallest over largest eigenvalue, estimated.
        ratio: f64,
    },
    /// A stored compliance has the wrong size.
    #[error(
        "the compliance has {found} blocks, but the surface nodes need {expected}; compute it again"
    )]
    ComplianceSize {
        /// Blocks given.
        found: usize,
        /// Blocks needed.
        expected: usize,
    },
}

/// Whole numbers without, others with an exponent.
pub(crate) fn number(value: f64) -> String {
    // Larger numbers would show digits that `f64` does not hold.
    let exact = value.abs() < 1e15;
    if exact && value.fract() == 0.0 {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}
