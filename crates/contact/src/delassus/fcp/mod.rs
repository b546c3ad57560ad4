//! The text format FCP 1 of friction problems, and reactions as text.
//!
//! Tokens are separated by blanks and line ends; `#` starts a comment that ends with its line. `docs/fcp.md` describes
//! the sections.

mod read;
mod tokens;
mod write;

pub use read::{StoredFrictionProblem, read_problem, read_vectors};
pub use write::write_vectors;
