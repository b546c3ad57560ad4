//! Elastic terms of thin bodies: a surface of triangles that stretches and bends.
//!
//! Each term depends on the positions of its few points alone: energy, forces `f = −∂E/∂x`, a positive semi-definite
//! stiffness for implicit steps, and a bound of its largest frequency for explicit ones. Assembly and time integration
//! are elsewhere.
//!
//! - [`edge_spring`]: resists a change of length of an edge;
//! - [`membrane`]: resists any strain within a triangle, Poisson's ratio included;
//! - [`hinge`]: resists a change of the angle between two triangles (discrete shells);
//! - [`shell`]: all of them for a surface, and its lumped mass.

pub mod edge_spring;
mod error;
pub mod hinge;
pub mod membrane;
pub mod shell;

pub use edge_spring::EdgeSpring;
pub use error::ThinError;
pub use hinge::Hinge;
pub use membrane::Membrane;
pub use shell::{Shell, ShellMaterial};
