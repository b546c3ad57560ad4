//! Speculation instead of certificates: a window of time is run with the layers that pairs have, then looked at as a whole.
//!
//! 1. Everything that the events of the window will change is kept (`snapshot`).
//! 2. The events run. Nothing is dated; only the paths of the vertices are written down (`history`).
//! 3. Collision detection on the paths (`sweep`): did a pair come as near as the first layer that it has not?
//! 4. If one did, everything goes back to the start of the window and is done again with that layer. Otherwise the window
//!    stands, layers that pressed nothing leave, and those that the next window will probably need are called.
//!
//! A layer that is not pressed does nothing, and the pairs of a layer are pushed in an order of their own, so it does not
//! matter when a layer is called as long as that is early enough: the motion is that of the kinetic certificates, bit for
//! bit, whatever the windows.
//!
//! # Source
//! Ainsley, Vouga, Grinspun, Tamstorf, "Speculative parallel asynchronous contact mechanics", ACM Transactions on Graphics
//! 31(6), 2012, <https://doi.org/10.1145/2366145.2366170>; differs from it in: one window for everything, in one thread;
//! layers are called ahead of their need.

mod history;
mod snapshot;
mod sweep;

use super::engine::Engine;
use super::queue::Event;
use super::system::Stop;
pub(super) use history::History;
use snapshot::Snapshot;
use sweep::Sweep;

/// First length of a window, in periods of the first layer.
const FIRST_WINDOW: f64 = 16.0;

/// Windows are not longer than this, in periods of the first layer: beyond it what is swept meets everything …
const LONGEST_WINDOW: f64 = 64.0;

/// … and not shorter than this unless they have to be, for keeping and looking have a price of their own.
const SHORTEST_WINDOW: f64 = 4.0;

/// A window that had to be done again more often than this is made half as long.
const PATIENCE: u32 = 2;

/// After a window that stood at once the next one is this much longer, …
const LONGER: f64 = 1.25;

/// … after one that did not, this much shorter.
const SHORTER: f64 = 0.8;

/// What speculation needs beside the engine and the paths that it writes down.
#[derive(Debug)]
pub(super) struct Speculation {
    /// Length that the next window is tried with (s).
    length: f64,
    longest: f64,
    shortest: f64,
    snapshot: Snapshot,
    sweep: Sweep,
}

impl Engine {
    /// After the kicks of an event: the paths are continued, or the certificates hear of it.
    #[inline]
    pub(super) fn after_kicks(&mut self, kicked: &[u32], time: f64) -> Result<(), Stop> {
        if let Some(history) = &mut self.history {
            history.record(kicked, &self.vertices);
            return Ok(());
        }
        self.check_promises(kicked, time)
    }

    /// Calls the layers of pairs that start within them.
    pub(super) fn start_speculation(&mut self) -> Result<(), Stop> {
        self.check_stays()?;
        let mut history = History::new(self.is_watched());
        history.begin(&self.vertices, self.now);
        self.history = Some(history);
        let mut sweep = Sweep::new(&self.surface, &self.vertices);
        while sweep.look(self, [self.now; 2]) {
            self.call_found(&sweep, true)?;
            self.keep_depths();
        }
        let first = self.layer_period(1);
        self.speculation = Some(Box::new(Speculation {
            length: FIRST_WINDOW * first,
            longest: LONGEST_WINDOW * first,
            shortest: SHORTEST_WINDOW * first,
            snapshot: Snapshot::default(),
            sweep,
        }));
        Ok(())
    }

    /// Runs windows up to the first one with an event, not beyond `until` (s), and says which event was its last; `None`
    /// once `until` is reached.
    pub(super) fn window(&mut self, until: f64) -> Result<Option<Event>, Stop> {
        while self.now < until {
            let Some(mut speculation) = self.speculation.take() else {
                return Ok(None);
            };
            let ran = self.try_window(&mut speculation, until);
            self.speculation = Some(speculation);
            if let Some(last) = ran? {
                return Ok(Some(last));
            }
        }
        Ok(None)
    }

