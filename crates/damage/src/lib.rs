//! Damaged copies of files and a meter of memory, for tests of readers.
//!
//! A reader that is given any bytes answers with a value or a typed error: it neither panics nor hangs, and asks for no
//! more memory than the length of the file explains. Tests show this with
//! - [`mutants`], [`number_mutants`]: copies of a sound file with a few faults each, the same ones in every run;
//! - [`peak_memory`]: the memory that a reader holds at most.
//!
//! A program that uses this crate has its allocator, which measures.
//!
//! ```
//! for mutant in impinge_damage::mutants(b"contacts 2\nmu 0.5 0.75\n", 1).take(100) {
//!     let _ = std::str::from_utf8(&mutant).map(|text| text.lines().count());
//! }
//! ```
//!
//! **Does not know** any format: the faults are those of bytes, lines, words and numbers.

mod memory;
mod mutator;

pub use memory::peak_memory;
pub use mutator::{Mutants, mutants, number_mutants};
