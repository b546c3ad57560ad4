//! What a window has to go back to.

use crate::stepper::asynchronous::engine::Engine;
use crate::stepper::asynchronous::queue::{Event, Queue};
use crate::stepper::asynchronous::statistics::Statistics;
use crate::stepper::asynchronous::trajectory::Vertex;
use impinge_contact::penalty::Anchor;

/// All that events change: vertices, ticks, queue, layers and anchors of pairs. No pair comes or goes within a window.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    vertices: Vec<Vertex>,
    now: f64,
    /// The last event before it, if there was one in the window.
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
    /// When it was taken (s).
    pub(super) fn time(&self) -> f64 {
        self.now
    }

    /// Takes it of an engine whose `last` event in this window was that.
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

    /// Takes everything back; what was done in vain stays in the statistics as such. Returns the last event before.
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
            // A layer that was never called before has no tick in the queue.
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
