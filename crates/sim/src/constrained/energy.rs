//! Energies of constrained particles and bodies.

use super::{ConstrainedSystem, stored_energy::stored};
use impinge_contact::constraint::{Evaluation, Placement};
use nalgebra::DVector;

/// Energies of a state (J).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energy {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy of gravity, 0 at the origin.
    pub gravitational: f64,
    /// `½ φᵀ C⁻¹ φ` of compliant constraints, of one-sided ones only in compression. A singular compliance counts in
    /// its range.
    pub elastic: f64,
    /// Largest `|φ|` of bilateral rows with zero compliance (the unit of `φ`).
    pub largest_violation: f64,
}

impl Energy {
    /// Energies of `system`.
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
        let (particles, bodies) = (vec![None; system.positions.len()], vec![None; frames.len()]);
        // Without unknowns, as the values alone count.
        let placement = Placement::new((&system.positions, &particles), (&frames, &bodies));
        let mut evaluation = Evaluation::default();
        for constraint in &system.constraints {
            evaluation.rows(constraint, &placement);
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

    /// Sum of all energies (J).
    pub fn total(&self) -> f64 {
        self.kinetic + self.gravitational + self.elastic
    }
}
