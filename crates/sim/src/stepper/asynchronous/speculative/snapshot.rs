//! Snapshot of the engine within a window.

use crate::stepper::asynchronous::engine::Engine;
use crate::stepper::asynchronous::queue::{Event, Queue};
use crate::stepper::asynchronous::statistics::Statistics;
use crate::stepper::asynchronous::trajectory::Vertex;
use impinge_contact::penalty::Anchor;

/// All data that events change: vertices, ticks, queue, layers and anchors of pairs. Pairs are not added or removed
/// within a window.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    vertices: Vec<Vertex>,
    now: f64,
    /// The last event of the window before it, if any.
    last: Option<Event>,
    force_ticks: Vec<u64>,
    script_ticks: Vec<u64>,
    /// Next tick of each layer, and whether it is in the queue.
    layers: Vec<(u64, bool)>,
    /// Number, depth and anchor of each pair.
    pairs: Vec<(u32, u32, Option<Anchor>)>,
    queue: Queue,
    statistics: Statistics,
}

impl Snapshot {
    /// Its time (s).
    pub(super) fn time(&self) -> f64 {
        self.now
    }

    /// Takes a snapshot of an engine; `last` is its last event in this window.
    pub(super) fn keep(&mut self, engine: &Engine, last: Option<Event>) {
        self.vertices.clone_from(&engine.vertices);
        self.last = last;
        self.now = engine.now;
        self.force_ticks.clear();
        self.force_ticks
            .extend(engine.forces.iter().map(|(clock, _)| clock.tick));
        self.script_ticks.clear();
        self.script_ticks
            .extend(engine.scripts.iter().map(|(clock, ..)| clock.tick));
        self.layers.clear();
        self.layers.extend(
            engine
                .layers
                .iter()
                .map(|layer| (layer.clock.tick, layer.ticking)),
        );
        self.pairs.clear();
        self.pairs.extend(engine.pairs.ids().map(|id| {
            let pair = engine.pairs.get(id);
            (id, pair.proximity.depth, pair.anchor)
        }));
        self.queue.clone_from(&engine.queue);
        self.statistics.clone_from(&engine.statistics);
    }

    /// Restores the snapshot, and counts the discarded events in the statistics. Returns the last event before it.
    pub(super) fn restore(&self, engine: &mut Engine) -> Option<Event> {
        engine.vertices.copy_from_slice(&self.vertices);
        engine.now = self.now;
        if let Some(recording) = &mut engine.recording {
            recording.forget_after(self.now);
        }
        for ((clock, _), &tick) in engine.forces.iter_mut().zip(&self.force_ticks) {
            clock.tick = tick;
        }
        for ((clock, ..), &tick) in engine.scripts.iter_mut().zip(&self.script_ticks) {
            clock.tick = tick;
        }
        for &(id, depth, anchor) in &self.pairs {
            engine.restore_pair(id, depth, anchor);
        }
        for (index, layer) in engine.layers.iter_mut().enumerate() {
            // A layer that was first activated later has no tick in the queue.
            let (tick, ticking) = self.layers.get(index).copied().unwrap_or((1, false));
            layer.clock.tick = tick;
            layer.ticking = ticking;
        }
        engine.queue.clone_from(&self.queue);
        let in_vain = engine.statistics.events() - self.statistics.events();
        let ran = std::mem::replace(&mut engine.statistics, self.statistics.clone());
        engine.statistics.times = ran.times;
        engine.statistics.windows_returned = ran.windows_returned;
        engine.statistics.windows_resumed = ran.windows_resumed;
        engine.statistics.events_in_vain = ran.events_in_vain + in_vain;
        self.last
    }
}
