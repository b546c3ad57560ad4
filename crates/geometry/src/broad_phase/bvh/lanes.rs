//! Instructions that handle eight numbers at once, whatever the processor has.

use wide::{f32x8, u32x8};

use super::block::{LANES, Probe};

/// What the search asks of the processor: all implementations give the same answers.
pub(super) trait Lanes: Copy {
    /// One bit for each of eight boxes that shares a point with the probe.
    fn meets(self, lower: [&[f32; LANES]; 3], upper: [&[f32; LANES]; 3], probe: &Probe) -> u32;

    /// One bit for each of eight features that has one of the points `one`.
    fn sharing<const A: usize, const B: usize>(
        self,
        one: [u32; A],
        others: [&[u32; LANES]; B],
    ) -> u32;

    /// The numbers at the given places.
    fn pick_f32(self, from: &[f32; LANES], order: &[u32; LANES]) -> [f32; LANES];

    /// The numbers at the given places.
    fn pick_u32(self, from: &[u32; LANES], order: &[u32; LANES]) -> [u32; LANES];
}

/// What every processor can do.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Lanes for Portable {
    #[inline(always)]
    fn meets(self, lower: [&[f32; LANES]; 3], upper: [&[f32; LANES]; 3], probe: &Probe) -> u32 {
        let along = |c: usize| {
            f32x8::new(*lower[c]).simd_le(f32x8::splat(probe.upper[c]))
                & f32x8::new(*upper[c]).simd_ge(f32x8::splat(probe.lower[c]))
        };
        (along(0) & along(1) & along(2)).to_bitmask()
    }

    #[inline(always)]
    fn sharing<const A: usize, const B: usize>(
        self,
        one: [u32; A],
        others: [&[u32; LANES]; B],
    ) -> u32 {
        let mut any = u32x8::ZERO;
        for point in one {
            for other in others {
                any |= u32x8::splat(point).simd_eq(u32x8::new(*other));
            }
        }
        any.to_bitmask()
    }

    #[inline(always)]
    fn pick_f32(self, from: &[f32; LANES], order: &[u32; LANES]) -> [f32; LANES] {
        order.map(|place| from[place as usize % LANES])
    }

    #[inline(always)]
    fn pick_u32(self, from: &[u32; LANES], order: &[u32; LANES]) -> [u32; LANES] {
        order.map(|place| from[place as usize % LANES])
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{__m256, __m256i, _CMP_GE_OQ, _CMP_LE_OQ};

    use pulp::cast;
    use pulp::x86::V3;

    use super::{LANES, Lanes, Probe};

    impl Lanes for V3 {
        #[inline(always)]
        fn meets(self, lower: [&[f32; LANES]; 3], upper: [&[f32; LANES]; 3], probe: &Probe) -> u32 {
            let avx = self.avx;
            let along = |c: usize| -> __m256 {
                avx._mm256_and_ps(
                    avx._mm256_cmp_ps::<_CMP_LE_OQ>(
                        cast(*lower[c]),
                        avx._mm256_set1_ps(probe.upper[c]),
                    ),
                    avx._mm256_cmp_ps::<_CMP_GE_OQ>(
                        cast(*upper[c]),
                        avx._mm256_set1_ps(probe.lower[c]),
                    ),
                )
            };
            let all = avx._mm256_and_ps(avx._mm256_and_ps(along(0), along(1)), along(2));
            avx._mm256_movemask_ps(all).cast_unsigned()
        }

        #[inline(always)]
        fn sharing<const A: usize, const B: usize>(
            self,
            one: [u32; A],
            others: [&[u32; LANES]; B],
        ) -> u32 {
            let (avx, avx2) = (self.avx, self.avx2);
            let mut any: __m256i = avx._mm256_setzero_si256();
            for point in one {
                let point = avx._mm256_set1_epi32(point.cast_signed());
                for other in others {
                    any = avx2._mm256_or_si256(any, avx2._mm256_cmpeq_epi32(point, cast(*other)));
                }
            }
            avx._mm256_movemask_ps(cast(any)).cast_unsigned()
        }

        #[inline(always)]
        fn pick_f32(self, from: &[f32; LANES], order: &[u32; LANES]) -> [f32; LANES] {
            cast(
                self.avx2
                    ._mm256_permutevar8x32_ps(cast(*from), cast(*order)),
            )
        }

        #[inline(always)]
        fn pick_u32(self, from: &[u32; LANES], order: &[u32; LANES]) -> [u32; LANES] {
            cast(
                self.avx2
                    ._mm256_permutevar8x32_epi32(cast(*from), cast(*order)),
            )
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use proptest::prelude::*;
    use pulp::x86::V3;

    use super::*;

    proptest! {
        #[test]
        fn all_processors_answer_the_same(
            lower in proptest::array::uniform3(proptest::array::uniform8(-3_i8..3)),
            upper in proptest::array::uniform3(proptest::array::uniform8(-3_i8..3)),
            probe in proptest::array::uniform6(-3_i8..3),
            points in proptest::array::uniform2(proptest::array::uniform8(0_u32..6)),
            one in proptest::array::uniform3(0_u32..6),
            order in proptest::array::uniform8(0_u32..8),
        ) {
            let Some(avx2) = V3::try_new() else {
                return Ok(());
            };
            let lower = lower.map(|c| c.map(f32::from));
            let upper = upper.map(|c| c.map(f32::from));
            let [a, b, c, d, e, f] = probe.map(f32::from);
            let probe = Probe { lower: [a, b, c], upper: [d, e, f] };
            let (lower, upper) = (lower.each_ref(), upper.each_ref());
            let met = Portable.meets(lower, upper, &probe);
            prop_assert_eq!(met, avx2.meets(lower, upper, &probe));
            for lane in 0..LANES {
                let meets = (0..3).all(|c| {
                    lower[c][lane] <= probe.upper[c] && probe.lower[c] <= upper[c][lane]
                });
                prop_assert_eq!(met >> lane & 1 == 1, meets);
            }
            let sharing = Portable.sharing(one, points.each_ref());
            prop_assert_eq!(sharing, avx2.sharing(one, points.each_ref()));
            for lane in 0..LANES {
                let shares = points.iter().any(|p| one.contains(&p[lane]));
                prop_assert_eq!(sharing >> lane & 1 == 1, shares);
            }
            let picked = Portable.pick_f32(lower[0], &order);
            prop_assert_eq!(
                picked.map(f32::to_bits),
                avx2.pick_f32(lower[0], &order).map(f32::to_bits)
            );
            let picked = Portable.pick_u32(&points[0], &order);
            prop_assert_eq!(picked, avx2.pick_u32(&points[0], &order));
            prop_assert_eq!(picked, order.map(|place| points[0][place as usize]));
        }
    }
}
