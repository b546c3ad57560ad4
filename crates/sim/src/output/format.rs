//! The format of a run's folder.

/// Number of the format, raised when a reader of the old one would misunderstand the new one.
pub(super) const FORMAT: u32 = 2;
