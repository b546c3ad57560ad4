//! Edges and triangles of thin bodies as constraints, one row per edge or three per triangle.

use super::ThinBodies;
use crate::constrained::ConstrainedError;
use crate::geometry::Body;
use impinge_contact::constraint::strain::{surface, triangle};
use impinge_contact::constraint::{Constraint, Point, link};
use impinge_fem::thin::{EdgeSpring, Membrane};
use nalgebra::Vector3;

/// The bodies and points of thin terms.
pub(crate) struct ThinPlaces<'a> {
    /// Positions at rest (m).
    pub(crate) rest: &'a [Vector3<f64>],
    /// Deformable bodies.
    pub(crate) bodies: &'a [Body],
    /// Whether forces ever move each point.
    pub(crate) moves: &'a [bool],
}

/// Constraints of the edges, then of the triangles, of the bodies that are `in_rows` or of the others. With `held`,
/// they are those between points that never move freely, otherwise all others. Terms without stiffness are left out.
///
/// # Errors
/// [`ConstrainedError`] for a triangle without area, or a stiffness that has no inverse.
pub(crate) fn thin_constraints(
    thin: &ThinBodies,
    places: &ThinPlaces<'_>,
    in_rows: bool,
    held: bool,
) -> Result<Vec<Constraint>, ConstrainedError> {
    let wanted = |points: &[u32]| {
        let moves = points.iter().any(|&x| places.moves[x as usize]);
        thin.is_in_rows(points[0]) == in_rows && moves != held
    };
    let mut constraints = Vec::new();
    for (damping, springs) in &thin.springs {
        for spring in springs.iter().filter(|spring| spring.stiffness > 0.0) {
            if wanted(&spring.points) {
                let name = places.name("an edge", spring.points[0]);
                let mut edge = edge(spring)?.named(&name);
                edge.damping = *damping;
                constraints.push(edge);
            }
        }
    }
    for membrane in thin.membranes.iter().filter(|membrane| membrane.mu > 0.0) {
        if wanted(&membrane.points) {
            let name = places.name("a triangle", membrane.points[0]);
            constraints.push(element(places.rest, membrane)?.named(&name));
        }
    }
    Ok(constraints)
}

impl ThinPlaces<'_> {
    fn name(&self, what: &str, point: u32) -> String {
        let body = (self.bodies.iter()).find(|body| body.points.contains(&(point as usize)));
        format!("{what} of `{}`", body.map_or("", |body| &body.name))
    }
}

/// `C = l̄/k` of an edge with the force `k` per unit strain.
fn edge(spring: &EdgeSpring) -> Result<Constraint, ConstrainedError> {
    let [a, b] = spring.points.map(|point| Point::particle(point as usize));
    let compliance = spring.rest_length / spring.stiffness;
    Ok(link::spring(&a, b, spring.rest_length, compliance)?)
}

/// Plane stress of unit thickness: `E t = 2 μ (1 + ν)`, `ν = λ/(λ + 2 μ)`.
fn element(rest: &[Vector3<f64>], membrane: &Membrane) -> Result<Constraint, ConstrainedError> {
    let rest = membrane.points.map(|point| rest[point as usize]);
    let poisson = membrane.lambda / (membrane.lambda + 2.0 * membrane.mu);
    let compliance = surface(2.0 * membrane.mu * (1.0 + poisson), poisson)?;
    let at = triangle(&rest, 1.0, rest[1] - rest[0])?;
    let nodes = membrane.points.map(|point| Point::particle(point as usize));
    Ok(link::element(
        link::Measure::GreenSurface,
        at,
        nodes.to_vec(),
        &compliance,
    )?)
}
