//! Full check of the invariants that events maintain.

use super::engine::Engine;
use super::pairs::Features;
use super::queue::EventKind;
use impinge_geometry::kinetic::PairKind;
use nalgebra::Vector3;
use std::collections::BTreeMap;
use thiserror::Error;

/// Rounding of a distance, relative to the largest coordinate.
const ROUNDING: f64 = 1e-13;

/// A violated invariant of the integrator.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Violation {
    /// A pair is closer than its certified distance.
    #[error("the points {points:?} are {distance:e} m apart, but {guarded:e} m are certified")]
    Closer {
        /// Points of the pair.
        points: [u32; 4],
        /// Distance (m).
        distance: f64,
        /// Certified distance (m).
        guarded: f64,
    },
    /// I2: the time of a vertex is later than the last event.
    #[error("point {point} is at {time} s, later than the last event")]
    Ahead {
        /// The point.
        point: usize,
        /// Its time (s).
        time: f64,
    },
    /// A certificate expired in the past.
    #[error("the certificate of the points {points:?} ended at {due} s")]
    Overdue {
        /// Points of the pair.
        points: [u32; 4],
        /// Its expiry time (s).
        due: f64,
    },
    /// A certificate is missing in the queue, or there more than once.
    #[error(
        "the queue has {entries} ends of the certificate of the points {points:?}, due at {due} s"
    )]
    Unqueued {
        /// Points of the pair.
        points: [u32; 4],
        /// Its expiry time (s).
        due: f64,
        /// Number of its entries.
        entries: u32,
    },
    /// A pair with overlapping k-DOPs has no certificate.
    #[error("the volumes of the points {points:?} overlap, but they have no certificate")]
    Overlooked {
        /// Points of the pair.
        points: [u32; 4],
    },
    /// The clock of an active layer does not tick when it should.
    #[error("the next tick of layer {layer} is at {due} s")]
    OffBeat {
        /// The layer.
        layer: usize,
        /// Its next tick (s).
        due: f64,
    },
    /// A pair within the first layer is not watched.
    #[error("the points {points:?}, {distance:e} m apart, have no certificate")]
    Unwatched {
        /// Points of the pair.
        points: [u32; 4],
        /// Distance (m).
        distance: f64,
    },
}

/// Number of events between two audits in builds with debug assertions.
const EVENTS_PER_AUDIT: u64 = 1000;

/// Number of triangles up to which every audit checks all pairs. Larger surfaces check them more seldom, since the cost
/// is quadratic.
const TRIANGLES_PER_AUDIT: u64 = 100;

impl Engine {
    /// In builds with debug assertions, audits the state after some of the events.
    ///
    /// # Panics
    /// If an invariant does not hold.
    pub(super) fn audit_now_and_then(&mut self) {
        if self.dispatched < self.audited + EVENTS_PER_AUDIT {
            return;
        }
        self.audited = self.dispatched;
        self.audits += 1;
        let triangles = self.surface.triangles().len() as u64;
        let wait = triangles.div_ceil(TRIANGLES_PER_AUDIT).max(1).pow(2);
        let audited = if self.audits.is_multiple_of(wait) {
            self.audit()
        } else {
            self.audit_events()
        };
        if let Err(violation) = audited {
            panic!("at {} s: {violation}", self.now);
        }
    }

    /// Checks every pair of the surface by brute force, at the time of the last event.
    ///
    /// # Errors
    /// The first [`Violation`].
    ///
    /// # Cost
    /// Quadratic in the number of triangles.
    pub fn audit(&self) -> Result<(), Violation> {
        self.audit_events()?;
        let at: Vec<Vector3<f64>> = self.vertices.iter().map(|v| v.at(self.now)).collect();
        let surface = &self.surface;
        let certified = self.history.is_none();
        let look = |kind: PairKind, numbers: [u32; 2], points: [u32; 4]| {
            let split = kind.first_side();
            if !surface.may_touch(&points[..split], &points[split..]) {
                return Ok(());
            }
            let distance = kind.closest(&points.map(|p| at[p as usize])).distance;
            let features = Features::Two(kind, numbers);
            if self.pairs.knows(&features) {
                Ok(())
            } else if distance < self.rules.law.thickness(1) {
                Err(Violation::Unwatched { points, distance })
            } else if certified && self.volumes.overlap(surface, &features) {
                Err(Violation::Overlooked { points })
            } else {
                Ok(())
            }
        };
        for (face, &[a, b, c]) in (0..).zip(surface.triangles()) {
            for &vertex in surface.vertices() {
                look(PairKind::VertexFace, [vertex, face], [vertex, a, b, c])?;
            }
        }
        for (first, &[a, b]) in (0..).zip(surface.edges()) {
            for (second, &[c, d]) in (0..).zip(surface.edges()).skip(first as usize + 1) {
                look(PairKind::EdgeEdge, [first, second], [a, b, c, d])?;
            }
        }
        Ok(())
    }

    fn audit_events(&self) -> Result<(), Violation> {
        for (point, vertex) in self.vertices.iter().enumerate() {
            if vertex.time > self.now {
                return Err(Violation::Ahead {
                    point,
                    time: vertex.time,
                });
            }
        }
        let mut entries: BTreeMap<u32, u32> = BTreeMap::new();
        for event in self.queue.iter() {
            let current = event.kind == EventKind::Slab
                && self.pairs.get(event.id).generation == event.generation;
            if current {
                *entries.entry(event.id).or_default() += 1;
            }
        }
        for id in self.pairs.ids() {
            let pair = self.pairs.get(id);
            let points = pair.points;
            let entries = entries.get(&id).copied().unwrap_or(0);
            if entries != u32::from(pair.due < f64::INFINITY) {
                return Err(Violation::Unqueued {
                    points,
                    due: pair.due,
                    entries,
                });
            }
            if pair.due < self.now {
                return Err(Violation::Overdue {
                    points,
                    due: pair.due,
                });
            }
            let distance = self.nearest(id, self.now).distance;
            let guarded = pair.proximity.guarded(&self.rules.law);
            let largest = points
                .map(|p| self.vertices[p as usize].at(self.now).amax())
                .into_iter()
                .fold(0.0, f64::max);
            if distance < guarded - ROUNDING * largest {
                return Err(Violation::Closer {
                    points,
                    distance,
                    guarded,
                });
            }
        }
        for (index, layer) in self.layers.iter().enumerate() {
            let due = layer.clock.due();
            let on_beat = due >= self.now && due <= self.now + layer.clock.period * (1.0 + 1e-9);
            // A layer whose last pair has left may tick once more.
            let as_it_should = layer.members.is_empty() || (layer.ticking && on_beat);
            if !as_it_should {
                return Err(Violation::OffBeat {
                    layer: index + 1,
                    due,
                });
            }
        }
        Ok(())
    }
}
