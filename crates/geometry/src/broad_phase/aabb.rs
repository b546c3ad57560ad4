//! Axis-aligned boxes.

use nalgebra::Vector3;

/// A closed axis-aligned box.
///
/// Boxes are compared, never recomputed: merging and overlap are exact in `f64`. [`Aabb::inflated`] rounds outwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Least coordinates, m.
    pub lower: Vector3<f64>,
    /// Greatest coordinates, m.
    pub upper: Vector3<f64>,
}

impl Aabb {
    /// Box of no point at all: neutral in [`Aabb::merged`], overlaps nothing.
    pub const EMPTY: Self = Self {
        lower: Vector3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        upper: Vector3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// Box of a single point.
    pub fn from_point(point: &Vector3<f64>) -> Self {
        Self {
            lower: *point,
            upper: *point,
        }
    }

    /// Smallest box of some points, [`Aabb::EMPTY`] for none.
    ///
    /// The box of a point's start and end holds all of its linear motion.
    pub fn from_points<'a>(points: impl IntoIterator<Item = &'a Vector3<f64>>) -> Self {
        points.into_iter().fold(Self::EMPTY, |all, point| {
            all.merged(&Self::from_point(point))
        })
    }

    /// Smallest box that holds some boxes, [`Aabb::EMPTY`] for none.
    pub fn of_boxes<'a>(boxes: impl IntoIterator<Item = &'a Self>) -> Self {
        boxes
            .into_iter()
            .fold(Self::EMPTY, |all, next| all.merged(next))
    }

    /// Smallest box that holds both.
    #[must_use]
    #[inline]
    pub fn merged(&self, other: &Self) -> Self {
        Self {
            lower: self.lower.inf(&other.lower),
            upper: self.upper.sup(&other.upper),
        }
    }

    /// The box grown by at least `margin` (m, not negative) on every side.
    ///
    /// A margin of zero leaves the box as it is; otherwise the result is rounded outwards.
    #[must_use]
    pub fn inflated(&self, margin: f64) -> Self {
        if margin > 0.0 {
            Self {
                lower: self.lower.map(|x| (x - margin).next_down()),
                upper: self.upper.map(|x| (x + margin).next_up()),
            }
        } else {
            *self
        }
    }

    /// Whether the closed boxes share a point; touching counts.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|c| self.lower[c] <= other.upper[c] && other.lower[c] <= self.upper[c])
    }

    /// Whether `other` lies within this box.
    pub fn contains(&self, other: &Self) -> bool {
        (0..3).all(|c| self.lower[c] <= other.lower[c] && other.upper[c] <= self.upper[c])
    }

    /// Whether the box holds a point and all its numbers are finite.
    pub fn is_valid(&self) -> bool {
        (0..3).all(|c| {
            self.lower[c].is_finite() && self.upper[c].is_finite() && self.lower[c] <= self.upper[c]
        })
    }
}
