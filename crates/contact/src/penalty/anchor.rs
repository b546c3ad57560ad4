//! The reference of the slip of sticking sides; prevents creep.

use nalgebra::Vector3;

/// The material points that stick, and their offset.
///
/// A friction impulse that only stops the sides lets them drift between ticks, because every velocity impulse of
/// gravity moves them. The anchor stores their relative position.
///
/// # Source
/// Cundall and Strack 1979, "A discrete numerical model for granular assemblies": the tangential spring, here as the
/// velocity that undoes the slip. Not in Harmon et al. 2009, which leaves sticking to later work. A spring with its own
/// clock would need a stability limit; this one spends only energy that friction has taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// `w`: weights of the material points, as those of the closest points.
    weights: [f64; 4],
    /// Tangential part of `Σ w x` at zero slip (m).
    offset: Vector3<f64>,
    /// Energy that friction, sliding included, has taken from the sides since first contact and not returned (J).
    taken: f64,
}

impl Anchor {
    /// An anchor at the closest points of `corners`, which have these weights.
    #[inline]
    pub fn at(weights: [f64; 4], corners: &[Vector3<f64>; 4], normal: &Vector3<f64>) -> Self {
        Self {
            weights,
            offset: across(&combined(&weights, corners), normal),
            taken: 0.0,
        }
    }

    /// Largest tangential speed that the sides may be given (m/s): from their present `slide` (m/s) and the energy
    /// taken from them, so that friction never adds energy. `mobility` is `1/m_T` (1/kg).
    #[inline]
    pub fn fastest(&self, slide: f64, mobility: f64) -> f64 {
        (slide * slide + 2.0 * self.taken * mobility).sqrt()
    }

    /// Energy taken and not returned (J).
    #[inline]
    pub fn taken(&self) -> f64 {
        self.taken
    }

    /// Adds an energy (J) taken by friction; a negative one is returned.
    #[inline]
    pub fn take(&mut self, energy: f64) {
        self.taken = (self.taken + energy).max(0.0);
    }

    /// Slip of the first side over the second (m), a vector tangential to `normal`.
    #[inline]
    pub fn slip(&self, corners: &[Vector3<f64>; 4], normal: &Vector3<f64>) -> Vector3<f64> {
        across(&(combined(&self.weights, corners) - self.offset), normal)
    }

    /// The anchor moved along with sliding sides: at the present closest points, `slip` behind.
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

    /// A common rigid motion of both sides is no slip.
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
