//! Boxes in single precision, rounded outwards.

use wide::f32x4;

use crate::broad_phase::Aabb;

/// A box in single precision that meets whatever the one in double precision does: two registers, so that merging two
/// boxes takes two instructions.
///
/// Corners are rounded outwards, and those beyond all numbers of single precision moved to the largest of them, for that
/// keeps their order. So a box is finite or empty. Fourth lanes mean nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) lower: f32x4,
    pub(super) upper: f32x4,
}

impl Bounds {
    pub(super) const EMPTY: Self = Self {
        lower: f32x4::new([f32::INFINITY; 4]),
        upper: f32x4::new([f32::NEG_INFINITY; 4]),
    };

    #[inline]
    pub(super) fn around(exact: &Aabb) -> Self {
        let nearest = |v: [f64; 3]| f32x4::new([v[0] as f32, v[1] as f32, v[2] as f32, 0.0]);
        Self {
            lower: below(nearest(exact.lower.into())),
            upper: -below(nearest((-exact.upper).into())),
        }
    }

    #[inline]
    pub(super) fn merged(self, other: Self) -> Self {
        Self {
            lower: self.lower.fast_min(other.lower),
            upper: self.upper.fast_max(other.upper),
        }
    }
}

/// Numbers not above any of those whose nearest ones in single precision are `nearest`; the least one if there are none.
///
/// A number `x` is at most `|x| 2⁻²⁴ + 2⁻¹⁵⁰` above or below its nearest one; four times that is taken off, which leaves
/// room for the rounding here.
#[inline]
fn below(nearest: f32x4) -> f32x4 {
    let most = f32x4::splat(f32::MAX);
    let finite = nearest.fast_min(most);
    let margin = finite.abs() * f32x4::splat(2.0 * f32::EPSILON) + f32x4::splat(f32::MIN_POSITIVE);
    (finite - margin).fast_max(-most)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let below = f64::from(below(f32x4::splat(x as f32)).to_array()[0]);
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
        // Numbers just above and just below the middle between two in single precision round the wrong way first.
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
                        let below = f64::from(below(f32x4::splat(x as f32)).to_array()[0]);
                        assert!(below <= x.max(f32::MIN.into()), "{x:e} {below:e}");
                    }
                }
            }
        }
    }
}