    fn try_window(
        &mut self,
        speculation: &mut Speculation,
        until: f64,
    ) -> Result<Option<Event>, Stop> {
        self.check_stays()?;
        let start = self.now;
        let mut end = window_end(start, speculation.length, until);
        let mut returns = 0;
        speculation.snapshot.keep_vertices(self);
        let last = loop {
            speculation.snapshot.keep_clocks(self);
            self.keep_depths();
            let last = self.speculate(end)?;
            // What cannot be looked at. Sides that went through each other may be hurled away: with shorter windows they do not.
            let broken = self.broken(end);
            if broken.is_none() && !speculation.sweep.look(self, [start, end]) {
                break last;
            }
            self.statistics.windows_returned += 1;
            speculation.snapshot.restore(self);
            let again = broken.is_some();
            if let Some(stop) = broken.filter(|_| end - start <= speculation.shortest) {
                return Err(stop);
            } else if !again {
                self.call_found(&speculation.sweep, true)?;
            }
            returns += 1;
            if again || returns % PATIENCE == 0 {
                speculation.length = (0.5 * (end - start)).max(speculation.shortest);
                end = window_end(start, speculation.length, until);
            }
        };
        self.now = end;
        self.statistics.windows += 1;
        self.forget_window();
        self.call_found(&speculation.sweep, false)?;
        let change = if returns == 0 { LONGER } else { SHORTER };
        speculation.length =
            (speculation.length * change).clamp(speculation.shortest, speculation.longest);
        Ok(last)
    }

    /// Why the paths of a window up to `end` (s) cannot be looked at, if they cannot.
    fn broken(&self, end: f64) -> Option<Stop> {
        match self.vertices.iter().position(|vertex| !vertex.is_finite()) {
            Some(point) => Some(Stop::NotFinite { time: end, point }),
            None => self.check_stays().err(),
        }
    }

    /// Runs the events up to `end` (s) while the paths are written down; returns the last of them.
    fn speculate(&mut self, end: f64) -> Result<Option<Event>, Stop> {
        if let Some(history) = &mut self.history {
            history.begin(&self.vertices, self.now);
        }
        let mut last = None;
        while let Some(event) = self.next_event(end)? {
            last = Some(event);
        }
        if let Some(history) = &mut self.history {
            history.end(&self.vertices, end);
        }
        Ok(last)
    }

    /// Calls the layers that were found to be needed at once, or those that probably will be.
    fn call_found(&mut self, sweep: &Sweep, at_once: bool) -> Result<(), Stop> {
        for near in sweep.found(at_once) {
            let known = self.pairs.find(&near.features);
            let id = known.unwrap_or_else(|| self.insert_pair(near.features));
            let depth = self.pairs.get(id).proximity.depth;
            if at_once && near.depth > self.deepest {
                // On the way from the start of the window, where everything is again.
                let way = self.nearest(id, self.now).distance - near.distance;
                let speed = way / (near.time - self.now).max(f64::MIN_POSITIVE);
                return Err(self.no_progress_at(id, near.time, [near.distance, speed], near.place));
            }
            if at_once {
                self.pairs.get_mut(id).kept = near.depth;
            }
            if near.depth > depth {
                self.activate(id, near.depth, self.now);
            }
        }
        Ok(())
    }

    /// Every pair has the layers and the anchor again that it had when the window began.
    fn restore_depths(&mut self) {
        let mut changed = std::mem::take(&mut self.left);
        changed.clear();
        changed.extend(self.pairs.ids());
        for &id in &changed {
            let pair = self.pairs.get_mut(id);
            pair.anchor = pair.anchor_at_start;
            let (before, now) = (pair.depth_at_start, pair.proximity.depth);
            if before < now {
                self.dismiss(id, before);
            } else if before > now {
                self.join(id, before);
            }
        }
        self.left = changed;
    }

    /// A window begins: layers and anchors are as they are now.
    fn keep_depths(&mut self) {
        for pair in self.pairs.iter_mut() {
            pair.depth_at_start = pair.proximity.depth;
            pair.anchor_at_start = pair.anchor;
            pair.changes.clear();
        }
    }

    /// A window stood: what it had to keep it may lose again, and pairs without a layer are forgotten.
    fn forget_window(&mut self) {
        let mut idle = std::mem::take(&mut self.left);
        idle.clear();
        idle.extend(self.pairs.ids());
        for &id in &idle {
            let pair = self.pairs.get_mut(id);
            pair.kept = 0;
            if pair.proximity.depth == 0 {
                self.statistics.pairs_dropped += 1;
                self.pairs.remove(id);
            }
        }
        self.left = idle;
    }
}

/// The end of a window of about `length` (s) that begins at `start`: windows are equal up to where it is looked at.
fn window_end(start: f64, length: f64, until: f64) -> f64 {
    let windows = ((until - start) / length).ceil();
    if windows > 1.0 {
        (start + (until - start) / windows).min(until)
    } else {
        until
    }
}
