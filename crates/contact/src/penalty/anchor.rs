//! Where two sides stick to each other, so that sticking does not creep.

use nalgebra::Vector3;

/// The material points that stick, and how far apart they are meant to be.
///
/// A friction impulse that only stops the sides lets them drift between ticks, for every kick of gravity moves them on. An
/// anchor remembers where they were.
///
/// # Source
/// Cundall and Strack, "A discrete numerical model for granular assemblies", 1979: the tangential spring, here as the
/// velocity that undoes the slip. Not in the paper of the layers, which leaves sticking to later work. A spring with clocks of its
/// own would have to be stable; this one lives on what friction took before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// `w`: weights of the material points, as those of the closest points.
    weights: [f64; 4],
    /// Where `Σ w x` is across the normal when nothing has slipped (m).
    offset: Vector3<f64>,
    /// What friction has taken from the sides since they touched, by sliding as well, and not given back (J).
    taken: f64,
}

impl Anchor {
    /// The sides stick where they are: at the closest points of `corners`, which have these weights.
    #[inline]
    pub fn at(weights: [f64; 4], corners: &[Vector3<f64>; 4], normal: &Vector3<f64>) -> Self {
        Self {
            weights,
            offset: across(&combined(&weights, corners), normal),
            taken: 0.0,
        }
    }

    /// Fastest that the sides may be made to move across the normal (m/s): what they have now, `slide` (m/s), and what was taken from
    /// them, so that friction never adds energy. `mobility` is `1/m_T` (1/kg).
    #[inline]
    pub fn fastest(&self, slide: f64, mobility: f64) -> f64 {
        (slide * slide + 2.0 * self.taken * mobility).sqrt()
    }

    /// What it took and did not give back (J).
    #[inline]
    pub fn taken(&self) -> f64 {
        self.taken
    }

    /// Friction takes an energy (J), or gives it back where it is negative.
    #[inline]
    pub fn take(&mut self, energy: f64) {
        self.taken = (self.taken + energy).max(0.0);
    }

    /// How far the first side has slipped off the second (m), a vector across `normal`.
    #[inline]
    pub fn slip(&self, corners: &[Vector3<f64>; 4], normal: &Vector3<f64>) -> Vector3<f64> {
        across(&(combined(&self.weights, corners) - self.offset), normal)
    }

    /// The anchor dragged along by sides that slide: it sticks at the present closest points, `slip` behind.
    #[inline]
    #[must_use]
    pub fn dragged(
        &self,
        weights: [f64; 4],
        corners: &[Vector3<f64>; 4],
        normal: &Vector3<f64>,
        slip: &Vector3<f64>,
    ) -> Self {
        let here = Self::at(weights, corners, normal);
        Self {
            weights,
            offset: here.offset - slip,
            taken: self.taken,
        }
    }
}

#[inline]
fn combined(weights: &[f64; 4], corners: &[Vector3<f64>; 4]) -> Vector3<f64> {
    corners[0] * weights[0]
        + corners[1] * weights[1]
        + corners[2] * weights[2]
        + corners[3] * weights[3]
}

#[inline]
fn across(vector: &Vector3<f64>, normal: &Vector3<f64>) -> Vector3<f64> {
    vector - normal * normal.dot(vector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;

    /// A point above a triangle in the plane `z = 0`, at `(x, y)`.
    fn above(x: f64, y: f64) -> [Vector3<f64>; 4] {
        [
            Vector3::new(x, y, 0.01),
            Vector3::zeros(),
            Vector3::x(),
            Vector3::y(),
        ]
    }

    fn weights(x: f64, y: f64) -> [f64; 4] {
        [1.0, x + y - 1.0, -x, -y]
    }

    #[test]
    fn slip_is_how_far_the_point_has_moved_along_the_face() {
        let up = Vector3::z();
        let anchor = Anchor::at(weights(0.2, 0.3), &above(0.2, 0.3), &up);
        assert!(anchor.slip(&above(0.2, 0.3), &up).norm() < 1e-16);
        let slip = anchor.slip(&above(0.25, 0.29), &up);
        assert!((slip - Vector3::new(0.05, -0.01, 0.0)).norm() < 1e-15);
    }

    /// What moves and turns both sides together is no slip.
    #[test]
    fn a_common_motion_is_no_slip() {
        let before = above(0.2, 0.3);
        let anchor = Anchor::at(weights(0.2, 0.3), &before, &Vector3::z());
        let turn = Rotation3::from_scaled_axis(Vector3::new(0.4, -0.9, 0.3));
        let after = before.map(|x| turn * x + Vector3::new(3.0, -1.0, 0.5));
        let slip = anchor.slip(&after, &(turn * Vector3::z()));
        assert!(slip.norm() < 1e-15, "{slip}");
    }

    #[test]
    fn a_dragged_anchor_is_as_far_behind_as_it_is_told() {
        let (corners, up) = (above(0.6, 0.1), Vector3::z());
        let behind = Vector3::new(2e-3, -1e-3, 0.0);
        let first = Anchor::at(weights(0.2, 0.3), &corners, &up);
        let anchor = first.dragged(weights(0.6, 0.1), &corners, &up, &behind);
        assert!((anchor.slip(&corners, &up) - behind).norm() < 1e-15);
    }

    #[test]
    fn no_more_is_given_back_than_was_taken() {
        let mut anchor = Anchor::at(weights(0.2, 0.3), &above(0.2, 0.3), &Vector3::z());
        assert!((anchor.fastest(0.3, 2.0) - 0.3).abs() < 1e-15);
        anchor.take(0.04);
        assert!((anchor.fastest(0.3, 2.0) - 0.5).abs() < 1e-15);
        anchor.take(-0.05);
        assert!((anchor.fastest(0.3, 2.0) - 0.3).abs() < 1e-15);
    }
}
