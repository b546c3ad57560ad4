//! Snapshot of the engine within a window.

use crate::stepper::asynchronous::queue::{Event, Queue};
use crate::stepper::asynchronous::statistics::Statistics;
use crate::stepper::asynchronous::trajectory::Vertex;
use impinge_contact::penalty::Anchor;

/// All data that events change: vertices, ticks, queue, layers and anchors of pairs. Pairs are not added or removed
/// within a window.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    pub(super) vertices: Vec<Vertex>,
    pub(super) now: f64,
    /// The last event of the window before it, if any.
    pub(super) last: Option<Event>,
    pub(super) force_ticks: Vec<u64>,
    pub(super) script_ticks: Vec<u64>,
    /// Next tick of each layer, and whether it is in the queue.
    pub(super) layers: Vec<(u64, bool)>,
    /// Number, depth and anchor of each pair.
    pub(super) pairs: Vec<(u32, u32, Option<Anchor>)>,
    pub(super) queue: Queue,
    pub(super) statistics: Statistics,
}

impl Snapshot {
    /// Its time (s).
    pub(super) fn time(&self) -> f64 {
        self.now
    }
}
