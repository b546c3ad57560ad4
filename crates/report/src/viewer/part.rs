//! The numbers of a film, in parts that are fetched one by one.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A named sequence of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its name within the film.
    pub name: String,
    /// Little-endian numbers of four bytes.
    pub bytes: Vec<u8>,
}

impl Part {
    pub(super) fn new(name: &str, bytes: Vec<u8>) -> Self {
        Self {
            name: name.to_owned(),
            bytes,
        }
    }

    /// The bytes in base64.
    pub(super) fn text(&self) -> String {
        STANDARD.encode(&self.bytes)
    }
}
