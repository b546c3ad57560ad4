//! Speculation in place of certificates: a window of time is run with the active layers of all pairs, then checked as a
//! whole.
//!
//! 1. The events run without any scheduling of certificates; the paths of the vertices are recorded (`history`). At the
//!    start of the window, and at intervals, a `snapshot` stores the state that events change.
//! 2. Collision detection on the paths (`swept_volumes`) finds pairs that came as near as their first inactive layer.
//! 3. If there are any, the state returns to the last snapshot before the first missed layer, and the window is
//!    repeated from there with the missed layers. Otherwise the window is accepted, idle layers are deactivated, and
//!    layers that the next window will probably need are activated.
//!
//! A layer without compression has no effect, and the pairs of a layer act in a fixed order. So the time of activation
//! does not matter as long as it is early enough: the motion equals that of the kinetic certificates bit for bit, for
//! any windows.
//!
//! # Source
//! Ainsley, Vouga, Grinspun, Tamstorf, "Speculative parallel asynchronous contact mechanics", ACM Transactions on
//! Graphics 31(6), 2012, <https://doi.org/10.1145/2366145.2366170>; differs from it in: one window for everything;
//! terms of forces, and checks of pairs, share the threads, not events; layers are activated ahead of their need; the
//! part of a window before a missed layer is accepted.

mod history;
mod needs;
mod restore;
mod snapshot;
mod speculation;
mod swept_volumes;

use super::engine::Engine;
use super::queue::Event;
use crate::error::asynchronous::Stop;
pub(super) use history::{History, PathsMut};
use impinge_contact::penalty::Anchor;
use needs::{Near, Watched};
use snapshot::Snapshot;
use speculation::SNAPSHOTS;
pub(super) use speculation::Speculation;
use swept_volumes::SweptVolumes;

/// Length of the first window, in periods of the first layer.
const FIRST_WINDOW: f64 = 16.0;

/// Longest window, in periods of the first layer: in a longer one, swept volumes overlap too much.
const LONGEST_WINDOW: f64 = 64.0;

/// Shortest window with few events, in periods of the first layer.
const SHORT_WINDOW: f64 = 4.0;

/// Number of events per vertex from which a window may be shorter than that: snapshots and checks have a cost of their
/// own.
const WORTH_LOOKING: f64 = 20.0;

/// Shortest window in any case, in periods of the first layer.
const SHORTEST_WINDOW: f64 = 1.0 / 64.0;

/// Growth of the window length after a window accepted at once.
const LONGER: f64 = 1.25;

/// Reduction of the window length after a repeated window.
const SHORTER: f64 = 0.8;

impl Engine {
    /// After the impulses of an event on few vertices: extends the paths, or checks the velocity bounds.
    #[inline]
    pub(super) fn after_kicks(&mut self, kicked: &[u32], time: f64) -> Result<(), Stop> {
        if let Some(history) = &mut self.history {
            history.record(kicked, &self.vertices);
            return Ok(());
        }
        self.check_velocity_bounds(kicked, time)
    }

    /// Activates the layers of pairs that start within them.
    pub(super) fn start_speculation(&mut self) -> Result<(), Stop> {
        self.check_stays()?;
        let mut history = History::new(self.is_watched());
        history.begin(&self.vertices, self.now);
        self.history = Some(history);
        let mut volumes = SweptVolumes::new(&self.surface, &self.vertices);
        while self.look(&mut volumes, [self.now; 2]) {
            self.call_missing(&volumes, self.now)?;
            self.keep_depths();
        }
        let first = self.rules.period(1);
        self.speculation = Some(Box::new(Speculation {
            length: FIRST_WINDOW * first,
            longest: LONGEST_WINDOW * first,
            short: SHORT_WINDOW * first,
            shortest: SHORTEST_WINDOW * first,
            unbreakable: self.rules.period(self.rules.deepest),
            snapshots: Default::default(),
            volumes,
        }));
        Ok(())
    }

