//! The format of a run's folder.

/// Number of the format. It increases when a reader of the old format would misread the new one.
pub(crate) const FORMAT: u32 = 3;
