//! Errors of extensions: code of another crate that takes part in a simulation.

use std::fmt;
use thiserror::Error;

/// An extension that broke its contract, failed, or cannot take part.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[error("the {kind} `{name}`, an extension, {problem}")]
pub struct ExtensionError {
    /// Its kind.
    pub kind: ExtensionKind,
    /// The name that it was attached by; of a material, that of the material.
    pub name: String,
    /// The problem, as the end of a sentence about it.
    pub problem: String,
}

/// The kinds of extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExtensionKind {
    /// A material of deformable bodies.
    Material,
    /// A contact method.
    ContactSolver,
    /// A broad phase.
    BroadPhase,
    /// A preconditioner of the momentum matrix.
    Preconditioner,
    /// A stepper.
    Stepper,
    /// An observer of steps.
    Observer,
    /// A force on points.
    Force,
    /// A controller, run before every step.
    Controller,
}

impl fmt::Display for ExtensionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Material => "material",
            Self::ContactSolver => "contact solver",
            Self::BroadPhase => "broad phase",
            Self::Preconditioner => "preconditioner",
            Self::Stepper => "stepper",
            Self::Observer => "observer",
            Self::Force => "force",
            Self::Controller => "controller",
        })
    }
}