    /// Checks the paths of a window (s). Returns whether a pair reached an inactive layer.
    fn look(&mut self, volumes: &mut SweptVolumes, window: [f64; 2]) -> bool {
        let Some(history) = &self.history else {
            return false;
        };
        let watched = Watched {
            surface: &self.surface,
            planes: &self.planes,
            vertices: &self.vertices,
            rules: &self.rules,
            pairs: &self.pairs,
        };
        let times = (self.settings.profile > 0).then_some(&mut self.statistics.times);
        volumes.look(watched, history, window, times)
    }

    /// Runs windows up to the first one with an event, not beyond `until` (s). Returns the last event of that window;
    /// `None` once `until` is reached.
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
        let mut start = self.now;
        let mut end = window_end(start, speculation.length, until);
        let (mut stood_at_once, mut last) = (true, None);
        loop {
            let snapshots = &mut speculation.snapshots;
            let (tried, events_before) = (end - start, self.statistics.events());
            let ran = self.speculate(end, last, snapshots)?;
            // Paths that cannot be checked. Features that passed through each other may get huge velocities; shorter
            // windows prevent this.
            let broken = self.broken(end);
            if broken.is_none() && !self.look(&mut speculation.volumes, [start, end]) {
                last = ran;
                break;
            }
            let events = self.statistics.events() - events_before;
            let worth = WORTH_LOOKING * self.vertices.len() as f64 / events as f64;
            let short = (worth * tried).clamp(speculation.shortest, speculation.short);
            self.statistics.windows_returned += 1;
            stood_at_once = false;
            let again = broken.is_some();
            // The part before the first missed layer is accepted; of paths that cannot be checked, none is.
            let hits = speculation.volumes.found(true).iter().map(|near| near.time);
            let first_hit = hits.fold(f64::INFINITY, f64::min);
            let is_sound = |snapshot: &&Snapshot| !again && snapshot.time() < first_hit;
            let sound = snapshots.iter().rev().find(is_sound);
            last = self.restore_snapshot(sound.unwrap_or(&snapshots[0]));
            self.statistics.windows_resumed += u64::from(self.now > start);
            start = self.now;
            if let Some(stop) = broken.filter(|_| end - start <= speculation.unbreakable) {
                return Err(stop);
            } else if !again {
                self.call_missing(&speculation.volumes, first_hit)?;
            }
            // The change of one contact affects others: half of the remaining window is tried first.
            let half = 0.5 * (end - start);
            speculation.length = if again { half } else { half.max(short) };
            end = window_end(start, speculation.length, until);
        }
        self.now = end;
        if let Some(pushes) = &mut self.pushes {
            pushes.accept_window();
        }
        self.statistics.windows += 1;
        self.forget_window();
        self.call_ahead_of_window(&speculation.volumes);
        let change = if stood_at_once { LONGER } else { SHORTER };
        speculation.length =
            (speculation.length * change).clamp(speculation.shortest, speculation.longest);
        Ok(last)
    }

    /// The reason why the paths of a window up to `end` (s) cannot be checked, if there is one.
    fn broken(&self, end: f64) -> Option<Stop> {
        match self.vertices.iter().position(|vertex| !vertex.is_finite()) {
            Some(point) => Some(Stop::NotFinite { time: end, point }),
            None => self.check_stays().err(),
        }
    }

    /// Runs the events up to `end` (s), and records paths and snapshots. Returns the last event, or `last` if there is
    /// none.
    fn speculate(
        &mut self,
        end: f64,
        mut last: Option<Event>,
        snapshots: &mut [Snapshot; SNAPSHOTS],
    ) -> Result<Option<Event>, Stop> {
        let start = self.now;
        self.keep_depths();
        if let Some(history) = &mut self.history {
            history.begin(&self.vertices, start);
        }
        let length = (end - start) / SNAPSHOTS as f64;
        let ends = (1..SNAPSHOTS).map(|number| start + number as f64 * length);
        for (snapshot, next) in snapshots.iter_mut().zip(ends.chain([end])) {
            self.keep_snapshot(snapshot, last);
            while let Some(event) = self.next_event(next)? {
                last = Some(event);
            }
            self.now = next;
        }
        if let Some(history) = &mut self.history {
            history.end(&self.vertices, end);
        }
        Ok(last)
    }

    /// Activates the missed layers, the first of them missed at `first_hit` (s). The state is that from which the
    /// window is repeated.
    fn call_missing(&mut self, volumes: &SweptVolumes, first_hit: f64) -> Result<(), Stop> {
        for near in volumes.found(true) {
            if near.depth > self.rules.deepest {
                // Impacts after the first missed layer happened without its forces and are not meaningful.
                if near.time <= first_hit {
                    return Err(self.beyond_the_deepest(near));
                }
                continue;
            }
            let id = self.pair_of(near);
            // A layer missed for the second time is kept to the end of the window, lest it is deactivated too early
            // again.
            let pair = self.pairs.get_mut(id);
            pair.kept = if pair.missed { near.depth } else { 0 };
            pair.missed = true;
            self.call(id, near.depth);
        }
        Ok(())
    }

    /// Activates the layers that the next window will probably need.
    fn call_ahead_of_window(&mut self, volumes: &SweptVolumes) {
        for near in volumes.found(false) {
            let id = self.pair_of(near);
            self.call(id, near.depth);
        }
    }

    fn pair_of(&mut self, near: &Near) -> u32 {
        let known = self.pairs.find(&near.features);
        known.unwrap_or_else(|| self.insert_pair(near.features))
    }

    fn call(&mut self, id: u32, depth: u32) {
        if depth > self.pairs.get(id).proximity.depth {
            self.activate(id, depth, self.now);
        }
    }

    /// The stop for a pair that needs a layer beyond the deepest one.
    fn beyond_the_deepest(&mut self, near: &Near) -> Stop {
        let id = self.pair_of(near);
        let nearest = self.nearest(id, self.now);
        let speed = if near.time > self.now {
            (nearest.distance - near.distance) / (near.time - self.now)
        } else {
            -self.separation_speed(id, &nearest)
        };
        self.no_progress_at(id, near.time, [near.distance, speed], near.place)
    }

    /// Restores the layers and the anchor of a pair.
    fn restore_pair(&mut self, id: u32, depth: u32, anchor: Option<Anchor>) {
        let pair = self.pairs.get_mut(id);
        pair.anchor = anchor;
        let now = pair.proximity.depth;
        if depth < now {
            self.dismiss(id, depth);
        } else if depth > now {
            self.join(id, depth);
        }
    }

    /// Records the numbers of layers at the start of a window.
    fn keep_depths(&mut self) {
        for pair in self.pairs.iter_mut() {
            pair.depth_at_start = pair.proximity.depth;
            pair.changes.clear();
        }
    }

    /// After an accepted window: layers need not be kept, and pairs without layers are removed.
    fn forget_window(&mut self) {
        let mut idle = std::mem::take(&mut self.left);
        idle.clear();
        idle.extend(self.pairs.ids());
        for &id in &idle {
            let pair = self.pairs.get_mut(id);
            pair.kept = 0;
            pair.missed = false;
            if pair.proximity.depth == 0 {
                self.statistics.pairs_dropped += 1;
                self.pairs.remove(id);
            }
        }
        self.left = idle;
    }
}

/// The end of a window of about `length` (s) from `start`: up to `until`, windows have equal lengths.
fn window_end(start: f64, length: f64, until: f64) -> f64 {
    let windows = ((until - start) / length).ceil();
    if windows > 1.0 {
        (start + (until - start) / windows).min(until)
    } else {
        until
    }
}
