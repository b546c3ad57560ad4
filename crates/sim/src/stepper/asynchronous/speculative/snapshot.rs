//! What a window has to go back to.

use crate::stepper::asynchronous::engine::Engine;
use crate::stepper::asynchronous::queue::Queue;
use crate::stepper::asynchronous::statistics::Statistics;
use crate::stepper::asynchronous::trajectory::Vertex;

/// All that events change: vertices, ticks, queue. Pairs know themselves which layers they had and where they stuck.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    vertices: Vec<Vertex>,
    now: f64,
    force_ticks: Vec<u64>,
    script_ticks: Vec<u64>,
    /// Next tick of each layer, and whether it is in the queue.
    layers: Vec<(u64, bool)>,
    queue: Queue,
    statistics: Statistics,
}

impl Snapshot {
    pub(super) fn keep_vertices(&mut self, engine: &Engine) {
        self.vertices.clone_from(&engine.vertices);
        self.now = engine.now;
    }

    /// Keeps the rest, which changes when layers are called.
    pub(super) fn keep_clocks(&mut self, engine: &Engine) {
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
        self.queue.clone_from(&engine.queue);
        self.statistics.clone_from(&engine.statistics);
    }

    /// Takes everything back; what was done in vain stays in the statistics as such.
    pub(super) fn restore(&mut self, engine: &mut Engine) {
        engine.vertices.copy_from_slice(&self.vertices);
        engine.now = self.now;
        for ((clock, _), &tick) in engine.forces.iter_mut().zip(&self.force_ticks) {
            clock.tick = tick;
        }
        for ((clock, ..), &tick) in engine.scripts.iter_mut().zip(&self.script_ticks) {
            clock.tick = tick;
        }
        engine.restore_depths();
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
        engine.statistics.events_in_vain = ran.events_in_vain + in_vain;
    }
}
