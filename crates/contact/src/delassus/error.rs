//! Errors of friction problems.

use crate::error::number;
use thiserror::Error;

/// A friction problem, or its text, that no method can solve.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum FrictionError {
    /// The text does not follow the format.
    #[error("line {line}: {found}, expected {expected}")]
    Syntax {
        /// Line, counted from 1.
        line: usize,
        /// The text found.
        found: String,
        /// The text expected.
        expected: &'static str,
    },
    /// A number in the text, or given, is NaN or infinite.
    #[error("{what} {index} is {value}, not finite; check the program that wrote the problem")]
    NotFinite {
        /// Name of the array: "q", "mu", "W of contact", ...
        what: &'static str,
        /// Its index in that array, from 0.
        index: usize,
        /// The value.
        value: f64,
    },
    /// Two arrays have incompatible lengths.
    #[error("{what} has {found} entries where {expected} are needed")]
    Size {
        /// Name of the array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The required length.
        expected: usize,
    },
    /// A block of `W` lies outside of the matrix.
    #[error(
        "block ({row}, {column}) of W is outside of a problem of {size} contacts; contacts are numbered from 0"
    )]
    BlockOutside {
        /// Block row.
        row: usize,
        /// Block column.
        column: usize,
        /// Number of contacts.
        size: usize,
    },
    /// A block of `W` is stored twice.
    #[error("block ({row}, {column}) of W is given twice; give the sum once")]
    DuplicateBlock {
        /// Block row.
        row: usize,
        /// Block column.
        column: usize,
    },
    /// `W` is far from symmetric.
    #[error(
        "W is not symmetric: blocks ({row}, {column}) and ({column}, {row}) differ by {difference:e} where the largest \
         entry of W is {largest:e}; give W = Hᵀ M⁻¹ H with the same H on both sides"
    )]
    NotSymmetric {
        /// Block row.
        row: usize,
        /// Block column.
        column: usize,
        /// Largest difference of an entry and its mirror image.
        difference: f64,
        /// `max |W|`.
        largest: f64,
    },
    /// A contact cannot yield in its normal direction.
    #[error(
        "the normal entry of W at contact {contact} is {value:e}, not positive; leave out contacts between bodies that \
         cannot move, and check the sign of W"
    )]
    NoCompliance {
        /// Index of the contact.
        contact: usize,
        /// `W_NN`.
        value: f64,
    },
    /// A diagonal entry is negative.
    #[error(
        "the tangential diagonal entry {axis} of W at contact {contact} is {value:e}, negative; W must be positive \
         semi-definite"
    )]
    NegativeDiagonal {
        /// Index of the contact.
        contact: usize,
        /// 1 or 2.
        axis: usize,
        /// The entry.
        value: f64,
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
    /// The mass matrix of a global problem has no inverse.
    #[error(
        "M of {unknowns} unknowns is singular or not finite; fix or give mass to every degree of freedom"
    )]
    SingularMass {
        /// Number of degrees of freedom.
        unknowns: usize,
    },
    /// The factorisation that a method needs does not fit in memory.
    #[error("a factorisation for {contacts} contacts does not fit in memory; use `pgs`")]
    TooLarge {
        /// Number of contacts.
        contacts: usize,
    },
    /// A setting is outside its range.
    #[error("setting `{name}` is {}; it must be {requirement}", number(*value))]
    Setting {
        /// Name of the field.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The admissible range in words.
        requirement: &'static str,
    },
}

impl FrictionError {
    /// # Errors
    /// [`Self::Size`] if an array has another length than `expected`.
    pub(super) fn check_size(
        what: &'static str,
        found: usize,
        expected: usize,
    ) -> Result<(), Self> {
        if found == expected {
            return Ok(());
        }
        Err(Self::Size {
            what,
            found,
            expected,
        })
    }

    /// # Errors
    /// [`Self::NotFinite`] with the first number of entry `index` that is not finite.
    pub(super) fn check_finite<'a>(
        what: &'static str,
        index: usize,
        numbers: impl IntoIterator<Item = &'a f64>,
    ) -> Result<(), Self> {
        match numbers.into_iter().find(|value| !value.is_finite()) {
            Some(&value) => Err(Self::NotFinite { what, index, value }),
            None => Ok(()),
        }
    }
}
