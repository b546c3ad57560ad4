//! Boxes in single precision, rounded outwards.

use wide::f32x4;

use crate::broad_phase::Aabb;

/// A box that holds one in double precision: half the memory, and two instructions to compare.
///
/// Upper corners are stored negated, so that everything is rounded down and merged by the minimum. Fourth lanes are zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    lower: f32x4,
    negated_upper: f32x4,
}

/// What a box is compared with: the corners of another one, facing it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    upper: f32x4,
    negated_lower: f32x4,
}

impl Bounds {
    pub(super) const EMPTY: Self = {
        let lanes = f32x4::new([f32::INFINITY, f32::INFINITY, f32::INFINITY, 0.0]);
        Self {
            lower: lanes,
            negated_upper: lanes,
        }
    };

    #[inline]
    pub(super) fn around(exact: &Aabb) -> Self {
        let down = |v: [f64; 3]| {
            f32x4::new([
                rounded_down(v[0]),
                rounded_down(v[1]),
                rounded_down(v[2]),
                0.0,
            ])
        };
        Self {
            lower: down(exact.lower.into()),
            negated_upper: down((-exact.upper).into()),
        }
    }

    #[inline]
    pub(super) fn merged(self, other: Self) -> Self {
        Self {
            lower: self.lower.fast_min(other.lower),
            negated_upper: self.negated_upper.fast_min(other.negated_upper),
        }
    }

    #[inline]
    pub(super) fn reach(self) -> Reach {
        Reach {
            upper: -self.negated_upper,
            negated_lower: -self.lower,
        }
    }

    /// Whether the closed boxes share a point.
    #[inline]
    pub(super) fn meets(&self, other: &Reach) -> bool {
        (self.lower.simd_le(other.upper) & self.negated_upper.simd_le(other.negated_lower)).all()
    }

    /// Half of the surface area.
    #[inline]
    pub(super) fn half_area(self) -> f64 {
        let extent = -(self.negated_upper + self.lower);
        let [x, y, z, _] = extent.to_array().map(f64::from);
        x * (y + z) + y * z
    }
}

/// The largest `f32` that is not above `x`.
#[inline]
fn rounded_down(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) > x {
        nearest.next_down()
    } else {
        nearest
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rounding_down_is_down_and_tight() {
        for x in [
            0.1,
            -0.1,
            1e300,
            -1e300,
            1e-300,
            -1e-300,
            0.0,
            -0.0,
            f64::from(f32::MAX),
            f64::MIN_POSITIVE,
        ] {
            let below = rounded_down(x);
            assert!(
                f64::from(below) <= x && f64::from(below.next_up()) > x,
                "{x}"
            );
        }
    }

    proptest! {
        #[test]
        fn boxes_that_overlap_meet(
            corners in prop::array::uniform4(prop::array::uniform3(prop::num::f64::NORMAL | prop::num::f64::ZERO)),
        ) {
            let [a, b, c, d] = corners.map(Vector3::from);
            let (first, second) = (Aabb::from_points([&a, &b]), Aabb::from_points([&c, &d]));
            let meets = Bounds::around(&first).meets(&Bounds::around(&second).reach());
            prop_assert!(meets || !first.overlaps(&second));
            // Not much larger either: the same boxes pulled well apart do not meet.
            let small = [a, b, c, d].map(|x| x.map(|x| x % 1.0));
            let (first, mut second) = (Aabb::from_points(&small[..2]), Aabb::from_points(&small[2..]));
            second.lower.x += 2.001;
            second.upper.x += 2.001;
            prop_assert!(!Bounds::around(&first).meets(&Bounds::around(&second).reach()));
        }
    }
}
