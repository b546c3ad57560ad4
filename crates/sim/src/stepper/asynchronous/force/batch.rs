//! Terms of one kind and clock, on several threads if that is faster.

use super::parts::parts_of;
use super::terms::Term;
use super::{ClockedForce, ForceKind};
use crate::stepper::asynchronous::trajectory::Vertex;
use nalgebra::Vector3;
use rayon::prelude::*;

/// Largest number of clusters.
const MAX_PARTS: usize = 32;

/// A term and the indices of its points.
pub(super) type Placed<T, const N: usize> = ([u32; N], T);

/// Terms of one kind that tick together.
///
/// A term changes the velocities of its points, and damping depends on the impulses before it, so terms run in a fixed
/// order. Terms within a cluster run one after the other. Different clusters run in parallel, since they have no common
/// point. Terms between clusters run last. Clusters depend on the mesh only, not on the number of threads.
#[derive(Clone, Debug)]
pub(super) struct Batch<T, const N: usize> {
    period: f64,
    stencil: Vec<u32>,
    parts: Vec<BatchPart<T, N>>,
    between: Vec<Placed<T, N>>,
}

/// Terms with their own numbering of points.
#[derive(Clone, Debug)]
struct BatchPart<T, const N: usize> {
    points: Vec<u32>,
    terms: Vec<Placed<T, N>>,
    /// Buffer for the vertices of `points`.
    vertices: Vec<Vertex>,
}

impl<T: Term<N>, const N: usize> Batch<T, N> {
    /// A batch of terms, with the rest positions of all points (m).
    pub(super) fn new(period: f64, terms: Vec<Placed<T, N>>, rest: &[Vector3<f64>]) -> Self {
        let mut stencil: Vec<u32> = terms.iter().flat_map(|(points, _)| *points).collect();
        stencil.sort_unstable();
        stencil.dedup();
        let count = (terms.len() / T::WORTH_A_THREAD).min(MAX_PARTS);
        let (mut parts, mut between) = (Vec::new(), Vec::new());
        if count < 2 {
            between = terms;
        } else {
            // For each point, its cluster and its index there.
            let mut place_of = vec![(0, 0); rest.len()];
            for (number, points) in parts_of(&stencil, rest, count).into_iter().enumerate() {
                for (place, &point) in (0_u32..).zip(&points) {
                    place_of[point as usize] = (number, place);
                }
                parts.push(BatchPart {
                    vertices: Vec::with_capacity(points.len()),
                    points,
                    terms: Vec::new(),
                });
            }
            for (points, term) in terms {
                let places = points.map(|point| place_of[point as usize]);
                if places.iter().all(|&(part, _)| part == places[0].0) {
                    let local = places.map(|(_, place)| place);
                    parts[places[0].0].terms.push((local, term));
                } else {
                    between.push((points, term));
                }
            }
        }
        Self {
            period,
            stencil,
            parts,
            between,
        }
    }
}

impl<T: Term<N>, const N: usize> ClockedForce for Batch<T, N> {
    fn kind(&self) -> ForceKind {
        T::KIND
    }

    fn period(&self) -> f64 {
        self.period
    }

    fn terms(&self) -> usize {
        self.parts
            .iter()
            .map(|part| part.terms.len())
            .sum::<usize>()
            + self.between.len()
    }

    fn stencil(&self) -> &[u32] {
        &self.stencil
    }

    fn kick(&mut self, vertices: &mut [Vertex]) {
        let period = self.period;
        let all: &[Vertex] = vertices;
        self.parts.par_iter_mut().with_max_len(1).for_each(|part| {
            part.vertices.clear();
            let of_part = part.points.iter().map(|&point| all[point as usize]);
            part.vertices.extend(of_part);
            for (points, term) in &part.terms {
                term.kick(points, &mut part.vertices, period);
            }
        });
        for part in &self.parts {
            for (&point, vertex) in part.points.iter().zip(&part.vertices) {
                vertices[point as usize].velocity = vertex.velocity;
            }
        }
        for (points, term) in &self.between {
            term.kick(points, vertices, period);
        }
    }

    fn energy(&self, positions: &[Vector3<f64>]) -> f64 {
        let at = |point: u32| positions[point as usize];
        let of_parts = self.parts.iter().flat_map(|part| {
            let place = |local: u32| at(part.points[local as usize]);
            part.terms
                .iter()
                .map(move |(points, term)| term.energy(&points.map(place)))
        });
        let between = self
            .between
            .iter()
            .map(|(points, term)| term.energy(&points.map(at)));
        of_parts.chain(between).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::terms::DampedSpring;
    use super::*;
    use impinge_fem::thin::EdgeSpring;

    /// A square of undamped springs, whose order does not matter: by clusters, and one by one.
    #[test]
    fn parts_kick_as_all_terms_do() {
        let side = 70_u32;
        let at = |k: u32| Vector3::new(f64::from(k % side), f64::from(k / side), 0.0);
        let rest: Vec<Vector3<f64>> = (0..side * side).map(at).collect();
        let beside = (0..side * side)
            .filter(|k| k % side + 1 < side)
            .map(|k| [k, k + 1]);
        let above = (0..side * (side - 1)).map(|k| [k, k + side]);
        let terms: Vec<Placed<DampedSpring, 2>> = beside
            .chain(above)
            .map(|points| {
                let ends = points.map(|point| rest[point as usize]);
                let spring = EdgeSpring::new(points, &ends, 3.0).expect("a sound spring");
                let damping = 0.0;
                (points, DampedSpring { spring, damping })
            })
            .collect();
        let place = |k: u32| at(k) * 1.1 + Vector3::z() * f64::from(k * k % 11) * 0.05;
        let vertex = |k: u32| Vertex {
            position: place(k),
            time: 0.0,
            velocity: Vector3::zeros(),
            inverse_mass: 1.0 + f64::from(k % 3),
        };
        let mut expected: Vec<Vertex> = (0..side * side).map(vertex).collect();
        let mut vertices = expected.clone();
        for (points, term) in &terms {
            term.kick(points, &mut expected, 1e-2);
        }
        let places: Vec<Vector3<f64>> = (0..side * side).map(place).collect();
        let energy: f64 = terms
            .iter()
            .map(|(points, term)| Term::energy(term, &points.map(|k| places[k as usize])))
            .sum();
        let mut batch = Batch::new(1e-2, terms.clone(), &rest);
        assert!(batch.parts.len() >= 4, "a batch so large has parts");
        assert!(batch.between.len() < terms.len() / 10);
        assert_eq!(batch.terms(), terms.len());
        assert_eq!(batch.stencil(), (0..side * side).collect::<Vec<u32>>());
        batch.kick(&mut vertices);
        for (one, other) in vertices.iter().zip(&expected) {
            assert_eq!(one.position, other.position);
            assert!((one.velocity - other.velocity).norm() < 1e-14);
            assert!(other.velocity.norm() > 1e-6);
        }
        assert!((batch.energy(&places) - energy).abs() < 1e-12 * energy);
    }
}
