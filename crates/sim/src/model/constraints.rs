//! The constraints of a simulation: joints, links, and strains that are constraints.

use crate::solid::StressPoint;
use impinge_contact::constraint::{Constraint, GeometricStiffness};
use std::collections::BTreeMap;

/// Constraints by the form in which they enter a step. Their particles are points, their bodies the free rigid ones.
#[derive(Debug)]
pub struct Constraints {
    /// In compliance form, as rows: joints and links, then strains of solids and sheets, then edges and triangles of
    /// thin bodies.
    pub rows: Vec<Constraint>,
    /// Number of joints and links among `rows`.
    pub joints: usize,
    /// In stiffness form, as terms of the momentum matrix: links, then strains of solids and sheets.
    pub soft: Vec<Constraint>,
    /// Number of links among `soft`, which may join two bodies.
    pub soft_links: usize,
    /// Strains between points that never move freely: they exert no force on unknowns, but store energy.
    pub held: Vec<Constraint>,
    /// Pairs of bodies that joints connect without keeping them apart, as bodies of the collision surface, the smaller
    /// number first.
    pub joined: Vec<[u32; 2]>,
    /// Number of the first body of each joint, by the name of the joint.
    pub(crate) first_bodies: BTreeMap<String, usize>,
    /// The constraints that give the stress of a body, in the order of their rows: `rows`, then `soft`, then `held`.
    pub(crate) stress_points: Vec<StressPoint>,
    /// How the geometric stiffness of `rows` enters the momentum matrix.
    pub geometric_stiffness: GeometricStiffness,
    /// Whether the constrained stepper adds the part of it that is not symmetric.
    pub unsymmetric: bool,
}
