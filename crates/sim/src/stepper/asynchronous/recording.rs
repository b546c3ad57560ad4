//! The paths of the surface since the last stored frame, written down to be proved from outside.

use super::pieces::Pieces;
use super::trajectory::Vertex;
use impinge_geometry::kinetic::Knot;
use nalgebra::Vector3;

/// Corners of the paths of the vertices of the surface: an event that changes a velocity makes one, and so does the end
/// of a step.
#[derive(Clone, Debug)]
pub(super) struct Recording {
    /// One per point, never empty for a vertex of the surface, empty for all others.
    paths: Vec<Vec<Knot>>,
    surface: Vec<u32>,
}

impl Recording {
    /// Begins the paths of the vertices in `surface` at `time` (s).
    pub(super) fn new(surface: &[u32], vertices: &[Vertex], time: f64) -> Self {
        let mut paths = vec![Vec::new(); vertices.len()];
        for &point in surface {
            paths[point as usize].push(Knot {
                time,
                position: vertices[point as usize].at(time),
            });
        }
        Self {
            paths,
            surface: surface.to_vec(),
        }
    }

    /// Free vertices have a corner where they are. What is prescribed goes straight on, whatever pushes it.
    pub(super) fn note(&mut self, moved: &[u32], vertices: &[Vertex]) {
        for &point in moved {
            let vertex = &vertices[point as usize];
            if vertex.inverse_mass > 0.0 {
                self.corner(point, vertex.time, vertex.position);
            }
        }
    }

    /// Prescribed vertices have a corner where they are.
    pub(super) fn note_prescribed(&mut self, moved: &[u32], vertices: &[Vertex]) {
        for &point in moved {
            let vertex = &vertices[point as usize];
            self.corner(point, vertex.time, vertex.position);
        }
    }

    /// All vertices have a corner at the end of a step.
    pub(super) fn end_step(&mut self, time: f64, positions: &[Vector3<f64>]) {
        let surface = std::mem::take(&mut self.surface);
        for &point in &surface {
            self.corner(point, time, positions[point as usize]);
        }
        self.surface = surface;
    }

    /// What came after `time` (s) is taken back.
    pub(super) fn forget_after(&mut self, time: f64) {
        for &point in &self.surface {
            let path = &mut self.paths[point as usize];
            let kept = path.partition_point(|knot| knot.time <= time);
            path.truncate(kept.max(1));
        }
    }

    /// Hands out the paths up to `time` (s), the end of a step. The next ones begin there.
    pub(super) fn take(&mut self, time: f64) -> Pieces {
        let mut pieces = Pieces::default();
        for &point in &self.surface {
            let path = &mut self.paths[point as usize];
            let done = path.partition_point(|knot| knot.time <= time).max(1);
            pieces.push(
                point,
                path[..done].iter().map(|knot| (knot.time, knot.position)),
            );
            path.drain(..done - 1);
        }
        pieces
    }

    /// Several events at one instant make one corner.
    fn corner(&mut self, point: u32, time: f64, position: Vector3<f64>) {
        let path = &mut self.paths[point as usize];
        if path.last().is_some_and(|knot| knot.time < time) {
            path.push(Knot { time, position });
        }
    }
}
