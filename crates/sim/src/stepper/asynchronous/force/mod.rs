//! Forces with clocks, many terms of one clock in one batch.
//!
//! Every term is an event of its own in the sense of the method; those that tick together are run without going through the
//! queue. Conservative forces at one instant depend on positions only, which do not change during it, so their order does not
//! matter beyond rounding; what damps sees what others did before it. The order follows from the mesh alone (`batch`).

mod batch;
mod batches;
mod parts;
mod terms;
mod uniform;

pub use batches::ElasticTerms;
pub use uniform::{Drag, Pulls, UniformForce};

use super::trajectory::Vertex;
use nalgebra::Vector3;

/// Kinds of forces, as statistics tell them apart.
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
    /// What it counts as.
    fn kind(&self) -> ForceKind;

    /// `h`: the period of its clock (s).
    fn period(&self) -> f64;

    /// Number of terms, each of which is one event per tick.
    fn terms(&self) -> usize;

    /// The vertices whose velocity it may change, ascending and unique.
    fn stencil(&self) -> &[u32];

    /// Changes their velocities by the impulse of one period; all of them are at the time of the tick.
    ///
    /// `self` is for scratch only: what it does has to follow from the vertices alone, for speculation takes ticks back.
    fn kick(&mut self, vertices: &mut [Vertex]);

    /// Potential energy at given positions (J).
    fn energy(&self, positions: &[Vector3<f64>]) -> f64;
}
