//! Singular value decomposition of a 3x3 matrix with both factors in SO(3).

use nalgebra::{Matrix3, Vector3};

/// Columns count as orthogonal if their cosine is below this: the rounding of a dot product of three terms.
const COSINE_TOLERANCE: f64 = 1e-15;
/// One-sided Jacobi needs 3 to 6 sweeps in 3D; the bound only guards against non-finite input.
const MAX_SWEEPS: usize = 20;
/// Range of the largest entry without rescaling: no square overflows or vanishes.
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
    let magnitude = f.amax();
    if SAFE_MAGNITUDE.contains(&magnitude) && f.iter().all(|entry| entry.is_finite()) {
        return jacobi(f);
    }
    if f.iter().any(|entry| !entry.is_finite()) {
        return trivial(f64::NAN);
    }
    if magnitude < f64::MIN_POSITIVE {
        return trivial(0.0);
    }
    let mut svd = jacobi(&(f / magnitude));
    svd.sigma *= magnitude;
    svd
}

fn trivial(stretch: f64) -> RotationSvd {
    RotationSvd {
        u: Matrix3::identity(),
        sigma: Vector3::repeat(stretch),
        v: Matrix3::identity(),
    }
}

fn jacobi(f: &Matrix3<f64>) -> RotationSvd {
    // B = F V with orthogonal columns once the sweeps are done.
    let mut b = [
        Vector3::from(f.column(0)),
        f.column(1).into(),
        f.column(2).into(),
    ];
    let mut v = [Vector3::x(), Vector3::y(), Vector3::z()];
    for _ in 0..MAX_SWEEPS {
        let mut settled = true;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            settled &= !orthogonalise(&mut b, &mut v, p, q);
        }
        if settled {
            break;
        }
    }
    sort_descending(&mut b, &mut v);
    let (u, sigma) = left_factor(&b);
    RotationSvd {
        u,
        sigma,
        v: Matrix3::from_columns(&v),
    }
}

/// Rotates columns `p`, `q` in their plane until they are orthogonal; returns whether they were not.
#[inline]
fn orthogonalise(b: &mut [Vector3<f64>; 3], v: &mut [Vector3<f64>; 3], p: usize, q: usize) -> bool {
    let (alpha, beta, gamma) = (b[p].norm_squared(), b[q].norm_squared(), b[p].dot(&b[q]));
    if gamma * gamma <= COSINE_TOLERANCE * COSINE_TOLERANCE * alpha * beta {
        return false;
    }
    // The smaller of the two possible angles, for which the sweeps converge.
    let zeta = (beta - alpha) / (2.0 * gamma);
    let tangent = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = cosine * tangent;
    for columns in [b, v] {
        let (x, y) = (columns[p], columns[q]);
        columns[p] = x * cosine - y * sine;
        columns[q] = x * sine + y * cosine;
    }
    true
}

/// Orders the columns of `B` by length; each exchange is a quarter turn, so `V` stays a rotation.
fn sort_descending(b: &mut [Vector3<f64>; 3], v: &mut [Vector3<f64>; 3]) {
    for (p, q) in [(0, 1), (0, 2), (1, 2)] {
        if b[p].norm_squared() < b[q].norm_squared() {
            for columns in [&mut *b, &mut *v] {
                (columns[p], columns[q]) = (columns[q], -columns[p]);
            }
        }
    }
}

/// Left rotation and signed stretches from orthogonal columns in descending order.
fn left_factor(b: &[Vector3<f64>; 3]) -> (Matrix3<f64>, Vector3<f64>) {
    let s1 = b[0].norm();
    let u1 = b[0] / s1;
    let across = b[1] - u1 * u1.dot(&b[1]);
    let length = across.norm();
    // If the second column vanishes, any perpendicular direction is a second left vector.
    let u2 = if length > f64::MIN_POSITIVE && length > 0.5 * b[1].norm() {
        (across / length - u1 * (u1.dot(&across) / length)).normalize()
    } else {
        perpendicular(&u1)
    };
    let u3 = u1.cross(&u2);
    // Rounding may swap equal values; this restores the order.
    let s2 = u2.dot(&b[1]).clamp(0.0, s1);
    let s3 = u3.dot(&b[2]).clamp(-s2, s2);
    (
        Matrix3::from_columns(&[u1, u2, u3]),
        Vector3::new(s1, s2, s3),
    )
}

/// A unit vector perpendicular to the unit vector `n`.
fn perpendicular(n: &Vector3<f64>) -> Vector3<f64> {
    let axis = match n.iamin() {
        0 => Vector3::x(),
        1 => Vector3::y(),
        _ => Vector3::z(),
    };
    n.cross(&axis).normalize()
}
