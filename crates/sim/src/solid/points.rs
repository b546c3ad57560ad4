//! Integration points of a body as constraints between its nodes.

use super::StressLaw;
use super::material::{StrainForm, strain_form};
use impinge_contact::constraint::link::{Measure, element};
use impinge_contact::constraint::strain::{
    IntegrationPoint, PrincipalStretches, hexahedron, moving_least_squares, orthotropic_surface,
    quadrilateral, solid, surface, tetrahedron, triangle,
};
use impinge_contact::constraint::{Constraint, ConstraintError, Point};
use impinge_fem::{Material, VonMises};
use nalgebra::{DMatrix, Vector3};
use std::sync::Arc;

/// The elements in which the strains of a body are measured.
#[derive(Debug, Clone)]
pub(crate) enum Elements {
    /// Linear tetrahedra of a solid.
    Tetrahedra {
        /// Corners.
        corners: Vec<[u32; 4]>,
        /// Material.
        material: Material,
    },
    /// Trilinear hexahedra of a solid, eight points each.
    Hexahedra {
        /// Corners, four around the bottom, then those above.
        corners: Vec<[u32; 8]>,
        /// Material.
        material: Material,
    },
    /// No elements: one point in the middle of each tetrahedron, between all nodes in its neighbourhood.
    Meshless {
        /// Tetrahedra that give the positions and volumes of the points.
        filling: Vec<[u32; 4]>,
        /// Radius of the neighbourhood of a point (m).
        radius: f64,
        /// Material.
        material: Material,
    },
    /// Linear triangles of a sheet.
    Triangles {
        /// Corners.
        corners: Vec<[u32; 3]>,
        /// Stiffnesses.
        sheet: Sheet,
    },
    /// Bilinear quadrilaterals of a sheet, four points each.
    Quadrilaterals {
        /// Corners in order around each.
        corners: Vec<[u32; 4]>,
        /// Stiffnesses.
        sheet: Sheet,
    },
}

/// A sheet of unit thickness: its moduli are those of the material times the thickness (N/m).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sheet {
    pub(crate) along: f64,
    pub(crate) poisson: f64,
    /// Direction of the fibre, stiffness across it and shear stiffness.
    pub(crate) orthotropic: Option<(Vector3<f64>, f64, f64)>,
}

impl Sheet {
    fn compliance(&self) -> Result<DMatrix<f64>, ConstraintError> {
        match self.orthotropic {
            None => surface(self.along, self.poisson),
            Some((_, across, shear)) => {
                orthotropic_surface([self.along, across], self.poisson, shear)
            }
        }
    }

    fn fibre(&self, edge: Vector3<f64>) -> Vector3<f64> {
        self.orthotropic.map_or(edge, |(fibre, ..)| fibre)
    }
}

/// A body whose strains are constraints.
#[derive(Debug, Clone)]
pub(crate) struct StrainBody {
    pub(crate) name: String,
    /// Points of the body in the numbering of the model.
    pub(crate) points: std::ops::Range<usize>,
    pub(crate) elements: Elements,
    /// Coefficient `d` (s) of stiffness-proportional damping.
    pub(crate) damping: f64,
    /// Index in the model of its first tetrahedron, or of its first hexahedron.
    pub(crate) first_element: usize,
    /// Whether the constraints are in compliance form (rows) or in stiffness form.
    pub(crate) in_rows: bool,
    /// Von Mises yield stress (Pa).
    pub(crate) yield_stress: Option<f64>,
}

impl StrainBody {
    /// The law of its stress, if no finite element gives it: with plastic flow, and without elements.
    pub(crate) fn stress_law(&self) -> Option<StressLaw> {
        if let Some(yield_stress) = self.yield_stress {
            return Some(StressLaw::Flowing(VonMises {
                shear_modulus: self.shear_modulus(),
                yield_stress,
            }));
        }
        match &self.elements {
            Elements::Meshless { material, .. } => Some(StressLaw::Elastic(material.clone())),
            _ => None,
        }
    }

    /// `μ` of a solid (Pa).
    pub(crate) fn shear_modulus(&self) -> f64 {
        match &self.elements {
            Elements::Tetrahedra { material, .. }
            | Elements::Hexahedra { material, .. }
            | Elements::Meshless { material, .. } => material.lame().shear_modulus(),
            Elements::Triangles { sheet, .. } | Elements::Quadrilaterals { sheet, .. } => {
                0.5 * sheet.along / (1.0 + sheet.poisson)
            }
        }
    }
}

/// The constraint of one integration point of a body.
#[derive(Debug)]
pub(crate) struct Strain {
    pub(crate) constraint: Constraint,
    /// Its element, in the order of [`Elements`].
    pub(crate) element: usize,
    /// Rest volume (m³) of a point of a solid, area (m²) of a point of a sheet.
    pub(crate) weight: f64,
}

/// The strains of a body, divided by whether one of their points ever moves freely.
#[derive(Debug, Default)]
pub(crate) struct Strains {
    /// At least one point moves.
    pub(crate) acting: Vec<Strain>,
    /// No point moves: these exert no force on unknowns, but store energy.
    pub(crate) held: Vec<Strain>,
}

