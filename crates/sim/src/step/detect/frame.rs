//! A frame of reference that moves with most of the points.

use nalgebra::Vector3;

/// Coordinates relative to an origin that moves with most of the points.
///
/// Two points meet in one frame exactly when they meet in every other. So boxes of the motion miss no collision in any
/// frame whose origin all points share, if it moves straight during a motion, as the points do. Bodies that fall side
/// by side are nearly at rest in a frame that falls with them: their boxes are small, and few pairs are candidates.
#[derive(Default)]
pub(super) struct Frame {
    /// The points that stand for all, and their positions (m) when the origin was zero.
    placed: Vec<(usize, Vector3<f64>)>,
}

/// Largest number of points that stand for all: the cost of a median is then small beside that of the boxes.
const SAMPLES: usize = 255;

impl Frame {
    /// Puts the origin at zero for `vertices` at `positions` (m).
    pub(super) fn place(&mut self, vertices: &[u32], positions: &[Vector3<f64>]) {
        self.placed.clear();
        self.placed
            .extend(samples(vertices).map(|point| (point, positions[point])));
    }

    /// The origin (m) for points at `positions` (m): how far most of them have moved since the frame was placed.
    pub(super) fn origin(&self, positions: &[Vector3<f64>]) -> Vector3<f64> {
        median((self.placed.iter()).map(|(point, placed)| positions[*point] - placed))
    }

    /// The velocity (m/s) of most of the `vertices`.
    pub(super) fn drift(vertices: &[u32], velocities: &[Vector3<f64>]) -> Vector3<f64> {
        median(samples(vertices).map(|point| velocities[point]))
    }
}

fn samples(vertices: &[u32]) -> impl Iterator<Item = usize> + '_ {
    let stride = vertices.len().div_ceil(SAMPLES).max(1);
    vertices
        .iter()
        .step_by(stride)
        .map(|&vertex| vertex as usize)
}

/// The median of each coordinate; zero if there is none, or if it is not finite.
fn median(vectors: impl Iterator<Item = Vector3<f64>>) -> Vector3<f64> {
    let mut vectors: Vec<Vector3<f64>> = vectors.collect();
    if vectors.is_empty() {
        return Vector3::zeros();
    }
    let middle = vectors.len() / 2;
    let of_axis = |axis: usize, _| {
        let by_axis = |a: &Vector3<f64>, b: &Vector3<f64>| a[axis].total_cmp(&b[axis]);
        let (_, median, _) = vectors.select_nth_unstable_by(middle, by_axis);
        if median[axis].is_finite() {
            median[axis]
        } else {
            0.0
        }
    };
    Vector3::from_fn(of_axis)
}
