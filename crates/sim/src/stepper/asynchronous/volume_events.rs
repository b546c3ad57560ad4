//! The end of a k-DOP: a new one, and the pairs that it meets.

use super::engine::Engine;
use super::pairs::Features;
use super::queue::{Event, EventKind};
use crate::error::asynchronous::Stop;
use impinge_geometry::kinetic::{KDop, MovingPoint, PairKind};
use impinge_geometry::surface::CollisionSurface;

/// Extra space of a k-DOP around a path, relative to the reach, so that a vertex at rest has some.
const SLACK: f64 = 0.05;

/// A k-DOP is kept if it holds for this part of the lifetime of a new one.
const WORTH_KEEPING: f64 = 0.3;

impl Engine {
    /// Initial k-DOPs, pairs and certificates.
    pub(super) fn start_volumes(&mut self) -> Result<(), Stop> {
        let surface = self.surface.clone();
        for &point in surface.vertices() {
            let moving = self.moving_point(point, self.now);
            self.rebuild_volume(point, &moving)?;
        }
        for (face, corners) in (0..).zip(surface.triangles()) {
            let volume = self.volumes.of_face(corners);
            self.volumes.tree.set(face, volume);
        }
        for &point in surface.vertices() {
            let star = self.volumes.refit(&surface, point);
            self.meet(point, &star)?;
        }
        if !self.settings.culling {
            self.take_up_everything(&surface)?;
        }
        Ok(())
    }

    /// Without culling, every pair is watched from the start.
    fn take_up_everything(&mut self, surface: &CollisionSurface) -> Result<(), Stop> {
        for (face, corners) in (0..).zip(surface.triangles()) {
            for &vertex in surface.vertices() {
                let features = Features::Two(PairKind::VertexFace, [vertex, face]);
                if surface.may_touch(&[vertex], corners) && !self.pairs.knows(&features) {
                    self.take_up(features)?;
                }
            }
        }
        for (first, ends) in (0..).zip(surface.edges()) {
            for (second, other) in (0..).zip(surface.edges()).skip(first as usize + 1) {
                let features = Features::Two(PairKind::EdgeEdge, [first, second]);
                if surface.may_touch(ends, other) && !self.pairs.knows(&features) {
                    self.take_up(features)?;
                }
            }
        }
        Ok(())
    }

    /// A vertex may leave its k-DOP: the event is rescheduled, or the k-DOP rebuilt.
    pub(super) fn volume_event(&mut self, point: u32, time: f64) -> Result<(), Stop> {
        self.statistics.volume_lapses += 1;
        self.narrow_velocity_bound(point, time)?;
        let moving = self.moving_point(point, time);
        let wait =
            self.volumes.of_point[point as usize].exit_time(&moving, self.rules.half_thickness);
        let least = WORTH_KEEPING * self.volume_duration(point, &moving);
        if wait >= least.max(self.settings.shortest_stay) {
            self.schedule_volume(point, time + wait);
            return Ok(());
        }
        self.statistics.volumes_rebuilt += 1;
        self.rebuild_volume(point, &moving)?;
        let surface = self.surface.clone();
        let star = self.volumes.refit(&surface, point);
        self.part(point);
        self.meet(point, &star)
    }

    /// Reschedules the k-DOP of a vertex with a new velocity bound.
    pub(super) fn redate_volume(&mut self, point: u32, time: f64) {
        let moving = self.moving_point(point, time);
        let wait =
            self.volumes.of_point[point as usize].exit_time(&moving, self.rules.half_thickness);
        if time + wait < self.volumes.due[point as usize] {
            self.schedule_volume(point, time + wait);
        }
    }

    /// Intended lifetime of a new k-DOP (s).
    fn volume_duration(&self, point: u32, moving: &MovingPoint) -> f64 {
        let reach = self.volumes.reach[point as usize];
        let speed = moving.velocity.norm() + moving.deviation;
        self.settings.volume_life.min(reach / speed)
    }

    fn rebuild_volume(&mut self, point: u32, moving: &MovingPoint) -> Result<(), Stop> {
        let duration = self.volume_duration(point, moving);
        let margin = self.rules.half_thickness + SLACK * self.volumes.reach[point as usize];
        let volume = KDop::of_path(moving, duration, margin);
        let wait = volume.exit_time(moving, self.rules.half_thickness);
        if wait.is_nan() || wait < self.settings.shortest_stay || self.now + wait <= self.now {
            return Err(self.restless(point));
        }
        self.volumes.of_point[point as usize] = volume;
        self.schedule_volume(point, self.now + wait);
        Ok(())
    }

    /// Under speculation, checks that every vertex stays near for long enough.
    pub(super) fn check_stays(&self) -> Result<(), Stop> {
        let watched = self.surface.vertices().iter().copied();
        let mut restless = watched.filter(|&point| {
            let vertex = &self.vertices[point as usize];
            let reach = self.volumes.reach[point as usize];
            let stay = reach / vertex.velocity.norm();
            vertex.inverse_mass > 0.0 && stay < self.settings.shortest_stay
        });
        restless
            .next()
            .map_or(Ok(()), |point| Err(self.restless(point)))
    }

    fn restless(&self, point: u32) -> Stop {
        let vertex = &self.vertices[point as usize];
        Stop::Restless {
            time: self.now,
            point: point as usize,
            place: vertex.at(self.now).into(),
            speed: vertex.velocity.norm(),
        }
    }

    fn schedule_volume(&mut self, point: u32, due: f64) {
        let index = point as usize;
        self.volumes.generation[index] += 1;
        self.volumes.due[index] = due;
        self.queue.push(Event {
            time: due,
            kind: EventKind::Volume,
            id: point,
            generation: self.volumes.generation[index],
        });
    }

    /// Removes the pairs of `point` whose k-DOPs are now separate.
    fn part(&mut self, point: u32) {
        if !self.settings.culling {
            return;
        }
        let mut index = 0;
        while index < self.pairs.count_at(point) {
            let id = self.pairs.at(point, index);
            let pair = self.pairs.get(id);
            if pair.proximity.depth == 0 && !self.volumes.overlap(&self.surface, &pair.features) {
                self.statistics.pairs_dropped += 1;
                self.pairs.remove(id);
            } else {
                index += 1;
            }
        }
    }

    /// Adds the new pairs of features at `point`.
    fn meet(&mut self, point: u32, star: &KDop) -> Result<(), Stop> {
        let mut met = std::mem::take(&mut self.met);
        met.clear();
        self.volumes.search(&self.surface, point, star, &mut met);
        for features in met.drain(..) {
            if !self.pairs.knows(&features) {
                self.take_up(features)?;
            }
        }
        self.met = met;
        Ok(())
    }
}
