//! Compliance of deformable bodies at rest, and their present rotations: data beyond the matrix of a step.
//!
//! Methods that approximate `A⁻¹` get it through [`ContactSolver::know_bodies`](crate::ContactSolver::know_bodies); all
//! others ignore it.
//!
//! ```text
//! A⁻¹ ≈ R (A⁰)⁻¹ Rᵀ,     R = one rotation per node         (compliance warping)
//! ```
//!
//! - [`RestCompliance`]: factors of `A⁰`, and `(A⁰)⁻¹` between surface nodes, shared by congruent bodies;
//! - [`TurnedBodies`]: the blocks of a problem that belong to each body, and their rotations.

mod bodies;
mod rest;

pub use bodies::{RigidMoments, TurnedBodies, TurnedBody};
pub use rest::RestCompliance;
