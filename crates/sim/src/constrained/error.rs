//! What makes constrained particles and bodies unusable.

use impinge_contact::ContactError;
use impinge_contact::constraint::ConstraintError;
use impinge_fem::FemError;
use thiserror::Error;

/// A system that cannot be stepped, or a step that failed.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum ConstrainedError {
    /// A particle that moves needs mass.
    #[error("particle {index} has the mass {mass} kg; give a positive one, or make it fixed")]
    Mass {
        /// Index of the particle.
        index: usize,
        /// Its mass (kg).
        mass: f64,
    },
    /// A constraint acts on something that is not there.
    #[error("constraint {constraint} ({name}) acts on {what} {index}, of which there are {count}")]
    Missing {
        /// Index of the constraint.
        constraint: usize,
        /// Its name.
        name: String,
        /// "particle" or "body".
        what: &'static str,
        /// The index it names.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A constraint between what does not move.
    #[error("nothing that constraint {constraint} ({name}) acts on can move; leave it out")]
    Immovable {
        /// Index of the constraint.
        constraint: usize,
        /// Its name.
        name: String,
    },
    /// Hard constraints that cannot all be met.
    #[error(
        "the hard constraints {names} contradict each other by {misfit:e} (m, or rad); no motion meets them all. Remove \
         one, move its anchor, or give it a compliance"
    )]
    Contradiction {
        /// Names of the constraints that the others leave no room.
        names: String,
        /// Largest contradiction.
        misfit: f64,
    },
    /// A constraint in stiffness form needs a compliance to be turned into a stiffness.
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
    /// The number of constraints, particles or bodies changed since the stepper was made.
    #[error("the system has changed since the stepper was made; make a new one")]
    Changed,
    /// The solve broke down; the state is as it was.
    #[error(
        "the step could not be solved: velocities are not finite; take a shorter step, or turn geometric stiffness on"
    )]
    Breakdown,
    /// A constraint that cannot be built.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// A problem that no method may start on.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// A rigid body that cannot be.
    #[error(transparent)]
    Fem(#[from] FemError),
}
