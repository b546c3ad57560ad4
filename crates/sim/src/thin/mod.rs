//! Thin bodies of a model: elastic terms over all points, and the form in which they enter a step.

pub(crate) mod rows;

use impinge_fem::thin::{EdgeSpring, Hinge, Membrane};
use nalgebra::Vector3;
use std::ops::Range;

/// The elastic terms of all thin bodies.
#[derive(Debug, Clone, Default)]
pub struct ThinBodies {
    /// Springs along edges, each body's with its damping time (s).
    pub springs: Vec<(f64, Vec<EdgeSpring>)>,
    /// Triangles that resist strain.
    pub membranes: Vec<Membrane>,
    /// Hinges that resist bending, each body's with its damping time (s).
    pub hinges: Vec<(f64, Vec<Hinge>)>,
    /// Points of the bodies in compliance form, whose springs and triangles are constraint rows.
    pub in_rows: Vec<Range<usize>>,
    /// Point and mass (kg) of each of their points.
    pub(crate) masses: Vec<(usize, f64)>,
}

impl ThinBodies {
    /// Elastic energy (J) of all terms in stiffness form at given positions (m).
    ///
    /// # Panics
    /// If there are fewer positions than points.
    pub fn energy(&self, x: &[Vector3<f64>]) -> f64 {
        self.energy_with(x, &mut |_, _| {})
    }

    /// The same; every term is shown to `each`, with one of its points.
    pub(crate) fn energy_with(&self, x: &[Vector3<f64>], each: &mut impl FnMut(u32, f64)) -> f64 {
        fn at<const N: usize>(x: &[Vector3<f64>], points: &[u32; N]) -> [Vector3<f64>; N] {
            points.map(|point| x[point as usize])
        }
        let mut shown = |points: &[u32], energy: f64| {
            each(points[0], energy);
            energy
        };
        let springs: f64 = self
            .soft_springs()
            .map(|(_, t)| shown(&t.points, t.energy(&at(x, &t.points))))
            .sum();
        let membranes: f64 = self
            .soft_membranes()
            .map(|t| shown(&t.points, t.energy(&at(x, &t.points))))
            .sum();
        let hinges: f64 = self
            .hinges
            .iter()
            .flat_map(|(_, hinges)| hinges)
            .map(|t| shown(&t.points, t.energy(&at(x, &t.points))))
            .sum();
        springs + membranes + hinges
    }

    /// The same of the terms between some of the points (J).
    ///
    /// # Panics
    /// If there are fewer positions than points.
    pub(crate) fn energy_of(&self, points: &Range<usize>, x: &[Vector3<f64>]) -> f64 {
        let mut own = Self::default();
        let is_own = |first: u32| points.contains(&(first as usize));
        let springs = self.springs.iter();
        own.springs = (springs
            .filter(|(_, terms)| terms.first().is_some_and(|t| is_own(t.points[0]))))
        .cloned()
        .collect();
        let membranes = self.membranes.iter();
        own.membranes = (membranes.filter(|term| is_own(term.points[0])))
            .copied()
            .collect();
        let hinges = self.hinges.iter();
        own.hinges = (hinges
            .filter(|(_, terms)| terms.first().is_some_and(|t| is_own(t.points[0]))))
        .cloned()
        .collect();
        own.in_rows.clone_from(&self.in_rows);
        own.energy(x)
    }

    /// Whether stretching at `point` is in compliance form.
    pub fn is_in_rows(&self, point: u32) -> bool {
        (self.in_rows.iter()).any(|points| points.contains(&(point as usize)))
    }

    /// Springs in stiffness form, with their damping times (s).
    pub(crate) fn soft_springs(&self) -> impl Iterator<Item = (f64, &EdgeSpring)> {
        (self.springs.iter())
            .filter(|(_, springs)| {
                springs
                    .first()
                    .is_some_and(|s| !self.is_in_rows(s.points[0]))
            })
            .flat_map(|(damping, springs)| springs.iter().map(|spring| (*damping, spring)))
    }

    /// Triangles in stiffness form.
    pub(crate) fn soft_membranes(&self) -> impl Iterator<Item = &Membrane> {
        (self.membranes.iter()).filter(|membrane| !self.is_in_rows(membrane.points[0]))
    }

    /// Blocks of unknowns coupled by the terms in stiffness form.
    pub(crate) fn block_pairs(&self, block_of_point: &[Option<u32>]) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        let mut couple = |points: &[u32]| {
            for (i, &a) in points.iter().enumerate() {
                for &b in &points[i..] {
                    let blocks = (block_of_point[a as usize], block_of_point[b as usize]);
                    if let (Some(a), Some(b)) = blocks {
                        pairs.push((a, b));
                    }
                }
            }
        };
        for (_, spring) in self.soft_springs() {
            couple(&spring.points);
        }
        for membrane in self.soft_membranes() {
            couple(&membrane.points);
        }
        for hinge in self.hinges.iter().flat_map(|(_, hinges)| hinges) {
            couple(&hinge.points);
        }
        pairs
    }
}
