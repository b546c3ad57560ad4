//! What vertices promise about their velocity, and what depends on it.
//!
//! Certificates are dated for any velocity within `ρ` of a reference. A kick that stays within re-dates nothing; one that
//! does not makes a new promise and re-dates the certificates of this vertex. So the graph from events to the certificates
//! that depend on them is walked by vertices: an event with a small stencil looks at its few vertices, one with a large
//! stencil (gravity, a batch) at the list of vertices that it keeps.

use super::engine::Engine;
use super::system::Stop;
use nalgebra::Vector3;
use std::time::Instant;

/// A promise that was kept for a whole volume is made narrower by this, for narrow promises date certificates later.
const NARROWER: f64 = 0.7;

/// One that was broken soon is made wider by this.
const WIDER: f64 = 2.0;

/// Bound of the deviation, in the deviation that a vertex starts with: beyond it certificates would be dated too early.
const WIDEST: f64 = 1e4;

/// A vertex keeps its velocity within `deviation` of `velocity`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Promise {
    /// Reference velocity (m/s).
    pub(super) velocity: Vector3<f64>,
    /// `ρ` (m/s); infinite for a vertex that nothing depends on, 0 for one that never moves.
    pub(super) deviation: f64,
    /// The deviation that it started with (m/s).
    pub(super) least: f64,
    /// When it was made (s).
    pub(super) since: f64,
}

impl Engine {
    /// Looks whether kicked vertices keep their promises; to be called when all kicks of an event are done.
    #[inline]
    pub(super) fn check_promises(&mut self, kicked: &[u32], time: f64) -> Result<(), Stop> {
        for &point in kicked {
            self.check_promise(point, time)?;
        }
        Ok(())
    }

    /// The same for one vertex.
    #[inline]
    pub(super) fn check_promise(&mut self, point: u32, time: f64) -> Result<(), Stop> {
        let promise = &self.promises[point as usize];
        let change = self.vertices[point as usize].velocity - promise.velocity;
        if change.norm_squared() <= promise.deviation * promise.deviation {
            return Ok(());
        }
        self.break_promise(point, time)
    }

    fn break_promise(&mut self, point: u32, time: f64) -> Result<(), Stop> {
        let index = point as usize;
        let velocity = self.vertices[index].velocity;
        if !velocity.iter().all(|component| component.is_finite()) {
            return Err(Stop::NotFinite { time, point: index });
        }
        self.statistics.promises_broken += 1;
        let promise = &mut self.promises[index];
        let speed = velocity.norm() + promise.deviation;
        let life = self
            .settings
            .volume_life
            .min(self.volumes.reach[index] / speed);
        if time - promise.since < life {
            promise.deviation = (promise.deviation * WIDER).min(promise.least * WIDEST);
        }
        promise.velocity = velocity;
        promise.since = time;
        self.redate_vertex(point, time)
    }

    /// Narrows the promise of a vertex that kept it since its volume was made.
    pub(super) fn relax_promise(&mut self, point: u32, time: f64) -> Result<(), Stop> {
        let velocity = self.vertices[point as usize].velocity;
        let promise = &mut self.promises[point as usize];
        let narrower = (promise.deviation * NARROWER).max(promise.least);
        if narrower >= promise.deviation {
            return Ok(());
        }
        promise.velocity = velocity;
        promise.deviation = narrower;
        promise.since = time;
        self.redate_vertex(point, time)
    }

    /// Dates all certificates of a vertex for its new promise; those that last longer than before stay as they are.
    fn redate_vertex(&mut self, point: u32, time: f64) -> Result<(), Stop> {
        let begin = (self.stands_for > 0).then(Instant::now);
        self.redate_volume(point, time);
        let middle = (self.stands_for > 0).then(Instant::now);
        for index in 0..self.pairs.count_at(point) {
            let id = self.pairs.at(point, index);
            self.redate_slab(id, time)?;
        }
        if let (Some(begin), Some(middle)) = (begin, middle) {
            let times = &mut self.statistics.times;
            times.volumes_redated += (middle - begin) * self.stands_for;
            times.slabs_redated += middle.elapsed() * self.stands_for;
        }
        Ok(())
    }
}
