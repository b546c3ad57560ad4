//! Energy that one compliant constraint holds, by its value or by its force.

use impinge_contact::constraint::{Constraint, Evaluation};
use nalgebra::DVector;

/// `V(φ)`, or `½ φᵀ C⁻¹ φ` (J) of a compliant constraint at its latest value; 0 of a hard one, and of a one-sided one that
/// does not press.
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

/// `½ λᵀ C λ` (J): what a compliant constraint holds whose force is `lambda`; 0 of a hard one.
///
/// In compliance form the force is an unknown of the step, met to the solver's tolerance. The value at the end of the
/// step is not: it is off `−C λ` by what the rows' linearisation leaves out, and `½ φᵀ C⁻¹ φ` multiplies the square of
/// that by the stiffness.
pub(crate) fn held_by(constraint: &Constraint, lambda: &[f64]) -> f64 {
    constraint.compliance().map_or(0.0, |c| {
        let lambda = DVector::from_column_slice(lambda);
        0.5 * lambda.dot(&(c * &lambda))
    })
}
