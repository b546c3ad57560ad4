//! What is known of deformable bodies beyond the matrix of a step: how they yield at rest, and how far they have turned.
//!
//! A method that approximates `A⁻¹` gets it through [`ContactSolver::know_bodies`](crate::ContactSolver::know_bodies); all
//! others ignore it.
//!
//! ```text
//! A⁻¹ ≈ R (A⁰)⁻¹ Rᵀ,     R = one rotation per node         (compliance warping)
//! ```
//!
//! - [`RestCompliance`]: factors of `A⁰`, and `(A⁰)⁻¹` between the nodes of the surface, shared by equal bodies;
//! - [`TurnedBodies`]: which blocks of a problem they are the compliance of, and the rotations of these.

mod bodies;
mod rest;

pub use bodies::{RigidMoments, TurnedBodies, TurnedBody};
pub use rest::RestCompliance;
