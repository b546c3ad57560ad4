//! The paths of the vertices through a window.

use crate::stepper::asynchronous::trajectory::Vertex;
use impinge_geometry::kinetic::Knot;

/// Knots of every vertex since the window began.
#[derive(Clone, Debug)]
pub(in super::super) struct History {
    /// One path per vertex; that of a vertex that rests for ever, or that nothing can touch, has one knot.
    paths: Vec<Vec<Knot>>,
    is_watched: Vec<bool>,
}

impl History {
    /// `is_watched` says of every vertex whether it moves and may touch anything.
    pub(super) fn new(is_watched: Vec<bool>) -> Self {
        Self {
            paths: vec![Vec::new(); is_watched.len()],
            is_watched,
        }
    }

    /// Forgets everything; the window begins at `time` (s).
    pub(super) fn begin(&mut self, vertices: &[Vertex], time: f64) {
        for (point, (path, vertex)) in self.paths.iter_mut().zip(vertices).enumerate() {
            if self.is_watched[point] || path.is_empty() {
                path.clear();
                path.push(Knot {
                    time,
                    position: vertex.at(time),
                });
            }
        }
    }

    /// Continues the paths of vertices that were kicked, each at its own time.
    #[inline]
    pub(super) fn record(&mut self, kicked: &[u32], vertices: &[Vertex]) {
        for &point in kicked {
            let point = point as usize;
            if !self.is_watched[point] {
                continue;
            }
            let vertex = &vertices[point];
            let path = &mut self.paths[point];
            // Several kicks at one instant make one knot.
            if path.last().is_some_and(|knot| knot.time < vertex.time) {
                path.push(Knot {
                    time: vertex.time,
                    position: vertex.position,
                });
            }
        }
    }

    /// The window ends at `time` (s).
    pub(super) fn end(&mut self, vertices: &[Vertex], time: f64) {
        for (point, (path, vertex)) in self.paths.iter_mut().zip(vertices).enumerate() {
            if self.is_watched[point] && path.last().is_some_and(|knot| knot.time < time) {
                path.push(Knot {
                    time,
                    position: vertex.at(time),
                });
            }
        }
    }

    /// Whether a vertex moves and may touch anything.
    #[inline]
    pub(super) fn watches(&self, point: u32) -> bool {
        self.is_watched[point as usize]
    }

    /// The path of a vertex.
    #[inline]
    pub(in super::super) fn path(&self, point: u32) -> &[Knot] {
        &self.paths[point as usize]
    }
}
