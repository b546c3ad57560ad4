//! Recorded paths of the surface since the last stored frame, for independent verification.

use super::pieces::Pieces;
use super::trajectory::Vertex;
use impinge_geometry::kinetic::Breakpoint;
use nalgebra::Vector3;

/// Corners of the paths of surface vertices: one for each event that changes a velocity, and one at the end of each
/// step.
#[derive(Clone, Debug)]
pub(super) struct Recording {
    /// One path per point; empty for points that are not on the surface.
    paths: Vec<Vec<Breakpoint>>,
    surface: Vec<u32>,
}

impl Recording {
    /// Starts the paths of the vertices in `surface` at `time` (s).
    pub(super) fn new(surface: &[u32], vertices: &[Vertex], time: f64) -> Self {
        let mut paths = vec![Vec::new(); vertices.len()];
        for &point in surface {
            paths[point as usize].push(Breakpoint {
                time,
                position: vertices[point as usize].at(time),
            });
        }
        Self {
            paths,
            surface: surface.to_vec(),
        }
    }

    /// Adds a corner for each moved free vertex. Impulses do not change the motion of prescribed vertices.
    pub(super) fn note(&mut self, moved: &[u32], vertices: &[Vertex]) {
        for &point in moved {
            let vertex = &vertices[point as usize];
            if vertex.inverse_mass > 0.0 {
                self.corner(point, vertex.time, vertex.position);
            }
        }
    }

    /// Adds a corner for each moved prescribed vertex or point of a free rigid body.
    pub(super) fn note_all(&mut self, moved: impl IntoIterator<Item = u32>, vertices: &[Vertex]) {
        for point in moved {
            let vertex = &vertices[point as usize];
            self.corner(point, vertex.time, vertex.position);
        }
    }

    /// Adds a corner for all vertices at the end of a step.
    pub(super) fn end_step(&mut self, time: f64, positions: &[Vector3<f64>]) {
        let surface = std::mem::take(&mut self.surface);
        for &point in &surface {
            self.corner(point, time, positions[point as usize]);
        }
        self.surface = surface;
    }

    /// Removes the corners after `time` (s).
    pub(super) fn forget_after(&mut self, time: f64) {
        for &point in &self.surface {
            let path = &mut self.paths[point as usize];
            let kept = path.partition_point(|breakpoint| breakpoint.time <= time);
            path.truncate(kept.max(1));
        }
    }

    /// Returns the paths up to `time` (s), the end of a step; the next paths start there.
    pub(super) fn take(&mut self, time: f64) -> Pieces {
        let mut pieces = Pieces::default();
        for &point in &self.surface {
            let path = &mut self.paths[point as usize];
            let done = path
                .partition_point(|breakpoint| breakpoint.time <= time)
                .max(1);
            pieces.push(
                point,
                path[..done]
                    .iter()
                    .map(|breakpoint| (breakpoint.time, breakpoint.position)),
            );
            path.drain(..done - 1);
        }
        pieces
    }

    /// Several events at one instant make one corner.
    fn corner(&mut self, point: u32, time: f64, position: Vector3<f64>) {
        let path = &mut self.paths[point as usize];
        if path.last().is_some_and(|breakpoint| breakpoint.time < time) {
            path.push(Breakpoint { time, position });
        }
    }
}
