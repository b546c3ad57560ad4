//! A vector or a 3x3 matrix in every lane.

use super::{Lanes, Mask};
use nalgebra::{Matrix3, Vector3};
use pulp::Simd;

/// A vector in every lane.
pub(crate) type Vec3<S> = [Lanes<S>; 3];

/// A matrix in every lane, by columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mat3<S: Simd>(pub(crate) [Vec3<S>; 3]);

#[inline(always)]
pub(crate) fn dot<S: Simd>(a: Vec3<S>, b: Vec3<S>) -> Lanes<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross<S: Simd>(a: Vec3<S>, b: Vec3<S>) -> Vec3<S> {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[inline(always)]
pub(crate) fn plus<S: Simd>(a: Vec3<S>, b: Vec3<S>) -> Vec3<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn minus<S: Simd>(a: Vec3<S>, b: Vec3<S>) -> Vec3<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn scaled<S: Simd>(a: Vec3<S>, by: Lanes<S>) -> Vec3<S> {
    [a[0] * by, a[1] * by, a[2] * by]
}

impl<S: Simd> Mat3<S> {
    /// Each entry from its row and column.
    #[inline(always)]
    pub(crate) fn of(simd: S, entry: impl Fn(usize, usize) -> Lanes<S>) -> Self {
        let mut all = Self([[Lanes::splat(simd, 0.0); 3]; 3]);
        for j in 0..3 {
            for i in 0..3 {
                all.0[j][i] = entry(i, j);
            }
        }
        all
    }

    /// The matrix of each lane by its index.
    #[inline(always)]
    pub(crate) fn gather<'a>(simd: S, of: impl Fn(usize) -> &'a Matrix3<f64>) -> Self {
        Self::of(simd, |i, j| Lanes::gather(simd, |lane| of(lane)[(i, j)]))
    }

    /// The instructions that these lanes use.
    #[inline(always)]
    pub(crate) fn simd(&self) -> S {
        self.0[0][0].simd()
    }

    #[inline(always)]
    pub(crate) fn identity(simd: S) -> Self {
        Self::of(simd, |i, j| Lanes::splat(simd, f64::from(u8::from(i == j))))
    }

    /// The matrix of one lane.
    #[inline(always)]
    pub(crate) fn lane(&self, lane: usize) -> Matrix3<f64> {
        let [a, b, c] = &self.0;
        Matrix3::from_columns(&[lane_of(a, lane), lane_of(b, lane), lane_of(c, lane)])
    }

    /// Replaces the matrix of one lane.
    #[inline(always)]
    pub(crate) fn set_lane(&mut self, lane: usize, with: &Matrix3<f64>) {
        for j in 0..3 {
            for i in 0..3 {
                self.0[j][i].as_mut_slice()[lane] = with[(i, j)];
            }
        }
    }

    /// Each entry by a function of the same entry of two matrices.
    #[inline(always)]
    pub(crate) fn zip(&self, other: &Self, of: impl Fn(Lanes<S>, Lanes<S>) -> Lanes<S>) -> Self {
        let mut all = *self;
        for j in 0..3 {
            for i in 0..3 {
                all.0[j][i] = of(self.0[j][i], other.0[j][i]);
            }
        }
        all
    }

    /// The first matrix where `mask` is true, the second one elsewhere.
    #[inline(always)]
    pub(crate) fn select(mask: Mask<S>, yes: &Self, no: &Self) -> Self {
        yes.zip(no, |yes, no| mask.select(yes, no))
    }

    /// The sum of the products of all entries, in the order of columns.
    #[inline(always)]
    pub(crate) fn dot(&self, other: &Self) -> Lanes<S> {
        let mut sum = self.0[0][0] * other.0[0][0];
        for place in 1..9 {
            sum = sum + self.0[place / 3][place % 3] * other.0[place / 3][place % 3];
        }
        sum
    }

    #[inline(always)]
    pub(crate) fn times_vector(&self, x: Vec3<S>) -> Vec3<S> {
        let [a, b, c] = self.0;
        plus(plus(scaled(a, x[0]), scaled(b, x[1])), scaled(c, x[2]))
    }

    /// The transposed matrix times a vector.
    #[inline(always)]
    pub(crate) fn transposed_times_vector(&self, x: Vec3<S>) -> Vec3<S> {
        let [a, b, c] = self.0;
        [dot(a, x), dot(b, x), dot(c, x)]
    }

    /// The product with another matrix.
    #[inline(always)]
    pub(crate) fn times(&self, other: &Self) -> Self {
        let [a, b, c] = other.0;
        Self([
            self.times_vector(a),
            self.times_vector(b),
            self.times_vector(c),
        ])
    }

    /// The product with the transpose of another matrix.
    #[inline(always)]
    pub(crate) fn times_transposed(&self, other: &Self) -> Self {
        self.times(&other.transposed())
    }

    #[inline(always)]
    pub(crate) fn transposed(&self) -> Self {
        let [a, b, c] = self.0;
        Self([[a[0], b[0], c[0]], [a[1], b[1], c[1]], [a[2], b[2], c[2]]])
    }

    /// Cofactor matrix `cof F = det(F) F⁻ᵀ`.
    #[inline(always)]
    pub(crate) fn cofactor(&self) -> Self {
        let [a, b, c] = self.0;
        Self([cross(b, c), cross(c, a), cross(a, b)])
    }
}

#[inline(always)]
fn lane_of<S: Simd>(x: &Vec3<S>, lane: usize) -> Vector3<f64> {
    Vector3::new(x[0].lane(lane), x[1].lane(lane), x[2].lane(lane))
}
