//! Looking at everything, to prove from outside what the events keep.

use super::engine::Engine;
use super::pairs::Features;
use impinge_geometry::kinetic::PairKind;
use nalgebra::Vector3;
use thiserror::Error;

/// Rounding of a distance, relative to the largest coordinate.
const ROUNDING: f64 = 1e-13;

/// Something that the integrator promises and does not keep.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Violation {
    /// I1: a pair is closer than its certificate says.
    #[error("the points {points:?} are {distance:e} m apart, but {guarded:e} m are certified")]
    Closer {
        /// Points of the pair.
        points: [u32; 4],
        /// Distance (m).
        distance: f64,
        /// Certified distance (m).
        guarded: f64,
    },
    /// I2: a vertex is ahead of time.
    #[error("point {point} is at {time} s, later than the last event")]
    Ahead {
        /// The point.
        point: usize,
        /// Its time (s).
        time: f64,
    },
    /// I3: a certificate ended in the past.
    #[error("the certificate of the points {points:?} ended at {due} s")]
    Overdue {
        /// Points of the pair.
        points: [u32; 4],
        /// Its end (s).
        due: f64,
    },
    /// I4: a layer that pairs have does not tick when it should.
    #[error("the next tick of layer {layer} is at {due} s")]
    OffBeat {
        /// The layer.
        layer: usize,
        /// Its next tick (s).
        due: f64,
    },
    /// I5: a pair within the first layer is not watched.
    #[error("nobody watches the points {points:?}, {distance:e} m apart")]
    Unwatched {
        /// Points of the pair.
        points: [u32; 4],
        /// Distance (m).
        distance: f64,
    },
}

impl Engine {
    /// Looks at every pair of the surface by brute force, at the time of the last event.
    ///
    /// # Errors
    /// The first [`Violation`] of the invariants I1 to I5.
    ///
    /// # Cost
    /// Quadratic in the number of triangles.
    pub fn audit(&self) -> Result<(), Violation> {
        self.audit_events()?;
        let at: Vec<Vector3<f64>> = self.vertices.iter().map(|v| v.at(self.now)).collect();
        let surface = &self.surface;
        let look = |kind: PairKind, numbers: [u32; 2], points: [u32; 4]| {
            let split = kind.first_side();
            if !surface.may_touch(&points[..split], &points[split..]) {
                return Ok(());
            }
            let distance = kind.closest(&points.map(|p| at[p as usize])).distance;
            let watched = self.pairs.find(&Features::Two(kind, numbers));
            if watched.is_none() && distance < self.law.thickness(1) {
                return Err(Violation::Unwatched { points, distance });
            }
            Ok(())
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
        for id in self.pairs.ids() {
            let pair = self.pairs.get(id);
            let points = pair.points;
            if pair.due < self.now {
                return Err(Violation::Overdue {
                    points,
                    due: pair.due,
                });
            }
            let distance = self.nearest(id, self.now).distance;
            let guarded = pair.proximity.guarded(&self.law);
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
            // A layer that its last pair left may tick once more.
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
