//! The narrow phase: certificates of pairs, and the layers activated when they expire.

use super::engine::Engine;
use super::pairs::{Features, Nearest};
use super::queue::{Event, EventKind};
use crate::error::asynchronous::{Stop, SystemError};
use crate::scene::pair_friction;
use impinge_contact::penalty::LayerLaw;
use impinge_geometry::kinetic::MovingPoint;
use impinge_geometry::kinetic::separating_slab::{
    distance_waiting_time, plane_waiting_time, slab_waiting_time,
};
use nalgebra::Vector3;

/// Number of layers that the gap reached should need with a suggested thickness.
const SUGGESTED_DEPTH: f64 = 5.0;

impl Engine {
    /// Position and velocity bound of a vertex, as certificates use them.
    #[inline]
    pub(super) fn moving_point(&self, point: u32, time: f64) -> MovingPoint {
        let bound = &self.velocity_bounds[point as usize];
        MovingPoint {
            position: self.vertices[point as usize].at(time),
            velocity: bound.velocity,
            deviation: bound.deviation,
        }
    }

    /// Closest points of a pair at `time`; vertices are not advanced.
    #[inline]
    pub(super) fn nearest(&self, id: u32, time: f64) -> Nearest {
        let pair = self.pairs.get(id);
        match pair.features {
            Features::Two(kind, _) => {
                let at = pair.points.map(|p| self.vertices[p as usize].at(time));
                let closest = kind.closest(&at);
                Nearest {
                    distance: closest.distance,
                    normal: closest.normal,
                    weights: closest.weights,
                }
            }
            Features::Plane(point, plane) => {
                let plane = &self.planes[plane as usize];
                let at = self.vertices[point as usize].at(time);
                Nearest {
                    distance: plane.normal.dot(&at) - plane.offset,
                    normal: plane.normal,
                    weights: [1.0, 0.0, 0.0, 0.0],
                }
            }
        }
    }

    /// Adds a pair and returns its number.
    pub(super) fn insert_pair(&mut self, features: Features) -> u32 {
        let surface = &self.surface;
        let coefficient = |point: u32| self.friction[surface.body_of_point(point) as usize];
        let (points, friction) = match features {
            Features::Two(kind, [first, second]) => {
                let points = match kind {
                    impinge_geometry::kinetic::PairKind::VertexFace => {
                        let [a, b, c] = surface.triangles()[second as usize];
                        [first, a, b, c]
                    }
                    impinge_geometry::kinetic::PairKind::EdgeEdge => {
                        let [a, b] = surface.edges()[first as usize];
                        let [c, d] = surface.edges()[second as usize];
                        [a, b, c, d]
                    }
                };
                let friction = pair_friction(coefficient(points[0]), coefficient(points[3]));
                (points, friction)
            }
            Features::Plane(point, plane) => (
                [point; 4],
                pair_friction(coefficient(point), self.planes[plane as usize].friction),
            ),
        };
        self.statistics.pairs_taken_up += 1;
        self.pairs.insert(features, points, friction)
    }

    /// Starts to watch a pair.
    pub(super) fn take_up(&mut self, features: Features) -> Result<(), Stop> {
        let id = self.insert_pair(features);
        if !self.settings.culling {
            self.activate(id, self.settings.unculled_depth, self.now);
        }
        self.lapse(id, self.now)
    }

    /// Expiry of a pair's certificate: activates layers if the pair is close, and schedules a new certificate.
    pub(super) fn slab_event(&mut self, id: u32, time: f64) -> Result<(), Stop> {
        self.statistics.slab_lapses += 1;
        self.lapse(id, time)
    }

    pub(super) fn lapse(&mut self, id: u32, time: f64) -> Result<(), Stop> {
        let nearest = self.nearest(id, time);
        let before = self.pairs.get(id).proximity;
        let called = before.called(&self.rules.law, nearest.distance, self.rules.deepest);
        let Some(called) = called else {
            return Err(self.no_progress(id, time, nearest.distance));
        };
        if called.depth > before.depth {
            self.activate(id, called.depth, time);
        }
        self.pairs.get_mut(id).normal = nearest.normal;
        let wait = self.waiting_time(id, time, Some(nearest.distance));
        let due = time + wait;
        if due.is_nan() || due <= time {
            return Err(self.no_progress(id, time, nearest.distance));
        }
        self.schedule_slab(id, due);
        Ok(())
    }

