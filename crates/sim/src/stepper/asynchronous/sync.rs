//! Advances many vertices to one time.

use super::speculative::PathsMut;
use super::statistics::StepHistogram;
use super::trajectory::Vertex;

/// Smallest number of vertices per parallel task.
const AT_A_TIME: usize = 8192;

/// The vertices from the number `first` on, and their recorded paths, if any.
pub(super) struct VerticesMut<'a> {
    pub(super) first: u32,
    pub(super) vertices: &'a mut [Vertex],
    pub(super) paths: Option<PathsMut<'a>>,
}

impl VerticesMut<'_> {
    /// Those before the vertex `border`, and those from it on.
    fn split_at(self, border: u32) -> (Self, Self) {
        let count = (border - self.first) as usize;
        let (before, after) = self.vertices.split_at_mut(count);
        let (paths, other_paths) = self.paths.map(|paths| paths.split_at(count)).unzip();
        (
            Self {
                vertices: before,
                paths,
                ..self
            },
            Self {
                first: border,
                vertices: after,
                paths: other_paths,
            },
        )
    }
}

/// Advances the vertices of an event to its time (s), counts the durations of their trajectory pieces, and extends
/// their recorded paths, if any.
///
/// `stencil` is ascending, and `vertices` include all of it.
pub(super) fn sync_all(
    mut vertices: VerticesMut<'_>,
    stencil: &[u32],
    time: f64,
    steps: &mut StepHistogram,
) {
    if stencil.len() < 2 * AT_A_TIME {
        for &point in stencil {
            let vertex = &mut vertices.vertices[(point - vertices.first) as usize];
            steps.count(time - vertex.time);
            vertex.sync(time);
            if let Some(paths) = &mut vertices.paths {
                paths.record(point, vertex);
            }
        }
        return;
    }
    let (before, after) = stencil.split_at(stencil.len() / 2);
    let (vertices, others) = vertices.split_at(after[0]);
    let mut other_steps = StepHistogram::default();
    rayon::join(
        || sync_all(vertices, before, time, steps),
        || sync_all(others, after, time, &mut other_steps),
    );
    steps.add(&other_steps);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stepper::asynchronous::speculative::History;
    use nalgebra::Vector3;

    /// Every third vertex, with enough vertices for several threads, compared with a sequential loop; every fifth
    /// vertex is not watched.
    #[test]
    fn just_the_stencil_is_moved_and_recorded() {
        let vertex = |k: u32| Vertex {
            position: Vector3::new(f64::from(k), 0.0, 0.0),
            time: f64::from(k % 7) * 0.1,
            velocity: Vector3::new(0.0, 1.0, 0.0),
            inverse_mass: 1.0,
        };
        let mut vertices: Vec<Vertex> = (0..160_000).map(vertex).collect();
        let stencil: Vec<u32> = (1..160_000).step_by(3).collect();
        let mut history = History::new((0..160_000).map(|k| k % 5 > 0).collect());
        history.begin(&vertices, 0.6);
        let mut recorded = history.clone();
        let (mut expected, mut counted) = (vertices.clone(), StepHistogram::default());
        for &point in &stencil {
            let vertex = &mut expected[point as usize];
            counted.count(1.0 - vertex.time);
            vertex.sync(1.0);
            recorded.paths().record(point, vertex);
        }
        let mut steps = StepHistogram::default();
        let all = VerticesMut {
            first: 0,
            vertices: &mut vertices,
            paths: Some(history.paths()),
        };
        sync_all(all, &stencil, 1.0, &mut steps);
        for point in 0..160_000 {
            assert_eq!(history.path(point), recorded.path(point));
            let breakpoints = if point % 3 == 1 && point % 5 > 0 {
                2
            } else {
                1
            };
            assert_eq!(history.path(point).len(), breakpoints);
        }
        assert_eq!(vertices, expected);
        assert_eq!(steps, counted);
    }
}
