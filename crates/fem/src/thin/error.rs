//! Errors of the rest shape or the coefficients of a thin body.

use thiserror::Error;

/// Unusable rest shape or stiffness of a thin body.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ThinError {
    /// Two points of an edge coincide at rest.
    #[error("the edge of the points {points:?} has the rest length {length} m; merge its points")]
    RestLength {
        /// The points.
        points: [u32; 2],
        /// Their distance (m).
        length: f64,
    },
    /// A triangle has no area at rest.
    #[error("the triangle {points:?} has no area at rest; remove it or move its points apart")]
    RestArea {
        /// The points.
        points: [u32; 3],
    },
    /// A stiffness or density is out of range.
    #[error("{what} is {value}; it must be finite and {range}")]
    Coefficient {
        /// Name of the coefficient, with its unit.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The valid range.
        range: &'static str,
    },
    /// More than two triangles share an edge.
    #[error(
        "{triangles} triangles share the edge of the points {points:?}; a thin body is a surface, so at most two may"
    )]
    Branching {
        /// The points.
        points: [u32; 2],
        /// Number of triangles.
        triangles: usize,
    },
}

/// A coefficient that may be 0 but not negative.
pub(super) fn check_not_negative(what: &'static str, value: f64) -> Result<(), ThinError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(ThinError::Coefficient {
        what,
        value,
        range: "not negative",
    })
}
