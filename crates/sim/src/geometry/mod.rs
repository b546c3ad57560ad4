//! The solids of a simulation, and the features of their surfaces that may touch.
//!
//! It knows shapes, names and friction, and the lengths that scale contacts. It knows no mass, force or velocity.

mod body;
mod lengths;
mod neighbours;

pub use body::{Body, HalfSpace};
pub use lengths::BodyLengths;
pub use neighbours::Neighbours;

use crate::{scene::pair_friction, tolerances::ToleranceScales};
use impinge_geometry::surface::CollisionSurface;
use std::collections::BTreeMap;

/// All solids, numbered consecutively: bodies, then mesh obstacles, then half-spaces.
#[derive(Debug)]
pub struct Geometry {
    /// Deformable bodies, then rigid bodies, those with a prescribed motion included.
    pub bodies: Vec<Body>,
    /// Mesh obstacles; body `bodies.len() + i` of the collision surface.
    pub obstacles: Vec<Body>,
    /// Half-spaces.
    pub half_spaces: Vec<HalfSpace>,
    /// `μ` of pairs of solids that have one of their own, the smaller number first.
    pub frictions: BTreeMap<[usize; 2], f64>,
    /// Triangles, edges and vertices that may touch.
    pub surface: CollisionSurface,
    /// Incidence of its vertices, edges and triangles.
    pub neighbours: Neighbours,
    /// Lengths that the tolerances of contacts are relative to.
    pub lengths: BodyLengths,
    /// Scales of the tolerances.
    pub tolerances: ToleranceScales,
}

impl Geometry {
    /// Number of bodies and mesh obstacles; half-spaces come after them in the numbering of solids.
    pub fn solid_count(&self) -> usize {
        self.bodies.len() + self.obstacles.len()
    }

    /// Body or mesh obstacle by number.
    ///
    /// # Panics
    /// If `index` is not below [`solid_count`](Self::solid_count).
    pub fn solid(&self, index: usize) -> &Body {
        self.bodies
            .get(index)
            .unwrap_or_else(|| &self.obstacles[index - self.bodies.len()])
    }

    /// Body or mesh obstacle of a surface point.
    pub fn solid_of_point(&self, point: u32) -> usize {
        self.surface.body_of_point(point) as usize
    }

    /// Numbers of the bodies, mesh obstacles and half-spaces of that name.
    pub fn solids_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = usize> + 'a {
        let all = self.solid_count() + self.half_spaces.len();
        (0..all).filter(move |&index| self.name_of(index) == name)
    }

    /// Numbers of the solid of that name; if there is none, of all its copies, `NAME 1` and so on.
    pub fn copies_named(&self, name: &str) -> Vec<usize> {
        let exact: Vec<usize> = self.solids_named(name).collect();
        if !exact.is_empty() {
            return exact;
        }
        let is_copy = |of: &str| {
            let number = of
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix(' '));
            number.is_some_and(|number| {
                !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
            })
        };
        let all = self.solid_count() + self.half_spaces.len();
        (0..all)
            .filter(|&index| is_copy(self.name_of(index)))
            .collect()
    }

    /// Name of a body, mesh obstacle or half-space by number.
    pub fn name_of(&self, index: usize) -> &str {
        if index < self.solid_count() {
            &self.solid(index).name
        } else {
            &self.half_spaces[index - self.solid_count()].name
        }
    }

    /// `μ` between two solids, or between a solid and a half-space (numbered after the solids).
    pub fn pair_friction(&self, first: usize, second: usize) -> f64 {
        let pair = [first.min(second), first.max(second)];
        if let Some(&friction) = self.frictions.get(&pair) {
            return friction;
        }
        let of = |index: usize| {
            if index < self.solid_count() {
                self.solid(index).friction
            } else {
                self.half_spaces[index - self.solid_count()].friction
            }
        };
        pair_friction(of(first), of(second))
    }

    /// Rigid bodies, those with a prescribed motion included, ascending.
    pub fn rigid_bodies(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.bodies.len()).filter(|&body| self.bodies[body].is_rigid())
    }

    /// Whether the triangles of a solid use every edge once in each direction, so that it has an inside.
    pub fn is_closed(&self, solid: usize) -> bool {
        let triangles = &self.surface.triangles()[self.solid(solid).triangles.clone()];
        let mut sides: Vec<[u32; 2]> = (triangles.iter())
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .collect();
        sides.sort_unstable();
        sides
            .iter()
            .all(|&[a, b]| sides.binary_search(&[b, a]).is_ok())
    }
}
