//! Singular value decomposition of a 3x3 matrix with both factors in SO(3).

use crate::lanes::{Lanes, Mat3, Vec3, cross, dot, minus, scaled};
use nalgebra::{Matrix3, Vector3};
use pulp::{Scalar, Simd};

/// Columns count as orthogonal if their cosine is below this: the rounding of a dot product of three terms.
const COSINE_TOLERANCE: f64 = 1e-15;
/// One-sided Jacobi needs 3 to 6 sweeps in 3D; the bound only guards against non-finite input.
const MAX_SWEEPS: usize = 20;
/// Range of the sum of the entries' sizes without rescaling: no fourth power overflows or vanishes.
const SAFE_MAGNITUDE: std::ops::Range<f64> = 1e-70..1e70;

/// `F = U diag(σ) Vᵀ` with rotations `U`, `V` and `σ₁ ≥ σ₂ ≥ |σ₃|`.
///
/// The sign of `det F` is carried by `σ₃` alone, so `U Vᵀ` is a proper rotation also for inverted `F`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RotationSvd {
    /// Left rotation `U`.
    pub u: Matrix3<f64>,
    /// Signed principal stretches, `σ₁ ≥ σ₂ ≥ |σ₃|`.
    pub sigma: Vector3<f64>,
    /// Right rotation `V`.
    pub v: Matrix3<f64>,
}

impl RotationSvd {
    /// The rotation `R = U Vᵀ` closest to `F`.
    pub fn rotation(&self) -> Matrix3<f64> {
        self.u * self.v.transpose()
    }

    /// Product of the factors with other stretches: `U diag(values) Vᵀ` (`values = σ` gives `F`).
    pub fn compose(&self, values: &Vector3<f64>) -> Matrix3<f64> {
        self.u * Matrix3::from_diagonal(values) * self.v.transpose()
    }
}

/// Rotation-variant singular value decomposition of any 3x3 matrix, singular and inverted ones included.
///
/// For zero input both rotations are the identity; with a NaN or an infinity in the input, `σ` is NaN.
///
/// # Cost
/// About ten plane rotations; no allocation.
///
/// # Source
/// Hestenes 1958 (one-sided Jacobi), sign convention of Irving, Teran & Fedkiw 2004,
/// <https://doi.org/10.1145/1028523.1028541>; differs in: the third left vector is `u₁ × u₂` and `σ₃` is measured along
/// it, so no case distinction is needed for rank-deficient or inverted matrices.
pub fn rotation_svd(f: &Matrix3<f64>) -> RotationSvd {
    LanesSvd::of(&Mat3::gather(Scalar, |_| f)).lane(0)
}

/// [`RotationSvd`] of the matrix in every lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LanesSvd<S: Simd> {
    pub(crate) u: Mat3<S>,
    pub(crate) sigma: Vec3<S>,
    pub(crate) v: Mat3<S>,
}

impl<S: Simd> LanesSvd<S> {
    /// [`rotation_svd`] of the matrix in every lane.
    #[inline(always)]
    pub(crate) fn of(f: &Mat3<S>) -> Self {
        let simd = f.simd();
        let [a, b, c] = f.0;
        let mut size = Lanes::splat(simd, 0.0);
        for column in [a, b, c] {
            for entry in column {
                size = size + entry.abs();
            }
        }
        let low = Lanes::splat(simd, SAFE_MAGNITUDE.start);
        let high = Lanes::splat(simd, SAFE_MAGNITUDE.end);
        if low.less(size).and(size.less(high)).all() {
            jacobi(f)
        } else {
            rescaled(f)
        }
    }

    /// The decomposition of one lane.
    #[inline(always)]
    pub(crate) fn lane(&self, lane: usize) -> RotationSvd {
        let [x, y, z] = self.sigma;
        RotationSvd {
            u: self.u.lane(lane),
            sigma: Vector3::new(x.lane(lane), y.lane(lane), z.lane(lane)),
            v: self.v.lane(lane),
        }
    }
}

/// The decomposition with any magnitudes, NaN and infinities.
#[cold]
#[inline(never)]
fn rescaled<S: Simd>(f: &Mat3<S>) -> LanesSvd<S> {
    let simd = f.simd();
    // The factor of the stretches: NaN or 0 where the matrix has no decomposition.
    let magnitude = Lanes::gather(simd, |lane| {
        let f = f.lane(lane);
        let (size, largest) = (f.iter().map(|entry| entry.abs()).sum::<f64>(), f.amax());
        if f.iter().any(|entry| !entry.is_finite()) {
            f64::NAN
        } else if SAFE_MAGNITUDE.contains(&size) {
            1.0
        } else if largest < f64::MIN_POSITIVE {
            0.0
        } else {
            largest
        }
    });
    let zero = Lanes::splat(simd, 0.0);
    let mut g = Mat3::identity(simd);
    let sound = zero.less(magnitude);
    for j in 0..3 {
        for i in 0..3 {
            g.0[j][i] = sound.select(f.0[j][i] / magnitude, g.0[j][i]);
        }
    }
    let mut svd = jacobi(&g);
    svd.sigma = scaled(svd.sigma, magnitude);
    svd
}

