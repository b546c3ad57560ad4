//! What makes bytes no problem.

use super::FORMAT;
use crate::ContactError;
use thiserror::Error;

/// Bytes that are not a stored problem of this format.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum StoredProblemError {
    /// The container is damaged: cut short, or not safetensors at all.
    #[error(
        "not a whole problem file ({problem}); store the problem again, or copy the file in binary mode"
    )]
    Container {
        /// What the container's reader says.
        problem: String,
    },
    /// The container holds something else.
    #[error(
        "the header has no entry `__metadata__.impinge`: the file holds arrays, but no contact problem"
    )]
    NoHeader,
    /// A later, or no, version of the format.
    #[error(
        "the file has format {found}, this program reads format {FORMAT}; use the version of impinge that wrote it"
    )]
    Format {
        /// The number in the file.
        found: u64,
    },
    /// The entry of the header cannot be understood.
    #[error("the header entry `__metadata__.impinge` cannot be read: {problem}")]
    Header {
        /// What is wrong, and where.
        problem: String,
    },
    /// The method that the header names has a setting outside its range.
    #[error("the header entry `__metadata__.impinge` holds a method that cannot be used: {0}")]
    Settings(ContactError),
    /// An array is not there.
    #[error("the array `{array}` is missing")]
    Missing {
        /// Its name.
        array: &'static str,
    },
    /// An array has another type of number or another shape.
    #[error("the array `{array}` holds {found}; {expected} is needed")]
    Shape {
        /// Its name.
        array: &'static str,
        /// Type and shape in the file.
        found: String,
        /// Type and shape that fit the other arrays.
        expected: String,
    },
    /// An entry of an array is impossible.
    #[error("entry {index} of the array `{array}` is {value}; it must be {requirement}")]
    Entry {
        /// Name of the array.
        array: &'static str,
        /// Index of the number in it.
        index: usize,
        /// The number.
        value: String,
        /// What it has to be.
        requirement: String,
    },
    /// The arrays are whole, but no method may start on them.
    #[error(transparent)]
    Unusable(#[from] ContactError),
}
