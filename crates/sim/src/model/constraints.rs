//! The constraints of a simulation: joints, links, and strains that are constraints.

use crate::solid::StressPoint;
use impinge_contact::constraint::{Constraint, GeometricStiffness};

/// Constraints by the form in which they enter a step. Their particles are points, their bodies the free rigid ones.
#[derive(Debug)]
pub struct Constraints {
    /// In compliance form, as rows: joints and links, then strains of solids and sheets, then edges and triangles of thin
    /// bodies.
    pub rows: Vec<Constraint>,
    /// In stiffness form, in the momentum matrix: links, then strains of solids and sheets.
    pub soft: Vec<Constraint>,
    /// How many of `soft` are links, which may join two bodies.
    pub soft_links: usize,
    /// Strains between points that never move: they act on nothing, but hold energy.
    pub held: Vec<Constraint>,
    /// Bodies that joints join without holding them apart, as numbers of the collision surface's bodies, the smaller one
    /// first.
    pub joined: Vec<[u32; 2]>,
    /// The constraints that give the stress of a body, in the order of their rows: `rows`, then `soft`, then `held`.
    pub(crate) stress_points: Vec<StressPoint>,
    /// The part of the geometric stiffness of `rows` that is used.
    pub geometric_stiffness: GeometricStiffness,
}
