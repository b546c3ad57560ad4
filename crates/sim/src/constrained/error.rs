//! Errors of constrained particles and bodies.

use impinge_contact::ContactError;
use impinge_contact::constraint::ConstraintError;
use impinge_fem::FemError;
use thiserror::Error;

/// A system that cannot be stepped, or a step that failed.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum ConstrainedError {
    /// A moving particle without positive mass.
    #[error("particle {index} has the mass {mass} kg; give a positive one, or make it fixed")]
    Mass {
        /// Index of the particle.
        index: usize,
        /// Its mass (kg).
        mass: f64,
    },
    /// A constraint refers to a particle or body that does not exist.
    #[error("constraint {constraint} ({name}) acts on {what} {index}, but there are only {count}")]
    Missing {
        /// Index of the constraint.
        constraint: usize,
        /// Its name.
        name: String,
        /// "particle" or "body".
        what: &'static str,
        /// The index it names.
        index: usize,
        /// Number of particles or bodies.
        count: usize,
    },
    /// A constraint on fixed particles and bodies only.
    #[error("constraint {constraint} ({name}) acts on fixed points only; remove it")]
    Immovable {
        /// Index of the constraint.
        constraint: usize,
        /// Its name.
        name: String,
    },
    /// Inconsistent rigid constraints.
    #[error(
        "the hard constraints {names} are incompatible by {misfit:e} (m or rad); no motion satisfies all. Remove one, \
         move its anchor, or give it a compliance"
    )]
    Contradiction {
        /// Names of the inconsistent constraints.
        names: String,
        /// Largest inconsistency.
        misfit: f64,
    },
    /// A constraint in stiffness form without a compliance.
    #[error(
        "constraint {constraint} ({name}) is hard and has no stiffness form; use the compliance form"
    )]
    NoStiffness {
        /// Index of the constraint.
        constraint: usize,
        /// Its name.
        name: String,
    },
    /// The step length is zero, negative or not a number.
    #[error("the time step is {value:e} s; give a positive, finite length")]
    TimeStep {
        /// The length (s).
        value: f64,
    },
    /// The number of constraints, particles or bodies changed after the stepper was created.
    #[error("the system has changed since the stepper was made; make a new one")]
    Changed,
    /// The solve broke down; the state is unchanged.
    #[error(
        "the step could not be solved: velocities are not finite; take a shorter step, or turn geometric stiffness on"
    )]
    Breakdown,
    /// A constraint that cannot be built.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// A problem that the method rejects.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// Invalid inertia of a rigid body.
    #[error(transparent)]
    Fem(#[from] FemError),
}
