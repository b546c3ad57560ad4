//! Compliances `D⁻¹` of linear materials, in the order and with the engineering shear of the strains.

use super::super::error::ConstraintError;
use impinge_krylov::direct::symmetric_eigen;
use nalgebra::{DMatrix, Matrix3, Matrix6};

/// `D⁻¹` of an isotropic surface in plane stress (1/Pa).
///
/// # Errors
/// [`ConstraintError::Material`] for a Young modulus that is not positive or `ν` outside `(−1, 1)`.
pub fn surface(young: f64, poisson: f64) -> Result<DMatrix<f64>, ConstraintError> {
    let shear = young / (2.0 * (1.0 + poisson));
    if poisson <= -1.0 {
        return Err(not_definite("Poisson ratio", poisson));
    }
    orthotropic_surface([young, young], poisson, shear)
}

/// `D⁻¹` of an orthotropic surface: Young moduli `E_x`, `E_y`, Poisson ratio `ν_xy` (strain along y under tension along
/// x), shear modulus (1/Pa).
///
/// # Errors
/// [`ConstraintError::Material`] for moduli that are not positive or `ν_xy² E_y/E_x ≥ 1`.
pub fn orthotropic_surface(
    young: [f64; 2],
    poisson: f64,
    shear: f64,
) -> Result<DMatrix<f64>, ConstraintError> {
    let [x, y] = young;
    for (name, value) in [
        ("Young modulus", x),
        ("Young modulus", y),
        ("shear modulus", shear),
    ] {
        positive(name, value)?;
    }
    let matrix = Matrix3::new(
        1.0 / x,
        -poisson / x,
        0.0,
        -poisson / x,
        1.0 / y,
        0.0,
        0.0,
        0.0,
        1.0 / shear,
    );
    definite(DMatrix::from_column_slice(3, 3, matrix.as_slice()), poisson)
}

/// `D⁻¹` of an isotropic solid (1/Pa).
///
/// # Errors
/// [`ConstraintError::Material`] for a Young modulus that is not positive or `ν` outside `(−1, ½)`.
pub fn solid(young: f64, poisson: f64) -> Result<DMatrix<f64>, ConstraintError> {
    if poisson <= -1.0 {
        return Err(not_definite("Poisson ratio", poisson));
    }
    let shear = young / (2.0 * (1.0 + poisson));
    orthotropic_solid([young; 3], [poisson; 3], [shear; 3])
}

/// `D⁻¹` of an orthotropic solid: Young moduli along x, y, z, Poisson ratios `ν_xy, ν_yz, ν_zx`, shear moduli
/// `G_xy, G_yz, G_zx` (1/Pa).
///
/// # Errors
/// [`ConstraintError::Material`] for moduli that are not positive, or ratios without a positive definite energy.
pub fn orthotropic_solid(
    young: [f64; 3],
    poisson: [f64; 3],
    shear: [f64; 3],
) -> Result<DMatrix<f64>, ConstraintError> {
    for value in young {
        positive("Young modulus", value)?;
    }
    for value in shear {
        positive("shear modulus", value)?;
    }
    let [x, y, z] = young;
    let [xy, yz, zx] = [-poisson[0] / x, -poisson[1] / y, -poisson[2] / z];
    let mut matrix = Matrix6::zeros();
    let normal = Matrix3::new(1.0 / x, xy, zx, xy, 1.0 / y, yz, zx, yz, 1.0 / z);
    matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&normal);
    for (axis, value) in shear.iter().enumerate() {
        matrix[(3 + axis, 3 + axis)] = 1.0 / value;
    }
    definite(
        DMatrix::from_column_slice(6, 6, matrix.as_slice()),
        poisson[0],
    )
}

fn positive(name: &'static str, value: f64) -> Result<(), ConstraintError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(not_definite(name, value))
    }
}

fn definite(matrix: DMatrix<f64>, poisson: f64) -> Result<DMatrix<f64>, ConstraintError> {
    // Rounding may let a singular matrix have a Cholesky factor; its eigenvalues decide.
    let ends = symmetric_eigen(&matrix).map(|(values, _)| [values[0], values[values.len() - 1]]);
    if ends.is_some_and(|[least, most]| least > 1e-12 * most) {
        Ok(matrix)
    } else {
        Err(not_definite("Poisson ratio", poisson))
    }
}

fn not_definite(name: &'static str, value: f64) -> ConstraintError {
    ConstraintError::Material { name, value }
}
