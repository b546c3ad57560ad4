//! Velocity bounds of vertices, and the certificates that depend on them.
//!
//! A certificate is scheduled for all velocities within `ρ` of a reference. An impulse that stays within this bound
//! reschedules nothing. An impulse that leaves it sets a new bound and reschedules the certificates of this vertex. So
//! vertices link events to the certificates that depend on them: an event with a small stencil checks its few vertices,
//! one with a large stencil (gravity, a batch) the list of vertices that it stores.

use super::engine::Engine;
use crate::error::asynchronous::Stop;
use std::time::Instant;

/// Factor of a bound that held for a whole k-DOP: narrow bounds give later expiry times.
const NARROWER: f64 = 0.7;

/// Factor of a bound that was left early.
const WIDER: f64 = 2.0;

/// Largest deviation in initial deviations of the vertex: beyond it certificates would expire too early.
const WIDEST: f64 = 1e4;

impl Engine {
    /// Checks the velocity bounds of the `kicked` vertices, after all impulses of an event.
    #[inline]
    pub(super) fn check_velocity_bounds(&mut self, kicked: &[u32], time: f64) -> Result<(), Stop> {
        for &point in kicked {
            self.check_velocity_bound(point, time)?;
        }
        Ok(())
    }

    /// Checks one vertex.
    #[inline]
    pub(super) fn check_velocity_bound(&mut self, point: u32, time: f64) -> Result<(), Stop> {
        let bound = &self.velocity_bounds[point as usize];
        let change = self.vertices[point as usize].velocity - bound.velocity;
        if change.norm_squared() <= bound.deviation * bound.deviation {
            return Ok(());
        }
        self.renew_velocity_bound(point, time)
    }

    fn renew_velocity_bound(&mut self, point: u32, time: f64) -> Result<(), Stop> {
        let index = point as usize;
        let velocity = self.vertices[index].velocity;
        if !velocity.iter().all(|component| component.is_finite()) {
            return Err(Stop::NotFinite { time, point: index });
        }
        self.statistics.velocity_bounds_left += 1;
        let bound = &mut self.velocity_bounds[index];
        let speed = velocity.norm() + bound.deviation;
        let life = self
            .settings
            .volume_life
            .min(self.volumes.reach[index] / speed);
        if time - bound.since < life {
            bound.deviation = (bound.deviation * WIDER).min(bound.least * WIDEST);
        }
        bound.velocity = velocity;
        bound.since = time;
        self.redate_vertex(point, time)
    }

    /// Narrows the bound of a vertex that stayed within it since its k-DOP was made.
    pub(super) fn narrow_velocity_bound(&mut self, point: u32, time: f64) -> Result<(), Stop> {
        let velocity = self.vertices[point as usize].velocity;
        let bound = &mut self.velocity_bounds[point as usize];
        let narrower = (bound.deviation * NARROWER).max(bound.least);
        if narrower >= bound.deviation {
            return Ok(());
        }
        bound.velocity = velocity;
        bound.deviation = narrower;
        bound.since = time;
        self.redate_vertex(point, time)
    }

    /// Reschedules all certificates of a vertex for its new bound; later expiry times than before are kept.
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
