//! Errors of unusable constraints.

use thiserror::Error;

/// A constraint that cannot be built.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum ConstraintError {
    /// A compliance has a negative eigenvalue: it would push instead of yield.
    #[error("the compliance has the eigenvalue {value:e}; it must be 0 (hard) or positive")]
    NegativeCompliance {
        /// The eigenvalue.
        value: f64,
    },
    /// The size of a compliance differs from the number of rows.
    #[error("the compliance has {found} rows, the constraint {expected}")]
    ComplianceSize {
        /// Rows of the compliance.
        found: usize,
        /// Rows of the constraint.
        expected: usize,
    },
    /// The number of points differs from the law's.
    #[error("the law acts on {expected} points, {found} were given")]
    PointCount {
        /// Points given.
        found: usize,
        /// Points of the law.
        expected: usize,
    },
    /// A length is zero, negative or not a number.
    #[error("the rest length is {value:e} m; a spring, link or cable needs a positive one")]
    RestLength {
        /// The length (m).
        value: f64,
    },
    /// A direction of a joint is zero or not a number.
    #[error("the {what} has no direction; give three finite numbers that are not all 0")]
    Direction {
        /// Name of the direction.
        what: &'static str,
    },
    /// The bodies of a joint are not at its anchor.
    #[error(
        "the anchors of the {joint} joint are {gap:e} m apart at the start; move the bodies or the anchor so that \
         they coincide"
    )]
    Misplaced {
        /// Kind of the joint.
        joint: &'static str,
        /// Distance of its two anchors (m).
        gap: f64,
    },
    /// An upper limit below the lower one.
    #[error("the upper limit {upper} is below the lower limit {lower}; give the lower one first")]
    Limits {
        /// Lower limit.
        lower: f64,
        /// Upper limit.
        upper: f64,
    },
    /// A material has no positive definite energy.
    #[error("the {name} is {value}, for which the material has no positive definite energy")]
    Material {
        /// Name of the number.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// Principal stretches of an anisotropic material.
    #[error(
        "the compliance of the three principal stretches differs between them by {difference:e} (1/Pa); stretches \
         have no direction, so it must be a·I + b·11ᵀ, that of an isotropic material"
    )]
    Anisotropic {
        /// Largest difference of two entries that should be equal (1/Pa).
        difference: f64,
    },
    /// An element without rest volume or area.
    #[error(
        "an element has the rest volume or area {measure:e}, which must be positive, or its strain is undefined: a \
         fibre normal to its sheet"
    )]
    Element {
        /// Volume (m³) or area (m²).
        measure: f64,
    },
    /// A strain point without elements that has too few nodes around it.
    #[error(
        "fewer than four nodes, or only coplanar ones, are within {radius:e} m of a strain point, so its strain is \
         undefined"
    )]
    Neighbourhood {
        /// Radius of the neighbourhood (m).
        radius: f64,
    },
    /// None of the constraint's unknowns can move.
    #[error("the constraint acts on fixed points only; remove it")]
    Immovable,
}
