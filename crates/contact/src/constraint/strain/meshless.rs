//! Gradients at a point of a body without elements, by moving least squares.

use super::super::error::ConstraintError;
use super::IntegrationPoint;
use nalgebra::{Matrix4, Vector3, Vector4};

/// Smallest eigenvalue of the moment matrix, relative to its largest, below which the nodes count as coplanar and
/// define no gradient.
const FLAT: f64 = 1e-4;

/// One integration point between the nodes within `radius` of it, by the best linear fit to them.
///
/// ```text
/// M = Σ w_a p_a p_aᵀ,   p_a = (1, (X_a − X)/r),   w_a = (1 − |X_a − X|²/r²)²          g_a = w_a [M⁻¹ p_a]₁…₃ / r
/// ```
///
/// Linear motions have their exact gradient. Nodes out of reach are left out.
///
/// # Errors
/// [`ConstraintError::Element`] if the weight is not positive, [`ConstraintError::Neighbourhood`] if fewer than four
/// nodes or only coplanar ones are in reach.
///
/// # Source
/// Nealen 2004, "An As-Short-As-Possible Introduction to the Least Squares, Weighted Least Squares and Moving Least
/// Squares Methods"; Müller et al. 2004, "Point Based Animation of Elastic, Plastic and Melting Objects",
/// <https://doi.org/10.1145/1028523.1028542>; differs from it in: strains at points between the nodes, which leave no
/// motion without energy.
pub fn moving_least_squares(
    at: Vector3<f64>,
    rest: &[Vector3<f64>],
    radius: f64,
    weight: f64,
) -> Result<IntegrationPoint, ConstraintError> {
    if !(weight > 0.0 && weight.is_finite()) {
        return Err(ConstraintError::Element { measure: weight });
    }
    let mut moment = Matrix4::zeros();
    let mut terms = Vec::with_capacity(rest.len());
    for x in rest {
        let arm = (x - at) / radius;
        let share = (1.0 - arm.norm_squared()).max(0.0).powi(2);
        let p = Vector4::new(1.0, arm.x, arm.y, arm.z);
        moment += p * p.transpose() * share;
        terms.push(p * share);
    }
    let eigen = moment.symmetric_eigen();
    let sound = eigen.eigenvalues.min() > FLAT * eigen.eigenvalues.max();
    let inverse = moment.try_inverse().filter(|_| sound);
    let inverse = inverse.ok_or(ConstraintError::Neighbourhood { radius })?;
    let gradient = |term: &Vector4<f64>| (inverse * term).fixed_rows::<3>(1).into_owned() / radius;
    Ok(IntegrationPoint {
        gradients: terms.iter().map(gradient).collect(),
        weight,
    })
}
