//! Keeping and restoring the state that events change.

use super::snapshot::Snapshot;
use crate::stepper::asynchronous::engine::Engine;
use crate::stepper::asynchronous::queue::Event;

impl Engine {
    /// Fills a snapshot; `last` is the last event in this window.
    pub(super) fn keep_snapshot(&self, snapshot: &mut Snapshot, last: Option<Event>) {
        snapshot.vertices.clone_from(&self.vertices);
        snapshot.last = last;
        snapshot.now = self.now;
        snapshot.force_ticks.clear();
        snapshot
            .force_ticks
            .extend(self.forces.iter().map(|(clock, _)| clock.tick));
        snapshot.script_ticks.clear();
        snapshot
            .script_ticks
            .extend(self.scripts.iter().map(|(clock, ..)| clock.tick));
        snapshot.layers.clear();
        snapshot.layers.extend(
            self.layers
                .iter()
                .map(|layer| (layer.clock.tick, layer.ticking)),
        );
        snapshot.pairs.clear();
        snapshot.pairs.extend(self.pairs.ids().map(|id| {
            let pair = self.pairs.get(id);
            (id, pair.proximity.depth, pair.anchor)
        }));
        snapshot.queue.clone_from(&self.queue);
        snapshot.statistics.clone_from(&self.statistics);
    }

    /// Restores the snapshot, and counts the discarded events in the statistics. Returns the last event before it.
    pub(super) fn restore_snapshot(&mut self, snapshot: &Snapshot) -> Option<Event> {
        self.vertices.copy_from_slice(&snapshot.vertices);
        self.now = snapshot.now;
        if let Some(recording) = &mut self.recording {
            recording.forget_after(snapshot.now);
        }
        if let Some(pushes) = &mut self.pushes {
            pushes.forget_after(snapshot.now);
        }
        for ((clock, _), &tick) in self.forces.iter_mut().zip(&snapshot.force_ticks) {
            clock.tick = tick;
        }
        for ((clock, ..), &tick) in self.scripts.iter_mut().zip(&snapshot.script_ticks) {
            clock.tick = tick;
        }
        for &(id, depth, anchor) in &snapshot.pairs {
            self.restore_pair(id, depth, anchor);
        }
        for (index, layer) in self.layers.iter_mut().enumerate() {
            // A layer that was first activated later has no tick in the queue.
            let (tick, ticking) = snapshot.layers.get(index).copied().unwrap_or((1, false));
            layer.clock.tick = tick;
            layer.ticking = ticking;
        }
        self.queue.clone_from(&snapshot.queue);
        let in_vain = self.statistics.events() - snapshot.statistics.events();
        let ran = std::mem::replace(&mut self.statistics, snapshot.statistics.clone());
        self.statistics.times = ran.times;
        self.statistics.windows_returned = ran.windows_returned;
        self.statistics.windows_resumed = ran.windows_resumed;
        self.statistics.events_in_vain = ran.events_in_vain + in_vain;
        snapshot.last
    }
}