    /// Reschedules the certificate of a pair for a new velocity bound of one of its points.
    #[inline]
    pub(super) fn redate_slab(&mut self, id: u32, time: f64) -> Result<(), Stop> {
        self.statistics.slabs_redated += 1;
        let wait = self.waiting_time(id, time, None);
        if time + wait < self.pairs.get(id).due {
            if time + wait > time {
                self.schedule_slab(id, time + wait);
            } else {
                // The old direction does not separate the features now.
                return self.lapse(id, time);
            }
        }
        Ok(())
    }

    /// Time for which the pair stays outside its next layer (s).
    #[inline]
    fn waiting_time(&self, id: u32, time: f64, distance: Option<f64>) -> f64 {
        let pair = self.pairs.get(id);
        let guarded = pair.proximity.guarded(&self.rules.law);
        match pair.features {
            Features::Two(kind, _) => {
                let points = pair.points.map(|point| self.moving_point(point, time));
                let slab = slab_waiting_time(kind, &pair.normal, &points, guarded);
                match distance {
                    Some(distance) => {
                        slab.max(distance_waiting_time(kind, distance, &points, guarded))
                    }
                    None => slab,
                }
            }
            Features::Plane(point, plane) => {
                let plane = &self.planes[plane as usize];
                let point = self.moving_point(point, time);
                plane_waiting_time(&plane.normal, plane.offset, &point, guarded)
            }
        }
    }

    fn schedule_slab(&mut self, id: u32, due: f64) {
        let pair = self.pairs.get_mut(id);
        pair.generation += 1;
        pair.due = due;
        let generation = pair.generation;
        self.queue.push(Event {
            time: due,
            kind: EventKind::Slab,
            id,
            generation,
        });
    }

    pub(super) fn no_progress(&self, id: u32, time: f64, distance: f64) -> Stop {
        let place = self.vertices[self.pairs.get(id).points[0] as usize].at(time);
        let speed = -self.separation_speed(id, &self.nearest(id, time));
        self.no_progress_at(id, time, [distance, speed], place)
    }

    /// The stop for a pair at a distance (m) that shrinks at a speed (m/s), if the vertices are not in the state of the
    /// event.
    pub(super) fn no_progress_at(
        &self,
        id: u32,
        time: f64,
        [distance, speed]: [f64; 2],
        place: Vector3<f64>,
    ) -> Stop {
        let pair = self.pairs.get(id);
        let depth = self
            .rules
            .law
            .layers_at(distance)
            .max(pair.proximity.depth + 1);
        let thickness = self.rules.law.thickness(1);
        let energy = 0.5 * self.rules.effective_mass * speed.max(0.0).powi(2);
        Stop::NoProgress {
            time,
            points: pair.points,
            place: place.into(),
            depth,
            distance,
            speed,
            period: self.rules.period(depth),
            stiffness: LayerLaw::stiffness_for(energy, SUGGESTED_DEPTH, thickness)
                .max(self.rules.law.stiffness(1)),
            thickness: (distance.max(0.0) * SUGGESTED_DEPTH.powf(0.25)).min(thickness),
        }
    }

    /// Separation speed of the closest points of a pair (m/s).
    pub(super) fn separation_speed(&self, id: u32, nearest: &Nearest) -> f64 {
        let pair = self.pairs.get(id);
        let points = match pair.features {
            Features::Two(..) => 4,
            Features::Plane(..) => 1,
        };
        let relative = (0..points).fold(Vector3::zeros(), |sum, k| {
            sum + self.vertices[pair.points[k] as usize].velocity * nearest.weights[k]
        });
        nearest.normal.dot(&relative)
    }

    /// The error of the system if no progress is possible at the start.
    pub(super) fn too_close(stop: &Stop, floor: f64) -> SystemError {
        match *stop {
            Stop::NoProgress {
                points,
                place,
                distance,
                ..
            } => SystemError::TooClose {
                points,
                distance,
                place,
                floor,
            },
            Stop::Restless {
                point,
                place,
                speed,
                ..
            } => SystemError::Restless {
                point,
                place,
                speed,
            },
            Stop::NotFinite { point, .. } => SystemError::NotFinite { point },
            Stop::OpenJoint { .. } => unreachable!("joints do not tick at the start"),
            // An interrupt needs an integrator that runs.
            Stop::Interrupted => unreachable!("no integrator to interrupt"),
        }
    }
}
