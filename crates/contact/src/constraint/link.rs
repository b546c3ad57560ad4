//! Links between points: springs, rods, ropes, bindings, and elements of materials.

use super::attachment::Attachment;
use super::distance::Distance;
use super::path::PathLength;
use super::strain::{CorotationalStrain, GreenStrain, IntegrationPoint, PrincipalStretches};
use super::{Constraint, ConstraintError, Point};
use nalgebra::DMatrix;

fn length(value: f64) -> Result<f64, ConstraintError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(ConstraintError::RestLength { value })
    }
}

/// A spring with compliance `1/k` (m/N); an inextensible link with compliance 0.
///
/// # Errors
/// [`ConstraintError::RestLength`], [`ConstraintError::NegativeCompliance`].
pub fn spring(
    from: &Point,
    to: Point,
    rest_length: f64,
    compliance: f64,
) -> Result<Constraint, ConstraintError> {
    let law = Distance::new(length(rest_length)?);
    Constraint::new(law, vec![to.minus(from)])?.with_uniform_compliance(compliance)
}

/// A rope: without force until it is taut, then at most `length` long, up to its compliance (m/N).
///
/// # Errors
/// As [`spring`].
pub fn rope(
    from: &Point,
    to: Point,
    rest_length: f64,
    compliance: f64,
) -> Result<Constraint, ConstraintError> {
    let law = Distance::below(length(rest_length)?);
    let rope = Constraint::new(law, vec![to.minus(from)])?;
    Ok(rope.with_uniform_compliance(compliance)?.one_sided())
}

/// A rope through `points` in their order, without friction: without force until it is taut, then at most `length`
/// long, up to its compliance (m/N).
///
/// # Errors
/// As [`spring`], and [`ConstraintError::PointCount`] for fewer than two points.
pub fn rope_through(
    points: &[Point],
    rest_length: f64,
    compliance: f64,
) -> Result<Constraint, ConstraintError> {
    let pieces: Vec<Point> = (points.windows(2))
        .map(|pair| pair[1].clone().minus(&pair[0]))
        .collect();
    if pieces.is_empty() {
        return Err(ConstraintError::PointCount {
            found: points.len(),
            expected: 2,
        });
    }
    let law = PathLength {
        rest_length: length(rest_length)?,
        pieces: pieces.len(),
    };
    let rope = Constraint::new(law, pieces)?;
    Ok(rope.with_uniform_compliance(compliance)?.one_sided())
}

/// Two points that coincide, or yield by `compliance` (m/N) in every direction.
///
/// # Errors
/// [`ConstraintError::NegativeCompliance`].
pub fn binding(from: &Point, to: Point, compliance: f64) -> Result<Constraint, ConstraintError> {
    Constraint::new(Attachment, vec![to.minus(from)])?.with_uniform_compliance(compliance)
}

/// Strain measure of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Green–Lagrange on a surface: three rows.
    GreenSurface,
    /// Green–Lagrange in a solid: six rows.
    GreenSolid,
    /// Co-rotational, in a solid: six rows.
    Corotational,
    /// Principal stretches of a solid: three rows.
    Stretches,
}

/// One integration point of an element between `nodes`, of a material with the compliance `D⁻¹` (1/Pa): `C = D⁻¹/w`.
///
/// For [`Measure::Stretches`] the compliance is that of the three normal strains of an isotropic material.
///
/// # Errors
/// [`ConstraintError`] if nodes, rows and compliance do not match.
pub fn element(
    measure: Measure,
    at: IntegrationPoint,
    nodes: Vec<Point>,
    compliance: &DMatrix<f64>,
) -> Result<Constraint, ConstraintError> {
    let constraint = match measure {
        Measure::GreenSurface => Constraint::new(GreenStrain::of_surface(at.gradients), nodes),
        Measure::GreenSolid => Constraint::new(GreenStrain::of_solid(at.gradients), nodes),
        Measure::Corotational => Constraint::new(CorotationalStrain::new(at.gradients), nodes),
        Measure::Stretches => {
            let law = PrincipalStretches::linear(at.gradients, at.weight, compliance)?;
            Constraint::new(law, nodes)
        }
    }?;
    constraint.with_compliance(&(compliance / at.weight))
}
