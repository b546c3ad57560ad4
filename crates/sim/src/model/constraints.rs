//! The constraints of a simulation: joints, links, and strains that are constraints.

use super::Line;
use crate::{scene::Signal, solid::StressPoint};
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
    /// The joints that are lines in space, in the order of the scene.
    pub lines: Vec<Line>,
    /// Names of the joints of the scene.
    pub joint_names: Vec<String>,
    /// Number of the first body of each joint, by the name of the joint.
    pub(crate) first_bodies: BTreeMap<String, usize>,
    /// The constraints that give the stress of a body, in the order of their rows: `rows`, then `soft`, then `held`.
    pub(crate) stress_points: Vec<StressPoint>,
    /// Those whose length or limit changes with time, in the order of their rows: `rows`, then `soft`.
    pub(crate) changing: Vec<ChangingOffset>,
    /// How the geometric stiffness of `rows` enters the momentum matrix.
    pub geometric_stiffness: GeometricStiffness,
    /// Whether the constrained stepper adds the part of it that is not symmetric.
    pub unsymmetric: bool,
}

/// A constraint of one row whose length or limit changes with time.
#[derive(Debug)]
pub(crate) struct ChangingOffset {
    /// Its place among `rows` and then `soft`.
    pub(crate) index: usize,
    pub(crate) first_row: usize,
    /// Change of its `φ` since time 0 (m, rad).
    pub(crate) change: Signal<f64>,
}

impl Constraints {
    /// Change of the `φ` of the constraint from `first_row` on between time 0 and `time` (s), by its length or limit.
    pub(crate) fn change_at(&self, first_row: usize, time: f64) -> f64 {
        (self.changing)
            .binary_search_by_key(&first_row, |one| one.first_row)
            .map_or(0.0, |at| self.changing[at].change.at(time))
    }

    /// Whether a length or limit is another one at time `end` than at `start` (s).
    pub(crate) fn changes_between(&self, start: f64, end: f64) -> bool {
        let change = |of: &ChangingOffset| of.change.at(end) - of.change.at(start);
        (self.changing.iter()).any(|of| change(of).abs() > 0.0)
    }
}
