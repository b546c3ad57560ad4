//! Forces with clocks, batched by clock.
//!
//! In the sense of the method every term is an event; terms that tick together run without passing through the queue.
//! Conservative forces at one instant depend on positions only, which do not change during it, so their order matters
//! only for rounding. Damping depends on the impulses before it. The order follows from the mesh alone (`batch`).

mod batch;
mod batches;
mod parts;
mod terms;
mod uniform;

pub use batches::ElasticTerms;
pub use uniform::{Drag, Pulls, UniformForce};

use super::trajectory::Vertex;
use nalgebra::Vector3;

/// Kinds of forces in the statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ForceKind {
    /// Springs along edges, damping included.
    Spring,
    /// Strain of triangles.
    Membrane,
    /// Bending.
    Hinge,
    /// Tetrahedra.
    Tet,
    /// Gravity and other given forces.
    Given,
}

/// Terms of one force that tick together.
pub trait ClockedForce: Send + Sync + std::fmt::Debug {
    /// Its kind.
    fn kind(&self) -> ForceKind;

    /// `h`: the period of its clock (s).
    fn period(&self) -> f64;

    /// Number of terms, each of which counts as one event per tick; one, unless the force is a sum.
    fn terms(&self) -> usize {
        1
    }

    /// The vertices whose velocity it may change, ascending and unique.
    fn stencil(&self) -> &[u32];

    /// Changes their velocities by the impulse of one period; all of them are at the time of the tick.
    ///
    /// `self` is mutable for buffers only: the result must depend on the vertices alone, since speculation repeats
    /// ticks.
    fn kick(&mut self, vertices: &mut [Vertex]);

    /// Potential energy at given positions (J).
    fn energy(&self, positions: &[Vector3<f64>]) -> f64;
}
