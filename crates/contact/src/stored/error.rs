//! Errors of invalid stored problems.

use super::FORMAT;
use crate::ContactError;
use thiserror::Error;

/// Bytes that are not a stored problem of this format.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum StoredProblemError {
    /// The container is truncated or no safetensors.
    #[error(
        "damaged problem file ({problem}); store the problem again, or copy the file in binary mode"
    )]
    Container {
        /// Message of the container's reader.
        problem: String,
    },
    /// The container holds something else.
    #[error("the header has no entry `__metadata__.impinge`: the file is no contact problem")]
    NoHeader,
    /// Another version of the format, or none.
    #[error(
        "the file has format {found}, this program reads format {FORMAT}; use the version of impinge that wrote it"
    )]
    Format {
        /// The number in the file.
        found: u64,
    },
    /// The entry of the header is malformed.
    #[error("the header entry `__metadata__.impinge` cannot be read: {problem}")]
    Header {
        /// The error and its place.
        problem: String,
    },
    /// The method that the header names has a setting outside its range.
    #[error("the header entry `__metadata__.impinge` holds a method that cannot be used: {0}")]
    Settings(ContactError),
    /// An array is missing.
    #[error("the array `{array}` is missing")]
    Missing {
        /// Its name.
        array: &'static str,
    },
    /// An array has another type or shape.
    #[error("the array `{array}` holds {found}; {expected} is needed")]
    Shape {
        /// Its name.
        array: &'static str,
        /// Type and shape in the file.
        found: String,
        /// Type and shape that match the other arrays.
        expected: String,
    },
    /// An entry of an array is invalid.
    #[error("entry {index} of the array `{array}` is {value}; it must be {requirement}")]
    Entry {
        /// Name of the array.
        array: &'static str,
        /// Index of the number in it.
        index: usize,
        /// The number.
        value: String,
        /// The requirement.
        requirement: String,
    },
    /// The arrays are valid, but not the problem.
    #[error(transparent)]
    Unusable(#[from] ContactError),
}
