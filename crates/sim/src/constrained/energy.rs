//! Energies of constrained particles and bodies.

use super::ConstrainedSystem;
use impinge_contact::constraint::{Configuration, Constraint, Evaluation, Layout};
use nalgebra::DVector;

/// Energies of a state (J).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// In gravity, 0 at the origin.
    pub gravitational: f64,
    /// `½ φᵀ C⁻¹ φ` of compliant constraints; one-sided ones only where they press. A singular compliance counts in its
    /// range.
    pub elastic: f64,
    /// Largest `|φ|` of hard bilateral rows (the unit of `φ`).
    pub largest_violation: f64,
}

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

impl Energy {
    /// Measures `system`.
    pub fn of(system: &ConstrainedSystem) -> Self {
        let mut energy = Self::default();
        for (index, (x, v)) in system.positions.iter().zip(&system.velocities).enumerate() {
            if !system.fixed[index] {
                let mass = system.masses[index];
                energy.kinetic += 0.5 * mass * v.norm_squared();
                energy.gravitational -= mass * system.gravity.dot(x);
            }
        }
        for body in system.bodies.iter().filter(|body| !body.fixed) {
            let (mass, at) = (body.inertia.mass(), &body.state);
            energy.kinetic += 0.5 * mass * at.velocity.norm_squared()
                + body
                    .inertia
                    .spin_energy(&at.pose.orientation, &at.angular_momentum);
            energy.gravitational -= mass * system.gravity.dot(&at.pose.center);
        }
        let frames = system.frames();
        let state = Configuration {
            particles: &system.positions,
            frames: &frames,
        };
        let (particles, bodies) = (vec![None; system.positions.len()], vec![None; frames.len()]);
        let nothing_moves = Layout {
            particles: &particles,
            bodies: &bodies,
        };
        let mut evaluation = Evaluation::default();
        for constraint in &system.constraints {
            evaluation.rows(constraint, &state, &nothing_moves);
            energy.elastic += stored(constraint, &evaluation);
            if constraint.is_hard() {
                let value = DVector::from_column_slice(&evaluation.value);
                let violation = if constraint.unilateral {
                    -value.min()
                } else {
                    value.amax()
                };
                energy.largest_violation = energy.largest_violation.max(violation);
            }
        }
        energy
    }

    /// All of it.
    pub fn total(&self) -> f64 {
        self.kinetic + self.gravitational + self.elastic
    }
}
