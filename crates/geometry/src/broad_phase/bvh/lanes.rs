//! Operations on eight numbers at once, on any processor, and the box that eight others are compared with.

use wide::{f32x8, u32x8};

/// Boxes that are compared at once.
pub(super) const LANES: usize = 8;

/// A box that others are compared with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    pub(super) lower: [f32; 3],
    pub(super) upper: [f32; 3],
}

impl Probe {
    /// Whether another box overlaps this one even if each face of this one is moved inwards by `margin`.
    #[inline(always)]
    pub(super) fn deeply_meets(&self, other: &Self, margin: f32) -> bool {
        let along = |c: usize| {
            let below = other.lower[c] <= self.upper[c] - margin;
            let above = other.upper[c] >= self.lower[c] + margin;
            below & above
        };
        along(0) & along(1) & along(2)
    }
}

/// Operations that the search needs from the processor. All implementations give the same answers.
pub(super) trait Lanes: Copy {
    /// One bit for each of eight boxes that shares a point with the probe.
    fn meets(self, lower: [&[f32; LANES]; 3], upper: [&[f32; LANES]; 3], probe: &Probe) -> u32;

    /// Depth to which each of eight boxes reaches into the probe, on the side where it is least; negative if they are
    /// apart.
    ///
    /// If upper corners are never minus zero, no depth is.
    fn depths(
        self,
        lower: [&[f32; LANES]; 3],
        upper: [&[f32; LANES]; 3],
        probe: &Probe,
    ) -> [f32; LANES];

    /// One bit for each of eight numbers that has its sign bit set.
    fn negative(self, numbers: &[f32; LANES]) -> u32;

    /// The lesser of each two numbers, compared as unsigned bits: a number with its sign bit set counts as large.
    fn lesser_bits(self, bits: &[u32; LANES], numbers: &[f32; LANES]) -> [u32; LANES];

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

    /// One bit for each of eight numbers that is less than another one.
    fn less(self, numbers: &[u32; LANES], than: u32) -> u32;

    /// The greater of each two numbers; the second one if either is NaN.
    fn greater(self, a: &[f32; LANES], b: &[f32; LANES]) -> [f32; LANES];

    /// Columns of eight rows.
    fn columns(self, rows: &[[f32; LANES]; LANES]) -> [[f32; LANES]; LANES];
}

/// Work that is compiled for several processors; every function it calls must be inlined into it.
pub(super) trait OnLanes {
    type Output;

    fn run(self, lanes: impl Lanes) -> Self::Output;
}

/// Runs work with the widest instructions that the processor has.
pub(super) fn on_widest<W: OnLanes>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = pulp::x86::V3::try_new() {
        return avx2.vectorize(
            #[inline(always)]
            || work.run(avx2),
        );
    }
    work.run(Portable)
}

