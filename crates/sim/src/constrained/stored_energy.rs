//! Energy of one compliant constraint, from its value or its force.

use impinge_contact::constraint::{Constraint, Evaluation};
use nalgebra::DVector;

/// `V(φ)`, or `½ φᵀ C⁻¹ φ` (J), of a compliant constraint at its latest value. 0 for a rigid constraint, and for a
/// one-sided one without compression.
pub(crate) fn stored(constraint: &Constraint, evaluation: &Evaluation) -> f64 {
    if let Some(response) = &evaluation.response {
        return response.energy;
    }
    let Some(c) = constraint.compliance() else {
        return 0.0;
    };
    let value = DVector::from_column_slice(&evaluation.value);
    if constraint.unilateral && value.min() >= 0.0 {
        return 0.0;
    }
    if let Some(stiffness) = constraint.stiffness() {
        return 0.5 * value.dot(&(stiffness * &value));
    }
    let solved = c.clone().svd(true, true).solve(&value, 1e-12 * c.amax());
    solved.map_or(0.0, |force| 0.5 * force.dot(&value))
}

/// `½ λᵀ C λ` (J), the energy of a compliant constraint with the force `lambda`; 0 for a rigid one.
///
/// In compliance form the force is an unknown of the step, accurate to the solver's tolerance. The value at the end of
/// the step differs from `−C λ` by the error of linearising the rows. `½ φᵀ C⁻¹ φ` would multiply the square of this
/// error by the stiffness.
pub(crate) fn held_by(constraint: &Constraint, lambda: &[f64]) -> f64 {
    constraint.compliance().map_or(0.0, |c| {
        let lambda = DVector::from_column_slice(lambda);
        0.5 * lambda.dot(&(c * &lambda))
    })
}
