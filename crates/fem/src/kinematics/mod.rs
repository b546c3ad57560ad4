//! Local deformation of the material: deformation gradient, singular values, rotation.
//!
//! | word | letter | meaning |
//! |---|---|---|
//! | deformation gradient | `F` | maps rest edges to current edges |
//! | principal stretches | `σ` | signed singular values, `σ₁ ≥ σ₂ ≥ |σ₃|`, `σ₃ < 0` iff inverted |
//! | rotation | `R` | the rotation closest to `F`, a proper one even for inverted `F` |

mod polar;
mod svd;

pub use polar::rotation_factor;
pub(crate) use polar::rotations;
pub(crate) use svd::LanesSvd;
pub use svd::{RotationSvd, rotation_svd};

use nalgebra::{Matrix3, Vector3};

/// The three columns as vectors.
#[inline]
pub(crate) fn columns(f: &Matrix3<f64>) -> (Vector3<f64>, Vector3<f64>, Vector3<f64>) {
    (f.column(0).into(), f.column(1).into(), f.column(2).into())
}

/// Determinant by the triple product of the columns.
#[inline]
pub(crate) fn determinant(f: &Matrix3<f64>) -> f64 {
    let (a, b, c) = columns(f);
    a.dot(&b.cross(&c))
}
