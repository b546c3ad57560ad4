//! Elastic forces by batches of one clock.

use super::{ClockedForce, ForceKind};
use crate::stepper::asynchronous::trajectory::Vertex;
use impinge_fem::thin::{EdgeSpring, Hinge, Membrane};
use impinge_fem::{Hyperelastic, Material, TetElement};
use nalgebra::Vector3;

/// A spring with damping along its edge (Kelvin): the impulse `−h b u (u · (v₀ − v₁))` on its first point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DampedSpring {
    /// The spring.
    pub spring: EdgeSpring,
    /// `b` (N s/m), not negative.
    pub damping: f64,
}

#[inline]
fn gather<const N: usize>(vertices: &[Vertex], points: &[u32; N]) -> [Vector3<f64>; N] {
    points.map(|point| vertices[point as usize].position)
}

#[inline]
fn look<const N: usize>(positions: &[Vector3<f64>], points: &[u32; N]) -> [Vector3<f64>; N] {
    points.map(|point| positions[point as usize])
}

/// The points that some terms use, ascending and unique.
pub(super) fn stencil_of(points: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut stencil: Vec<u32> = points.collect();
    stencil.sort_unstable();
    stencil.dedup();
    stencil
}

/// Springs along edges.
#[derive(Clone, Debug)]
pub struct SpringBatch {
    pub(super) period: f64,
    pub(super) terms: Vec<DampedSpring>,
    pub(super) stencil: Vec<u32>,
}

impl ClockedForce for SpringBatch {
    fn kind(&self) -> ForceKind {
        ForceKind::Spring
    }

    fn period(&self) -> f64 {
        self.period
    }

    fn terms(&self) -> usize {
        self.terms.len()
    }

    fn stencil(&self) -> &[u32] {
        &self.stencil
    }

    fn kick(&self, vertices: &mut [Vertex]) {
        for DampedSpring { spring, damping } in &self.terms {
            let [first, second] = spring.points.map(|point| point as usize);
            let x = gather(vertices, &spring.points);
            let mut impulse = spring.force(&x) * self.period;
            if *damping > 0.0 {
                let edge = x[0] - x[1];
                let square = edge.norm_squared();
                if square > 0.0 {
                    let closing = edge.dot(&(vertices[first].velocity - vertices[second].velocity));
                    impulse -= edge * (self.period * damping * closing / square);
                }
            }
            vertices[first].kick(&impulse);
            vertices[second].kick(&-impulse);
        }
    }

    fn energy(&self, positions: &[Vector3<f64>]) -> f64 {
        let of = |term: &DampedSpring| term.spring.energy(&look(positions, &term.spring.points));
        self.terms.iter().map(of).sum()
    }
}

macro_rules! plain_batch {
    ($(#[$doc:meta])* $name:ident, $term:ty, $kind:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name {
            pub(super) period: f64,
            pub(super) terms: Vec<$term>,
            pub(super) stencil: Vec<u32>,
        }

        impl ClockedForce for $name {
            fn kind(&self) -> ForceKind {
                $kind
            }

            fn period(&self) -> f64 {
                self.period
            }

            fn terms(&self) -> usize {
                self.terms.len()
            }

            fn stencil(&self) -> &[u32] {
                &self.stencil
            }

            fn kick(&self, vertices: &mut [Vertex]) {
                for term in &self.terms {
                    let forces = term.forces(&gather(vertices, &term.points));
                    for (&point, force) in term.points.iter().zip(&forces) {
                        vertices[point as usize].kick(&(force * self.period));
                    }
                }
            }

            fn energy(&self, positions: &[Vector3<f64>]) -> f64 {
                let of = |term: &$term| term.energy(&look(positions, &term.points));
                self.terms.iter().map(of).sum()
            }
        }
    };
}

plain_batch!(
    /// Triangles that resist strain.
    MembraneBatch,
    Membrane,
    ForceKind::Membrane
);
plain_batch!(
    /// Hinges that resist bending.
    HingeBatch,
    Hinge,
    ForceKind::Hinge
);
plain_batch!(
    /// Tetrahedra, each with its material.
    TetBatch,
    SolidTet,
    ForceKind::Tet
);

/// A tetrahedron with its material.
#[derive(Clone, Copy, Debug)]
pub(super) struct SolidTet {
    pub(super) points: [u32; 4],
    pub(super) element: TetElement,
    pub(super) material: Material,
}

impl SolidTet {
    #[inline]
    fn forces(&self, x: &[Vector3<f64>; 4]) -> [Vector3<f64>; 4] {
        let stress = self.material.stress(&self.element.deformation(x));
        self.element.forces(&stress)
    }

    fn energy(&self, x: &[Vector3<f64>; 4]) -> f64 {
        self.element.volume * self.material.energy_density(&self.element.deformation(x))
    }
}
