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
fn velocities<const N: usize>(vertices: &[Vertex], points: &[u32; N]) -> [Vector3<f64>; N] {
    points.map(|point| vertices[point as usize].velocity)
}

/// Applies damping forces `f` (N) for a period (s), but not for longer than takes the most kinetic energy:
/// `−f·v / Σ |f|²/m`. Beyond it they would begin to turn the motion round, and beyond twice that to add energy, which they do
/// not do however far a term is stretched beyond the shape that its clock was made for. One factor for all points leaves
/// momentum as it is.
#[inline]
fn dissipate<const N: usize>(
    vertices: &mut [Vertex],
    points: &[u32; N],
    forces: &[Vector3<f64>; N],
    period: f64,
) {
    let (mut power, mut mobility) = (0.0, 0.0);
    for (&point, force) in points.iter().zip(forces) {
        let vertex = &vertices[point as usize];
        power -= force.dot(&vertex.velocity);
        mobility += force.norm_squared() * vertex.inverse_mass;
    }
    if power > 0.0 && mobility > 0.0 {
        let duration = period.min(power / mobility);
        for (&point, force) in points.iter().zip(forces) {
            vertices[point as usize].kick(&(force * duration));
        }
    }
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
                    term.damp(vertices, self.period);
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
    DampedHinge,
    ForceKind::Hinge
);
plain_batch!(
    /// Tetrahedra, each with its material.
    TetBatch,
    SolidTet,
    ForceKind::Tet
);

/// What a term does to velocities, after its elastic kick.
trait Damp {
    fn damp(&self, vertices: &mut [Vertex], period: f64);
}

impl Damp for Membrane {
    #[inline]
    fn damp(&self, _: &mut [Vertex], _: f64) {}
}

/// A hinge with its damping.
#[derive(Clone, Copy, Debug)]
pub(super) struct DampedHinge {
    pub(super) points: [u32; 4],
    pub(super) hinge: Hinge,
    /// In proportion to stiffness (s), not negative.
    pub(super) damping: f64,
}

impl DampedHinge {
    #[inline]
    fn forces(&self, x: &[Vector3<f64>; 4]) -> [Vector3<f64>; 4] {
        self.hinge.forces(x)
    }

    fn energy(&self, x: &[Vector3<f64>; 4]) -> f64 {
        self.hinge.energy(x)
    }
}

impl Damp for DampedHinge {
    #[inline]
    fn damp(&self, vertices: &mut [Vertex], period: f64) {
        if self.damping > 0.0 {
            let (x, v) = (
                gather(vertices, &self.points),
                velocities(vertices, &self.points),
            );
            let forces = self.hinge.damping_forces(self.damping, &x, &v);
            dissipate(vertices, &self.points, &forces, period);
        }
    }
}

/// A tetrahedron with its material.
#[derive(Clone, Copy, Debug)]
pub(super) struct SolidTet {
    pub(super) points: [u32; 4],
    pub(super) element: TetElement,
    pub(super) material: Material,
    /// In proportion to stiffness (s), not negative.
    pub(super) damping: f64,
}

impl Damp for SolidTet {
    #[inline]
    fn damp(&self, vertices: &mut [Vertex], period: f64) {
        if self.damping > 0.0 {
            let (x, v) = (
                gather(vertices, &self.points),
                velocities(vertices, &self.points),
            );
            let lame = self.material.lame();
            let forces = self.element.viscous_forces(&lame, self.damping, &x, &v);
            dissipate(vertices, &self.points, &forces, period);
        }
    }
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
