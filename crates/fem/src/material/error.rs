//! Errors of material parameters.

use thiserror::Error;

/// A material parameter outside its physical range.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MaterialError {
    /// Young's modulus is not a positive finite number, or so large that the Lamé parameters overflow.
    #[error(
        "Young's modulus is {value} Pa; give a positive, finite stiffness, e.g. 5e5 for soft rubber"
    )]
    YoungModulus {
        /// The value given, Pa.
        value: f64,
    },
    /// Poisson's ratio is outside the open interval (-1, 0.5).
    #[error(
        "Poisson's ratio is {value}; give a value above -1 and below 0.5 (use 0.45 for a nearly incompressible solid)"
    )]
    PoissonRatio {
        /// The value given.
        value: f64,
    },
    /// The volume ratio where extrapolation starts is outside the open interval (0, 1).
    #[error(
        "the extrapolation starts at the volume ratio {value}; give a value above 0 and below 1, e.g. 0.7"
    )]
    ExtrapolationThreshold {
        /// The value given.
        value: f64,
    },
    /// A Rayleigh damping coefficient is negative or not finite.
    #[error(
        "the Rayleigh damping coefficients are {mass} 1/s (mass) and {stiffness} s (stiffness); both must be finite \
         and not negative, 0 turns damping off"
    )]
    Damping {
        /// The mass coefficient given, 1/s.
        mass: f64,
        /// The stiffness coefficient given, s.
        stiffness: f64,
    },
    /// A material from outside breaks the contract of [`Hyperelastic`](super::Hyperelastic).
    #[error("the material `{name}` breaks its contract: {problem}")]
    Custom {
        /// Name of the material.
        name: String,
        /// The broken rule.
        problem: String,
    },
}
