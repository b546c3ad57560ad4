//! Polar decomposition: the rotation inside a deformation gradient.

use super::rotation_svd;
use crate::lanes::{Lanes, Mat3, dot};
use nalgebra::Matrix3;
use pulp::{Scalar, Simd};

/// Ratio of `det F` to `(‖F‖²/3)^{3/2}` below which the singular value decomposition is used. The ratio is 1 for a
/// rotation and 0.018 for `σ = (1, 1, 0.01)`; the Newton iteration amplifies rounding like `1/σ₃`.
const FLATNESS: f64 = 0.01;
/// Deviation of `‖X‖²` from 3 at which one more quadratically convergent step reaches rounding.
const LAST_STEP: f64 = 1e-8;
/// Ratio of `‖X⁻¹‖²` to `‖X‖²` outside of which scaling saves more steps than its two roots cost.
const SCALING_BAND: std::ops::Range<f64> = 0.25..4.0;
/// Scaled Newton needs at most 9 steps (Higham); more steps mean non-finite input.
const MAX_STEPS: usize = 12;

/// The rotation `R` of the polar decomposition `F = R S`: `U Vᵀ` of [`rotation_svd`].
///
/// Always a proper rotation (`det R = 1`), also for flat or inverted `F`. If `σ₂ + σ₃ = 0` it is not unique, and one of
/// the nearest rotations is returned. With a NaN in `F` the result is unspecified.
///
/// # Cost
/// Four to six Newton steps in the usual case `det F > 0`; one SVD otherwise. No allocation.
///
/// # Source
/// Higham 1986, "Computing the polar decomposition - with applications", <https://doi.org/10.1137/0907079>, with
/// Frobenius-norm scaling; differs in: the inverse is the cofactor matrix over the determinant, and flat or inverted
/// matrices use the SVD.
pub fn rotation_factor(f: &Matrix3<f64>) -> Matrix3<f64> {
    rotations(&Mat3::gather(Scalar, |_| f)).lane(0)
}

/// [`rotation_factor`] of the matrix in every lane.
#[inline(always)]
pub(crate) fn rotations<S: Simd>(f: &Mat3<S>) -> Mat3<S> {
    let simd = f.0[0][0].simd();
    let cofactor = f.cofactor();
    let (size, det) = (f.dot(f), dot(f.0[0], cofactor.0[0]));
    let mean = size * (1.0 / 3.0);
    let zero = Lanes::splat(simd, 0.0);
    let solid = zero
        .less(det)
        .and((mean * mean * mean * (FLATNESS * FLATNESS)).less(det * det));
    if solid.all() {
        return newton(f);
    }
    let mut rotations = newton(&Mat3::select(solid, f, &Mat3::identity(simd)));
    for lane in 0..S::F64_LANES {
        if !solid.lane(lane) {
            let svd = rotation_svd(&f.lane(lane));
            rotations.set_lane(lane, &svd.rotation());
        }
    }
    rotations
}

/// Newton's iteration `X ← ½ (γ X + X⁻ᵀ/γ)` for matrices that are neither flat nor inverted.
#[inline(always)]
fn newton<S: Simd>(f: &Mat3<S>) -> Mat3<S> {
    // After the first step every singular value is at least 1, so ‖X‖² - 3 measures the distance to a rotation.
    let mut x = step(f, f.dot(f));
    let last = Lanes::splat(f.0[0][0].simd(), 3.0 + LAST_STEP);
    let mut done = last.less(last);
    for _ in 1..MAX_STEPS {
        let size = x.dot(&x);
        x = Mat3::select(done, &x, &step(&x, size));
        done = done.or(size.less(last));
        if done.all() {
            break;
        }
    }
    x
}

#[inline(always)]
fn step<S: Simd>(x: &Mat3<S>, size: Lanes<S>) -> Mat3<S> {
    let one = Lanes::splat(size.simd(), 1.0);
    let cof = x.cofactor();
    let inverse_det = one / dot(x.0[0], cof.0[0]);
    let ratio = cof.dot(&cof) * inverse_det * inverse_det / size;
    let outside =
        (ratio.less(one * SCALING_BAND.start)).or(ratio.less(one * SCALING_BAND.end).not());
    let (mut of_x, mut of_cof) = (one * 0.5, inverse_det * 0.5);
    if outside.any() {
        let gamma = outside.select(ratio.sqrt().sqrt(), one);
        of_x = of_x * gamma;
        of_cof = of_cof / gamma;
    }
    x.zip(&cof, |x, cof| x * of_x + cof * of_cof)
}