/// The strains of a body between `rest` positions (m).
///
/// # Errors
/// [`ConstraintError`] for an element without measure, a material without an energy, or a meshless radius that reaches
/// too few nodes.
pub(crate) fn strain_constraints(
    body: &StrainBody,
    rest: &[Vector3<f64>],
    moves: &[bool],
) -> Result<Strains, ConstraintError> {
    let mut list = Points {
        body,
        rest,
        moves,
        element: 0,
        strains: Strains::default(),
    };
    match &body.elements {
        Elements::Tetrahedra { corners, material } => {
            for nodes in corners {
                list.add_solid(material, nodes, [tetrahedron(&at(rest, nodes))?])?;
            }
        }
        Elements::Hexahedra { corners, material } => {
            for nodes in corners {
                list.add_solid(material, nodes, hexahedron(&at(rest, nodes))?)?;
            }
        }
        Elements::Meshless {
            filling,
            radius,
            material,
        } => {
            for tet in filling {
                let (nodes, point) = around(rest, body.points.clone(), tet, *radius)?;
                list.add_solid(material, &nodes, [point])?;
            }
        }
        Elements::Triangles { corners, sheet } => {
            let compliance = sheet.compliance()?;
            for nodes in corners {
                let x = at(rest, nodes);
                let point = triangle(&x, 1.0, sheet.fibre(x[1] - x[0]))?;
                list.add(Measure::GreenSurface, nodes, [point], &compliance)?;
            }
        }
        Elements::Quadrilaterals { corners, sheet } => {
            let compliance = sheet.compliance()?;
            for nodes in corners {
                let x = at(rest, nodes);
                let points = quadrilateral(&x, 1.0, sheet.fibre(x[1] - x[0]))?;
                list.add(Measure::GreenSurface, nodes, points, &compliance)?;
            }
        }
    }
    Ok(list.strains)
}

fn at<const N: usize>(rest: &[Vector3<f64>], nodes: &[u32; N]) -> [Vector3<f64>; N] {
    nodes.map(|node| rest[node as usize])
}

/// The nodes within the radius of the middle of a tetrahedron, and the integration point there.
fn around(
    rest: &[Vector3<f64>],
    points: std::ops::Range<usize>,
    tet: &[u32; 4],
    radius: f64,
) -> Result<(Vec<u32>, IntegrationPoint), ConstraintError> {
    let x = at(rest, tet);
    let middle = x.iter().sum::<Vector3<f64>>() * 0.25;
    let near: Vec<u32> = points
        .filter(|&node| (rest[node] - middle).norm() < radius)
        .map(|node| node as u32)
        .collect();
    let places: Vec<Vector3<f64>> = near.iter().map(|&node| rest[node as usize]).collect();
    let volume = (x[1] - x[0]).dot(&(x[2] - x[0]).cross(&(x[3] - x[0]))) / 6.0;
    let point = moving_least_squares(middle, &places, radius, volume)?;
    Ok((near, point))
}

/// Builder of the strains of a body.
struct Points<'a> {
    body: &'a StrainBody,
    rest: &'a [Vector3<f64>],
    moves: &'a [bool],
    /// The current element.
    element: usize,
    strains: Strains,
}

impl Points<'_> {
    /// Adds the points of the next element of a solid, in the strain in which its material is linear, or in principal
    /// stretches.
    fn add_solid(
        &mut self,
        material: &Material,
        nodes: &[u32],
        points: impl IntoIterator<Item = IntegrationPoint>,
    ) -> Result<(), ConstraintError> {
        let lame = material.lame();
        let linear = || solid(lame.young(), lame.poisson());
        match strain_form(material) {
            Some(StrainForm::Green) => self.add(Measure::GreenSolid, nodes, points, &linear()?),
            Some(StrainForm::Stretches(law)) => {
                let law = Arc::new(law);
                for at in points {
                    let weight = at.weight;
                    let strains =
                        PrincipalStretches::of_material(at.gradients, weight, law.clone());
                    self.push(Constraint::new(strains, particles(nodes))?, nodes, weight);
                }
                self.element += 1;
                Ok(())
            }
            // The model of a scene has no body of constraints without a strain form.
            Some(StrainForm::Corotational) | None => {
                self.add(Measure::Corotational, nodes, points, &linear()?)
            }
        }
    }

    /// Adds the points of the next element.
    fn add(
        &mut self,
        measure: Measure,
        nodes: &[u32],
        points: impl IntoIterator<Item = IntegrationPoint>,
        compliance: &DMatrix<f64>,
    ) -> Result<(), ConstraintError> {
        for at in points {
            let weight = at.weight;
            let constraint = element(measure, at, particles(nodes), compliance)?;
            self.push(constraint, nodes, weight);
        }
        self.element += 1;
        Ok(())
    }

    fn push(&mut self, constraint: Constraint, nodes: &[u32], weight: f64) {
        debug_assert!(nodes.iter().all(|&node| (node as usize) < self.rest.len()));
        let mut constraint = constraint.named(&format!("a strain of `{}`", self.body.name));
        constraint.damping = self.body.damping;
        let strain = Strain {
            constraint,
            element: self.element,
            weight,
        };
        if nodes.iter().any(|&node| self.moves[node as usize]) {
            self.strains.acting.push(strain);
        } else {
            self.strains.held.push(strain);
        }
    }
}

fn particles(nodes: &[u32]) -> Vec<Point> {
    nodes
        .iter()
        .map(|&node| Point::particle(node as usize))
        .collect()
}
