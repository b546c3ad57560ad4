//! Data that speculation keeps between windows.

use super::snapshot::Snapshot;
use super::swept_volumes::SweptVolumes;

/// Snapshots per window: the part before one of them need not be repeated.
pub(super) const SNAPSHOTS: usize = 8;

/// Data of speculation besides the engine and its recorded paths.
#[derive(Debug)]
pub(in super::super) struct Speculation {
    /// Length of the next window (s).
    pub(super) length: f64,
    pub(super) longest: f64,
    pub(super) short: f64,
    pub(super) shortest: f64,
    /// The period of the deepest layer (s): failure in a window this short is not caused by a missed layer.
    pub(super) unbreakable: f64,
    /// The first one is the start of the window.
    pub(super) snapshots: [Snapshot; SNAPSHOTS],
    pub(super) volumes: SweptVolumes,
}
