//! Files that appear whole or not at all, their checksums, and the errors of reading and writing them.

pub(crate) mod atomic;
mod checksum;
mod error;
pub(crate) mod format;

pub use checksum::Checksum;
pub use error::OutputError;
