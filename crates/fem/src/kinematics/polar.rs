//! Polar decomposition: the rotation inside a deformation gradient.

use super::{cofactor, determinant, rotation_svd};
use nalgebra::Matrix3;

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
#[inline]
pub fn rotation_factor(f: &Matrix3<f64>) -> Matrix3<f64> {
    newton(f).unwrap_or_else(|| rotation_svd(f).rotation())
}

/// Newton's iteration `X ← ½ (γ X + X⁻ᵀ/γ)`; `None` if `F` is too flat, inverted or not finite.
#[inline]
fn newton(f: &Matrix3<f64>) -> Option<Matrix3<f64>> {
    let mut size = f.norm_squared();
    let det = determinant(f);
    let mean = size * (1.0 / 3.0);
    if !(det > 0.0 && det * det > FLATNESS * FLATNESS * mean * mean * mean) {
        return None;
    }
    // After the first step every singular value is at least 1, so ‖X‖² - 3 measures the distance to a rotation.
    let mut x = step(f, size);
    for _ in 1..MAX_STEPS {
        size = x.norm_squared();
        x = step(&x, size);
        if size - 3.0 < LAST_STEP {
            return Some(x);
        }
    }
    None
}

#[inline]
fn step(x: &Matrix3<f64>, size: f64) -> Matrix3<f64> {
    let cof = cofactor(x);
    let inverse_det = 1.0 / x.column(0).dot(&cof.column(0));
    let ratio = cof.norm_squared() * inverse_det * inverse_det / size;
    if SCALING_BAND.contains(&ratio) {
        x * 0.5 + cof * (0.5 * inverse_det)
    } else {
        let gamma = ratio.sqrt().sqrt();
        x * (0.5 * gamma) + cof * (0.5 * inverse_det / gamma)
    }
}
