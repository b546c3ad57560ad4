//! Data that all groups of joints use.

use super::unknowns::{Blocks, Places};

/// Data that all groups use.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    pub(super) places: Places,
    /// Places at the next tick.
    pub(super) ahead: Places,
    pub(super) blocks: Blocks,
    /// Largest misfit of a joint without compliance (m, rad).
    pub(super) tolerance: f64,
}
