//! Each file of `it` is one extension as a user's crate would write it: a trait implemented, attached, and run in a
//! scene.