#[inline(always)]
fn jacobi<S: Simd>(f: &Mat3<S>) -> LanesSvd<S> {
    let simd = f.simd();
    // B = F V with orthogonal columns once the sweeps are done. Without a negative zero, a rotation by no angle keeps
    // every bit.
    let mut b = *f;
    for column in &mut b.0 {
        for entry in column {
            *entry = *entry + 0.0;
        }
    }
    let mut v = Mat3::identity(simd);
    // The pairs are written out, since columns by an index would be in memory.
    let ([b0, b1, b2], [v0, v1, v2]) = (&mut b.0, &mut v.0);
    for _ in 0..MAX_SWEEPS {
        let mut turned = orthogonalise([b0, b1], [v0, v1]);
        turned |= orthogonalise([b0, b2], [v0, v2]);
        turned |= orthogonalise([b1, b2], [v1, v2]);
        if !turned {
            break;
        }
    }
    order([b0, b1], [v0, v1]);
    order([b0, b2], [v0, v2]);
    order([b1, b2], [v1, v2]);
    let (u, sigma) = left_factor(&b);
    LanesSvd { u, sigma, v }
}

/// Rotates two columns in their plane where they are not orthogonal, and those of `V` alike; returns whether that is
/// anywhere.
#[inline(always)]
fn orthogonalise<S: Simd>([x, y]: [&mut Vec3<S>; 2], of_v: [&mut Vec3<S>; 2]) -> bool {
    let (alpha, beta, gamma) = (dot(*x, *x), dot(*y, *y), dot(*x, *y));
    let turns = (alpha * beta * (COSINE_TOLERANCE * COSINE_TOLERANCE)).less(gamma * gamma);
    if !turns.any() {
        return false;
    }
    // The smaller of the two possible angles, for which the sweeps converge: its tangent is `rise / run`.
    let difference = beta - alpha;
    let twice = gamma + gamma;
    let run = difference.abs() + (difference * difference + twice * twice).sqrt();
    let zero = Lanes::splat(run.simd(), 0.0);
    let rise = difference.less(zero).select(-twice, twice);
    let length = (run * run + rise * rise).sqrt();
    let cosine = turns.select(run / length, zero + 1.0);
    let sine = turns.select(rise / length, zero);
    for [x, y] in [[x, y], of_v] {
        for (x, y) in x.iter_mut().zip(y) {
            (*x, *y) = (*x * cosine - *y * sine, *x * sine + *y * cosine);
        }
    }
    true
}

/// Orders two columns by length, the longer one first; an exchange is a quarter turn, so `V` stays a rotation.
#[inline(always)]
fn order<S: Simd>([x, y]: [&mut Vec3<S>; 2], of_v: [&mut Vec3<S>; 2]) {
    let exchanges = dot(*x, *x).less(dot(*y, *y));
    for [x, y] in [[x, y], of_v] {
        for (x, y) in x.iter_mut().zip(y) {
            (*x, *y) = (exchanges.select(*y, *x), exchanges.select(-*x, *y));
        }
    }
}

/// Left rotation and signed stretches from orthogonal columns in descending order.
#[inline(always)]
fn left_factor<S: Simd>(b: &Mat3<S>) -> (Mat3<S>, Vec3<S>) {
    let [b1, b2, b3] = b.0;
    let s1 = dot(b1, b1).sqrt();
    let zero = Lanes::splat(s1.simd(), 0.0);
    let u1 = scaled(b1, (zero + 1.0) / s1);
    let across = minus(b2, scaled(u1, dot(u1, b2)));
    let length = dot(across, across).sqrt();
    // If the second column vanishes, any perpendicular direction is a second left vector.
    let own = (zero + f64::MIN_POSITIVE)
        .less(length)
        .and((dot(b2, b2).sqrt() * 0.5).less(length));
    let mut u2 = scaled(across, (zero + 1.0) / length);
    if !own.all() {
        let other = perpendicular(u1);
        for i in 0..3 {
            u2[i] = own.select(u2[i], other[i]);
        }
    }
    let u3 = cross(u1, u2);
    // Rounding may swap equal values; this restores the order.
    let s2 = dot(u2, b2).max(zero).min(s1);
    let s3 = dot(u3, b3).max(-s2).min(s2);
    (Mat3([u1, u2, u3]), [s1, s2, s3])
}

/// A unit vector perpendicular to the unit vector `n`: across the axis of its smallest component.
#[inline(always)]
fn perpendicular<S: Simd>(n: Vec3<S>) -> Vec3<S> {
    let simd = n[0].simd();
    let [x, y, z] = [n[0].abs(), n[1].abs(), n[2].abs()];
    let first = y.less(x).or(z.less(x)).not();
    let second = z.less(y).not().and(first.not());
    let (one, zero) = (Lanes::splat(simd, 1.0), Lanes::splat(simd, 0.0));
    let third = first.or(second).not();
    let axis = [
        first.select(one, zero),
        second.select(one, zero),
        third.select(one, zero),
    ];
    let across = cross(n, axis);
    let length = dot(across, across).sqrt();
    [across[0] / length, across[1] / length, across[2] / length]
}
