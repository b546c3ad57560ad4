//! Straight pieces of trajectories, for independent verification.

use nalgebra::Vector3;
use std::ops::Range;

/// The paths of some points over one interval, straight between their corners.
///
/// A piece leads from one corner of a path to the next, so paths have no gaps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pieces {
    /// The points, in the order of their paths.
    points: Vec<u32>,
    /// End of the corners of each path among all corners.
    ends: Vec<usize>,
    times: Vec<f64>,
    positions: Vec<Vector3<f64>>,
}

impl Pieces {
    /// Adds the path of a point: times (s) and positions (m) of its corners.
    pub fn push(&mut self, point: u32, corners: impl IntoIterator<Item = (f64, Vector3<f64>)>) {
        for (time, position) in corners {
            self.times.push(time);
            self.positions.push(position);
        }
        self.points.push(point);
        self.ends.push(self.times.len());
    }

    /// The points, in the order of their paths.
    pub fn points(&self) -> &[u32] {
        &self.points
    }

    /// Number of corners of all paths.
    pub fn corners(&self) -> usize {
        self.times.len()
    }

    /// Number of straight pieces of all paths.
    pub fn count(&self) -> usize {
        (0..self.points.len())
            .map(|path| self.range(path).len().saturating_sub(1))
            .sum()
    }

    /// Times (s) and positions (m) of the corners of path number `path`.
    ///
    /// # Panics
    /// If there is no such path.
    #[track_caller]
    pub fn path(&self, path: usize) -> (&[f64], &[Vector3<f64>]) {
        let range = self.range(path);
        (&self.times[range.clone()], &self.positions[range])
    }

    fn range(&self, path: usize) -> Range<usize> {
        let begin = path.checked_sub(1).map_or(0, |before| self.ends[before]);
        begin..self.ends[path]
    }
}
