//! A frame of reference that moves with most of the points.

use nalgebra::Vector3;

/// Coordinates relative to an origin that moves with most of the points.
///
/// Two points meet in one frame exactly when they meet in every other, so any origin gives boxes of the motion that
/// miss no collision, as long as all points share it. Bodies that fall side by side are nearly at rest in a frame that
/// falls with them: their boxes are small, and few pairs are candidates.
#[derive(Default)]
pub(super) struct Frame {
    /// Positions (m) at which the origin is zero.
    placed: Vec<Vector3<f64>>,
}

/// Number of points whose motion stands for all: the cost of a median is then small beside that of the boxes.
const SAMPLES: usize = 255;

impl Frame {
    /// Puts the origin at zero for points at `positions` (m).
    pub(super) fn place(&mut self, positions: &[Vector3<f64>]) {
        self.placed.clear();
        self.placed.extend_from_slice(positions);
    }

    /// The origin (m) for `vertices` at `positions` (m): how far most of them have moved since the frame was placed.
    pub(super) fn origin(&self, vertices: &[u32], positions: &[Vector3<f64>]) -> Vector3<f64> {
        Self::common(vertices, |point| positions[point] - self.placed[point])
    }

    /// The median of each coordinate of `motion` over some of the `vertices`.
    pub(super) fn common(vertices: &[u32], motion: impl Fn(usize) -> Vector3<f64>) -> Vector3<f64> {
        let stride = vertices.len().div_ceil(SAMPLES).max(1);
        let mut samples: Vec<Vector3<f64>> = (vertices.iter().step_by(stride))
            .map(|&vertex| motion(vertex as usize))
            .collect();
        if samples.is_empty() {
            return Vector3::zeros();
        }
        let middle = samples.len() / 2;
        Vector3::from_fn(|axis, _| {
            let (_, median, _) =
                samples.select_nth_unstable_by(middle, |a, b| a[axis].total_cmp(&b[axis]));
            median[axis]
        })
    }
}
