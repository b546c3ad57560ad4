//! Elastic terms, and their impulses on the velocities of their points.

use super::ForceKind;
use crate::stepper::asynchronous::trajectory::Vertex;
use impinge_fem::thin::hinge::hinge_angle;
use impinge_fem::thin::{EdgeSpring, Hinge, Membrane};
use impinge_fem::{Hyperelastic, Material, TetElement};
use nalgebra::Vector3;

/// A force between `N` points, independent of their numbering.
pub(super) trait Term<const N: usize>: Clone + Send + Sync + std::fmt::Debug {
    /// Its kind.
    const KIND: ForceKind;

    /// Number of terms that take about as long as waking a thread, some 40 µs.
    const WORTH_A_THREAD: usize;

    /// Changes the velocities of its points, the vertices `points`, by the impulse of a period (s).
    fn kick(&self, points: &[u32; N], vertices: &mut [Vertex], period: f64);

    /// Energy (J) with its points at these positions (m).
    fn energy(&self, x: &[Vector3<f64>; N]) -> f64;
}

#[inline]
fn gather<const N: usize>(vertices: &[Vertex], points: &[u32; N]) -> [Vector3<f64>; N] {
    points.map(|point| vertices[point as usize].position)
}

#[inline]
fn velocities<const N: usize>(vertices: &[Vertex], points: &[u32; N]) -> [Vector3<f64>; N] {
    points.map(|point| vertices[point as usize].velocity)
}

/// Applies forces (N) for a period (s).
#[inline]
fn apply<const N: usize>(
    vertices: &mut [Vertex],
    points: &[u32; N],
    forces: &[Vector3<f64>; N],
    period: f64,
) {
    for (&point, force) in points.iter().zip(forces) {
        vertices[point as usize].kick(&(force * period));
    }
}

/// Applies damping forces `f` (N) for a period (s), but at most for the time that removes the most kinetic energy:
/// `−f·v / Σ |f|²/m`. After it they would reverse the motion, and after twice that time add energy. The bound holds
/// however far a term is stretched beyond the shape for which its clock was chosen. One factor for all points preserves
/// momentum.
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
        apply(vertices, points, forces, period.min(power / mobility));
    }
}

/// A spring with damping along its edge (Kelvin): the impulse `−h b u (u · (v₀ − v₁))` on its first point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DampedSpring {
    pub(super) spring: EdgeSpring,
    /// `b` (N s/m), not negative.
    pub(super) damping: f64,
}

impl Term<2> for DampedSpring {
    const KIND: ForceKind = ForceKind::Spring;
    const WORTH_A_THREAD: usize = 2048;

    #[inline]
    fn kick(&self, points: &[u32; 2], vertices: &mut [Vertex], period: f64) {
        let [first, second] = points.map(|point| point as usize);
        let x = gather(vertices, points);
        let mut impulse = self.spring.force(&x) * period;
        if self.damping > 0.0 {
            let edge = x[0] - x[1];
            let square = edge.norm_squared();
            if square > 0.0 {
                let closing = edge.dot(&(vertices[first].velocity - vertices[second].velocity));
                impulse -= edge * (period * self.damping * closing / square);
            }
        }
        vertices[first].kick(&impulse);
        vertices[second].kick(&-impulse);
    }

    fn energy(&self, x: &[Vector3<f64>; 2]) -> f64 {
        self.spring.energy(x)
    }
}

/// A triangle that resists strain.
impl Term<3> for Membrane {
    const KIND: ForceKind = ForceKind::Membrane;
    const WORTH_A_THREAD: usize = 1024;

    #[inline]
    fn kick(&self, points: &[u32; 3], vertices: &mut [Vertex], period: f64) {
        let forces = self.forces(&gather(vertices, points));
        apply(vertices, points, &forces, period);
    }

    fn energy(&self, x: &[Vector3<f64>; 3]) -> f64 {
        Membrane::energy(self, x)
    }
}

/// A hinge that resists bending, with its damping.
#[derive(Clone, Copy, Debug)]
pub(super) struct DampedHinge {
    pub(super) hinge: Hinge,
    /// Stiffness-proportional damping (s), not negative.
    pub(super) damping: f64,
}

impl Term<4> for DampedHinge {
    const KIND: ForceKind = ForceKind::Hinge;
    const WORTH_A_THREAD: usize = 768;

    #[inline]
    fn kick(&self, points: &[u32; 4], vertices: &mut [Vertex], period: f64) {
        let angle = hinge_angle(&gather(vertices, points));
        apply(vertices, points, &self.hinge.forces_at(&angle), period);
        if self.damping > 0.0 {
            let v = velocities(vertices, points);
            let forces = self.hinge.damping_forces_at(self.damping, &angle, &v);
            dissipate(vertices, points, &forces, period);
        }
    }

    fn energy(&self, x: &[Vector3<f64>; 4]) -> f64 {
        self.hinge.energy(x)
    }
}

/// A tetrahedron with its material.
#[derive(Clone, Debug)]
pub(super) struct SolidTet {
    pub(super) element: TetElement,
    pub(super) material: Material,
    /// Stiffness-proportional damping (s), not negative.
    pub(super) damping: f64,
}

impl Term<4> for SolidTet {
    const KIND: ForceKind = ForceKind::Tet;
    const WORTH_A_THREAD: usize = 96;

    #[inline]
    fn kick(&self, points: &[u32; 4], vertices: &mut [Vertex], period: f64) {
        let x = gather(vertices, points);
        let stress = self.material.stress(&self.element.deformation(&x));
        apply(vertices, points, &self.element.forces(&stress), period);
        if self.damping > 0.0 {
            let (lame, v) = (self.material.lame(), velocities(vertices, points));
            let forces = self.element.viscous_forces(&lame, self.damping, &x, &v);
            dissipate(vertices, points, &forces, period);
        }
    }

    fn energy(&self, x: &[Vector3<f64>; 4]) -> f64 {
        self.element.volume * self.material.energy_density(&self.element.deformation(x))
    }
}
