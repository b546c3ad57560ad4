//! A number in every lane.

use pulp::{Simd, bytemuck};
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::slice;

/// A number in every lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes<S: Simd> {
    simd: S,
    numbers: S::f64s,
}

/// A truth value in every lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask<S: Simd> {
    simd: S,
    bits: S::m64s,
}

impl<S: Simd> Lanes<S> {
    /// The same number in every lane.
    #[inline(always)]
    pub(crate) fn splat(simd: S, number: f64) -> Self {
        let numbers = simd.splat_f64s(number);
        Self { simd, numbers }
    }

    /// The number of each lane by its index.
    #[inline(always)]
    pub(crate) fn gather(simd: S, of: impl Fn(usize) -> f64) -> Self {
        let mut all = Self::splat(simd, 0.0);
        for (lane, number) in all.as_mut_slice().iter_mut().enumerate() {
            *number = of(lane);
        }
        all
    }

    /// The instructions that these lanes use.
    #[inline(always)]
    pub(crate) fn simd(self) -> S {
        self.simd
    }

    /// The number of one lane.
    #[inline(always)]
    pub(crate) fn lane(&self, lane: usize) -> f64 {
        self.as_slice()[lane]
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[f64] {
        bytemuck::cast_slice(slice::from_ref(&self.numbers))
    }

    #[inline(always)]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [f64] {
        bytemuck::cast_slice_mut(slice::from_mut(&mut self.numbers))
    }

    /// The natural logarithm.
    #[inline(always)]
    pub(crate) fn ln(self) -> Self {
        Self::gather(self.simd, |lane| self.lane(lane).ln())
    }

    #[inline(always)]
    pub(crate) fn sqrt(self) -> Self {
        self.with(self.simd.sqrt_f64s(self.numbers))
    }

    #[inline(always)]
    pub(crate) fn abs(self) -> Self {
        self.max(-self)
    }

    /// Where the number is less than another one; nowhere with a NaN.
    #[inline(always)]
    pub(crate) fn less(self, than: Self) -> Mask<S> {
        Mask {
            simd: self.simd,
            bits: self.simd.less_than_f64s(self.numbers, than.numbers),
        }
    }

    /// The greater of two numbers; the first one if either is NaN.
    #[inline(always)]
    pub(crate) fn max(self, other: Self) -> Self {
        self.less(other).select(other, self)
    }

    /// The lesser of two numbers; the first one if either is NaN.
    #[inline(always)]
    pub(crate) fn min(self, other: Self) -> Self {
        other.less(self).select(other, self)
    }

    #[inline(always)]
    fn with(self, numbers: S::f64s) -> Self {
        Self {
            simd: self.simd,
            numbers,
        }
    }
}

impl<S: Simd> Mask<S> {
    /// The first number where true, the second one elsewhere.
    #[inline(always)]
    pub(crate) fn select(self, yes: Lanes<S>, no: Lanes<S>) -> Lanes<S> {
        // As bits: `select_f64s` is not always inlined.
        let [yes_bits, no_bits] = [bytemuck::cast(yes.numbers), bytemuck::cast(no.numbers)];
        yes.with(bytemuck::cast(
            self.simd.select_u64s(self.bits, yes_bits, no_bits),
        ))
    }

    #[inline(always)]
    pub(crate) fn and(self, other: Self) -> Self {
        let bits = self.simd.and_m64s(self.bits, other.bits);
        Self { bits, ..self }
    }

    #[inline(always)]
    pub(crate) fn or(self, other: Self) -> Self {
        let bits = self.simd.or_m64s(self.bits, other.bits);
        Self { bits, ..self }
    }

    #[inline(always)]
    pub(crate) fn not(self) -> Self {
        let zero = Lanes::splat(self.simd, 0.0);
        zero.less(self.select(zero, Lanes::splat(self.simd, 1.0)))
    }

    /// Whether one lane is true.
    #[inline(always)]
    pub(crate) fn lane(self, lane: usize) -> bool {
        let [yes, no] = [Lanes::splat(self.simd, 1.0), Lanes::splat(self.simd, 0.0)];
        self.select(yes, no).lane(lane) > 0.5
    }

    /// Whether any lane is true.
    #[inline(always)]
    pub(crate) fn any(self) -> bool {
        self.simd.first_true_m64s(self.bits) < S::F64_LANES
    }

    /// Whether every lane is true.
    #[inline(always)]
    pub(crate) fn all(self) -> bool {
        !self.not().any()
    }
}

impl<S: Simd> Add for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(self.simd.add_f64s(self.numbers, other.numbers))
    }
}

impl<S: Simd> Sub for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(self.simd.sub_f64s(self.numbers, other.numbers))
    }
}

impl<S: Simd> Mul for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(self.simd.mul_f64s(self.numbers, other.numbers))
    }
}

impl<S: Simd> Div for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.with(self.simd.div_f64s(self.numbers, other.numbers))
    }
}

impl<S: Simd> Neg for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self::splat(self.simd, 0.0) - self
    }
}

impl<S: Simd> Add<f64> for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, number: f64) -> Self {
        self + Self::splat(self.simd, number)
    }
}

impl<S: Simd> Sub<f64> for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, number: f64) -> Self {
        self - Self::splat(self.simd, number)
    }
}

impl<S: Simd> Mul<f64> for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, number: f64) -> Self {
        self * Self::splat(self.simd, number)
    }
}