/// Operations for every processor.
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
    fn depths(
        self,
        lower: [&[f32; LANES]; 3],
        upper: [&[f32; LANES]; 3],
        probe: &Probe,
    ) -> [f32; LANES] {
        let mut least = f32x8::splat(f32::INFINITY);
        for c in 0..3 {
            let below = f32x8::splat(probe.upper[c]) - f32x8::new(*lower[c]);
            let above = f32x8::new(*upper[c]) - f32x8::splat(probe.lower[c]);
            least = least.fast_min(below.fast_min(above));
        }
        least.to_array()
    }

    #[inline(always)]
    fn negative(self, numbers: &[f32; LANES]) -> u32 {
        f32x8::new(*numbers).to_bitmask()
    }

    #[inline(always)]
    fn lesser_bits(self, bits: &[u32; LANES], numbers: &[f32; LANES]) -> [u32; LANES] {
        let mut lesser = *bits;
        for lane in 0..LANES {
            lesser[lane] = lesser[lane].min(numbers[lane].to_bits());
        }
        lesser
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

    #[inline(always)]
    fn less(self, numbers: &[u32; LANES], than: u32) -> u32 {
        u32x8::splat(than)
            .simd_gt(u32x8::new(*numbers))
            .to_bitmask()
    }

    #[inline(always)]
    fn greater(self, a: &[f32; LANES], b: &[f32; LANES]) -> [f32; LANES] {
        f32x8::new(*a).fast_max(f32x8::new(*b)).to_array()
    }

    #[inline(always)]
    fn columns(self, rows: &[[f32; LANES]; LANES]) -> [[f32; LANES]; LANES] {
        f32x8::transpose(rows.map(f32x8::new)).map(f32x8::to_array)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{__m256, __m256i, _CMP_GE_OQ, _CMP_LE_OQ};

    use pulp::cast;
    use pulp::x86::V3;

    use crate::broad_phase::bvh::lanes::{LANES, Lanes, Probe};

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
        fn depths(
            self,
            lower: [&[f32; LANES]; 3],
            upper: [&[f32; LANES]; 3],
            probe: &Probe,
        ) -> [f32; LANES] {
            let avx = self.avx;
            let mut least = avx._mm256_set1_ps(f32::INFINITY);
            for c in 0..3 {
                let below = avx._mm256_sub_ps(avx._mm256_set1_ps(probe.upper[c]), cast(*lower[c]));
                let above = avx._mm256_sub_ps(cast(*upper[c]), avx._mm256_set1_ps(probe.lower[c]));
                least = avx._mm256_min_ps(least, avx._mm256_min_ps(below, above));
            }
            cast(least)
        }

        #[inline(always)]
        fn negative(self, numbers: &[f32; LANES]) -> u32 {
            self.avx._mm256_movemask_ps(cast(*numbers)).cast_unsigned()
        }

        #[inline(always)]
        fn lesser_bits(self, bits: &[u32; LANES], numbers: &[f32; LANES]) -> [u32; LANES] {
            cast(self.avx2._mm256_min_epu32(cast(*bits), cast(*numbers)))
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

        #[inline(always)]
        fn less(self, numbers: &[u32; LANES], than: u32) -> u32 {
            let (avx, avx2) = (self.avx, self.avx2);
            // The comparison is signed: flipping the sign bit of both sides makes it unsigned.
            let sign = avx._mm256_set1_epi32(i32::MIN);
            let than = avx._mm256_set1_epi32(than.cast_signed() ^ i32::MIN);
            let numbers = avx2._mm256_xor_si256(cast(*numbers), sign);
            let less = avx2._mm256_cmpgt_epi32(than, numbers);
            avx._mm256_movemask_ps(cast(less)).cast_unsigned()
        }

        #[inline(always)]
        fn greater(self, a: &[f32; LANES], b: &[f32; LANES]) -> [f32; LANES] {
            cast(self.avx._mm256_max_ps(cast(*a), cast(*b)))
        }

        #[inline(always)]
        fn columns(self, rows: &[[f32; LANES]; LANES]) -> [[f32; LANES]; LANES] {
            // Without closures: one that is not inlined would not be compiled for this processor.
            let avx = self.avx;
            let [a, b, c, d, e, f, g, h] = *rows;
            let [a, b, c, d]: [__m256; 4] = [cast(a), cast(b), cast(c), cast(d)];
            let [e, f, g, h]: [__m256; 4] = [cast(e), cast(f), cast(g), cast(h)];
            // Columns 0 1 4 5 and 2 3 6 7 of two rows.
            let (ab, ab2) = (avx._mm256_unpacklo_ps(a, b), avx._mm256_unpackhi_ps(a, b));
            let (cd, cd2) = (avx._mm256_unpacklo_ps(c, d), avx._mm256_unpackhi_ps(c, d));
            let (ef, ef2) = (avx._mm256_unpacklo_ps(e, f), avx._mm256_unpackhi_ps(e, f));
            let (gh, gh2) = (avx._mm256_unpacklo_ps(g, h), avx._mm256_unpackhi_ps(g, h));
            // Columns 0 4, 1 5, 2 6 and 3 7 of four.
            let above = avx._mm256_shuffle_ps::<0b01_00_01_00>(ab, cd);
            let above1 = avx._mm256_shuffle_ps::<0b11_10_11_10>(ab, cd);
            let above2 = avx._mm256_shuffle_ps::<0b01_00_01_00>(ab2, cd2);
            let above3 = avx._mm256_shuffle_ps::<0b11_10_11_10>(ab2, cd2);
            let below = avx._mm256_shuffle_ps::<0b01_00_01_00>(ef, gh);
            let below1 = avx._mm256_shuffle_ps::<0b11_10_11_10>(ef, gh);
            let below2 = avx._mm256_shuffle_ps::<0b01_00_01_00>(ef2, gh2);
            let below3 = avx._mm256_shuffle_ps::<0b11_10_11_10>(ef2, gh2);
            [
                cast(avx._mm256_permute2f128_ps::<0x20>(above, below)),
                cast(avx._mm256_permute2f128_ps::<0x20>(above1, below1)),
                cast(avx._mm256_permute2f128_ps::<0x20>(above2, below2)),
                cast(avx._mm256_permute2f128_ps::<0x20>(above3, below3)),
                cast(avx._mm256_permute2f128_ps::<0x31>(above, below)),
                cast(avx._mm256_permute2f128_ps::<0x31>(above1, below1)),
                cast(avx._mm256_permute2f128_ps::<0x31>(above2, below2)),
                cast(avx._mm256_permute2f128_ps::<0x31>(above3, below3)),
            ]
        }
    }
}

#[cfg(test)]
#[cfg(target_arch = "x86_64")]
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
            let depths = Portable.depths(lower, upper, &probe);
            prop_assert_eq!(
                depths.map(f32::to_bits),
                avx2.depths(lower, upper, &probe).map(f32::to_bits)
            );
            prop_assert_eq!(met ^ 0xff, Portable.negative(&depths));
            prop_assert_eq!(met ^ 0xff, avx2.negative(&depths));
            let lesser = Portable.lesser_bits(&points[0], &depths);
            prop_assert_eq!(lesser, avx2.lesser_bits(&points[0], &depths));
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
            for than in [0, one[0], u32::MAX - one[1]] {
                let mut numbers = points[0];
                numbers[7] = u32::MAX - points[1][7];
                let less = Portable.less(&numbers, than);
                prop_assert_eq!(less, avx2.less(&numbers, than));
                for lane in 0..LANES {
                    prop_assert_eq!(less >> lane & 1 == 1, numbers[lane] < than);
                }
            }
            let greater = Portable.greater(lower[0], upper[0]);
            let bits = greater.map(f32::to_bits);
            prop_assert_eq!(bits, avx2.greater(lower[0], upper[0]).map(f32::to_bits));
            prop_assert_eq!(
                bits,
                std::array::from_fn(|k| lower[0][k].max(upper[0][k]).to_bits())
            );
            let rows = std::array::from_fn(|r| {
                std::array::from_fn(|c| if r < 3 { lower[r][c] } else { upper[r % 3][c] + r as f32 })
            });
            let columns = Portable.columns(&rows).map(|c| c.map(f32::to_bits));
            prop_assert_eq!(columns, avx2.columns(&rows).map(|c| c.map(f32::to_bits)));
            prop_assert_eq!(columns, std::array::from_fn(|c| rows.map(|row| row[c].to_bits())));
        }
    }
}
