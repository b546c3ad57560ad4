//! Boxes in single precision, rounded outwards.

use super::lanes::{LANES, Lanes};
use crate::broad_phase::Aabb;

/// A box in single precision around one in double precision. It fills one wide register, so that merging two boxes
/// takes one instruction.
///
/// Corners are rounded outwards. A corner beyond the range of single precision moves to the largest finite number,
/// which keeps the order of corners. So a box is finite or empty.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Bounds {
    /// Negated least coordinates, two unused numbers, greatest coordinates.
    pub(super) outwards: [f32; LANES],
}

impl Bounds {
    pub(super) const EMPTY: Self = Self {
        outwards: [f32::NEG_INFINITY; LANES],
    };

    #[inline(always)]
    pub(super) fn around(exact: &Aabb) -> Self {
        let ([a, b, c], [d, e, f]): ([f64; 3], [f64; 3]) = (exact.lower.into(), exact.upper.into());
        // The unused numbers are copies of their neighbours, so that four numbers are read at once.
        let exact = [-a, -b, -c, -d, c, d, e, f];
        let mut outwards = [0.0; LANES];
        for lane in 0..LANES {
            outwards[lane] = above(exact[lane] as f32);
        }
        Self { outwards }
    }

    #[inline(always)]
    pub(super) fn merged(&self, lanes: impl Lanes, other: &Self) -> Self {
        Self {
            outwards: lanes.greater(&self.outwards, &other.outwards),
        }
    }
}

/// A number not below any of those whose nearest one in single precision is `nearest`; the greatest one if there is
/// none.
///
/// A number `x` differs from its nearest one by at most `|x| 2⁻²⁴ + 2⁻¹⁵⁰`. Four times that is added, to cover the
/// rounding here.
#[inline(always)]
fn above(nearest: f32) -> f32 {
    // Written so that each takes one instruction, and the result is finite.
    let finite = if nearest > -f32::MAX {
        nearest
    } else {
        -f32::MAX
    };
    let margin = finite.abs() * (2.0 * f32::EPSILON) + f32::MIN_POSITIVE;
    let sum = finite + margin;
    if sum < f32::MAX { sum } else { f32::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn below(nearest: f32) -> f32 {
        -above(-nearest)
    }

    #[test]
    fn rounding_down_is_down_and_near() {
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
            f64::from(f32::MAX).next_up(),
            f64::from(f32::MIN),
            f64::from(f32::MIN_POSITIVE),
            f64::MIN_POSITIVE,
        ] {
            let below = f64::from(below(x as f32));
            assert!(below <= x.max(f32::MIN.into()), "{x} {below}");
            let near = x - 5e-7 * x.abs() - 2.0 * f64::from(f32::MIN_POSITIVE);
            assert!(
                below >= near || x.abs() > f64::from(f32::MAX) / 1.001,
                "{x} {below}"
            );
        }
    }

    #[test]
    fn rounding_down_is_down_at_every_magnitude() {
        // Numbers just above and just below the middle between two in single precision: `nearest` errs most there.
        for exponent in -149..128 {
            for mantissa in [0, 1, 2, 0x3f_ffff, 0x40_0000, 0x7f_fffe, 0x7f_ffff] {
                let single = (1.0 + f64::from(mantissa) * 2_f64.powi(-23)) * 2_f64.powi(exponent);
                let half = 2_f64.powi(exponent - 24);
                for x in [
                    single,
                    single + half,
                    (single + half).next_up(),
                    (single + half).next_down(),
                ] {
                    for x in [x, -x] {
                        let below = f64::from(below(x as f32));
                        assert!(below <= x.max(f32::MIN.into()), "{x:e} {below:e}");
                    }
                }
            }
        }
    }
}
