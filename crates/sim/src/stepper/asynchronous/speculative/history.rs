//! The paths of the vertices during a window.

use crate::stepper::asynchronous::trajectory::Vertex;
use impinge_geometry::kinetic::Breakpoint;

/// Breakpoints of every vertex since the start of the window.
#[derive(Clone, Debug)]
pub(in super::super) struct History {
    /// One path per vertex. A vertex that never moves, or that no feature can touch, has one breakpoint.
    paths: Vec<Vec<Breakpoint>>,
    is_watched: Vec<bool>,
}

impl History {
    /// `is_watched` states for every vertex whether it moves and may touch a feature.
    pub(in super::super) fn new(is_watched: Vec<bool>) -> Self {
        Self {
            paths: vec![Vec::new(); is_watched.len()],
            is_watched,
        }
    }

    /// Clears the paths; the window begins at `time` (s).
    pub(in super::super) fn begin(&mut self, vertices: &[Vertex], time: f64) {
        for (point, (path, vertex)) in self.paths.iter_mut().zip(vertices).enumerate() {
            if self.is_watched[point] || path.is_empty() {
                path.clear();
                path.push(Breakpoint {
                    time,
                    position: vertex.at(time),
                });
            }
        }
    }

    /// Extends the paths of vertices that an event moved, each at its own time.
    #[inline]
    pub(super) fn record(&mut self, moved: &[u32], vertices: &[Vertex]) {
        for &point in moved {
            self.paths().record(point, &vertices[point as usize]);
        }
    }

    /// Mutable access to all paths.
    #[inline]
    pub(in super::super) fn paths(&mut self) -> PathsMut<'_> {
        PathsMut {
            first: 0,
            paths: &mut self.paths,
            is_watched: &self.is_watched,
        }
    }

    /// The window ends at `time` (s).
    pub(super) fn end(&mut self, vertices: &[Vertex], time: f64) {
        for (point, (path, vertex)) in self.paths.iter_mut().zip(vertices).enumerate() {
            if self.is_watched[point]
                && path.last().is_some_and(|breakpoint| breakpoint.time < time)
            {
                path.push(Breakpoint {
                    time,
                    position: vertex.at(time),
                });
            }
        }
    }

    /// Whether a vertex moves and may touch a feature.
    #[inline]
    pub(super) fn watches(&self, point: u32) -> bool {
        self.is_watched[point as usize]
    }

    /// The path of a vertex.
    #[inline]
    pub(in super::super) fn path(&self, point: u32) -> &[Breakpoint] {
        &self.paths[point as usize]
    }
}

/// Mutable access to the paths of vertices with consecutive indices.
#[derive(Debug)]
pub(in super::super) struct PathsMut<'a> {
    first: u32,
    paths: &'a mut [Vec<Breakpoint>],
    is_watched: &'a [bool],
}

impl PathsMut<'_> {
    /// Splits off the first `count` vertices.
    pub(in super::super) fn split_at(self, count: usize) -> (Self, Self) {
        let (paths, others) = self.paths.split_at_mut(count);
        let (is_watched, others_watched) = self.is_watched.split_at(count);
        let before = Self {
            first: self.first,
            paths,
            is_watched,
        };
        let after = Self {
            first: self.first + count as u32,
            paths: others,
            is_watched: others_watched,
        };
        (before, after)
    }

    /// Extends the path of a vertex that an event moved.
    #[inline]
    pub(in super::super) fn record(&mut self, point: u32, vertex: &Vertex) {
        let index = (point - self.first) as usize;
        if !self.is_watched[index] {
            return;
        }
        let path = &mut self.paths[index];
        // Several impulses at one instant make one breakpoint.
        if path
            .last()
            .is_some_and(|breakpoint| breakpoint.time < vertex.time)
        {
            path.push(Breakpoint {
                time: vertex.time,
                position: vertex.position,
            });
        }
    }
}
