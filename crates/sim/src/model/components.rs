//! The connected components of deformable bodies.

use super::{Constraints, Elements};
use crate::geometry::Geometry;
use impinge_contact::constraint::{Constraint, Term};
use impinge_krylov::forest::{Forest, NONE};

/// Connected components of deformable bodies: points of one body that elements, elastic terms or constraints connect.
///
/// A body of one mesh is one component; a body of several pieces has one for each.
#[derive(Debug, Default)]
pub struct Components {
    count: usize,
    of_point: Vec<u32>,
    of_row: Vec<u32>,
    of_soft: Vec<u32>,
}

impl Components {
    /// The components of a model whose points have the masses `mass` (kg); points without mass belong to none.
    pub(super) fn new(
        geometry: &Geometry,
        mass: &[f64],
        elements: &Elements,
        constraints: &Constraints,
    ) -> Self {
        let mut forest = Forest::default();
        forest.reset(mass.len());
        let body = |point: u32| geometry.solid_of_point(point);
        let mut join = |a: u32, b: u32| {
            if body(a) == body(b) {
                forest.unite(a, b);
            }
        };
        for tet in &elements.tets {
            tet[1..].iter().for_each(|&corner| join(tet[0], corner));
        }
        let every: Vec<Option<u32>> = (0..mass.len() as u32).map(Some).collect();
        for (a, b) in elements.thin.block_pairs(&every) {
            join(a, b);
        }
        let lists = [&constraints.rows, &constraints.soft, &constraints.held];
        for constraint in lists.into_iter().flatten() {
            if let Some(particles) = own_particles(constraint) {
                (particles[1..].iter()).for_each(|&particle| join(particles[0], particle));
            }
        }

        let mut of_point = Vec::new();
        let count = forest.number_trees(&mut of_point, |point| mass[point as usize] > 0.0);
        let of = |list: &[Constraint]| {
            list.iter()
                .map(|one| of_constraint(one, &of_point))
                .collect()
        };
        Self {
            of_row: of(&constraints.rows),
            of_soft: of(&constraints.soft),
            count,
            of_point,
        }
    }

    /// Number of components.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The component of a point; `None` for points of rigid bodies and obstacles.
    pub fn of_point(&self, point: usize) -> Option<usize> {
        known(self.of_point[point])
    }

    /// The component that holds all points of a constraint of [`Constraints::rows`], if it depends on nothing else.
    pub fn of_row(&self, row: usize) -> Option<usize> {
        known(self.of_row[row])
    }

    /// The same of a constraint of [`Constraints::soft`].
    pub fn of_soft(&self, soft: usize) -> Option<usize> {
        known(self.of_soft[soft])
    }
}

fn known(component: u32) -> Option<usize> {
    (component != NONE).then_some(component as usize)
}

/// The particles of a constraint between particles alone; `None` if it has other points.
fn own_particles(constraint: &Constraint) -> Option<Vec<u32>> {
    let mut particles = Vec::new();
    for point in constraint.points() {
        // A place in the world, unlike a difference of particles, does not turn with them.
        if point.constant.amax() > 0.0 {
            return None;
        }
        for term in &point.terms {
            match *term {
                Term::Particle { index, .. } => particles.push(index as u32),
                Term::Body { .. } => return None,
            }
        }
    }
    (!particles.is_empty()).then_some(particles)
}

fn of_constraint(constraint: &Constraint, of_point: &[u32]) -> u32 {
    let component = own_particles(constraint).and_then(|particles| {
        let first = of_point[particles[0] as usize];
        let is_same = |&particle: &u32| of_point[particle as usize] == first;
        particles.iter().all(is_same).then_some(first)
    });
    component.unwrap_or(NONE)
}
