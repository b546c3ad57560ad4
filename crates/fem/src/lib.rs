//! Finite elements for deformable solids, assembled into a fixed block pattern, and the inertia of rigid bodies.
//!
//! A material is an energy density `Ψ` (J/m³) of the deformation gradient `F`; everything else follows from it: `P =
//! ∂Ψ/∂F`, `f = −∂E/∂x` with `E = Σ w₀ Ψ(F)`, and `K = −∂f/∂x`, made positive semi-definite so that the momentum matrix
//! `A = M + h (a_M M + a_K K) + h² K` of an implicit step is positive definite for every configuration.
//!
//! In the order in which data flows:
//! - [`element`]: the linear tetrahedron; [`hexahedron`]: the trilinear hexahedron;
//! - [`kinematics`]: rotation and principal stretches of a deformation gradient, inverted ones included;
//! - [`material`]: energy, stress and tangent;
//!
//!   | material, from `young` (Pa) and `poisson` | good for |
//!   |---|---|
//!   | [`Material::corotational`] | large rotation, moderate strain; constant matrix up to rotation |
//!   | [`Material::st_venant_kirchhoff`] | large rotation, moderate strain; the same energy in strain rows |
//!   | [`Material::neo_hookean`] | large strain, compression, inversion |
//! - [`plasticity`]: plastic strain;
//! - [`damping`]: Rayleigh coefficients per element;
//! - [`assembly`]: the global energy, forces, masses, and the linear system of a step;
//! - [`thin`]: springs, triangles and hinges of thin bodies, term by term;
//! - [`rigid`]: mass, centre and inertia of a rigid body, its pose, and its torque-free rotation.
//!
//! ```
//! use impinge_fem::{ElasticModel, Material};
//! use nalgebra::Vector3;
//!
//! let rest = [Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()];
//! let rubber = Material::neo_hookean(5e5, 0.2)?;
//! let model = ElasticModel::new(&rest, &[[0, 1, 2, 3]], &[rubber], &[0], &[1000.0])?;
//!
//! // Pull one point outwards: the force is the slope of the energy, backwards.
//! let stretched = |by: f64| [rest[0], rest[1] + Vector3::x() * by, rest[2], rest[3]];
//! let mut force = [Vector3::zeros(); 4];
//! model.elastic_force_into(&stretched(0.3), &mut force);
//! let step = 1e-5;
//! let slope = (model.energy(&stretched(0.3 + step)) - model.energy(&stretched(0.3 - step))) / (2.0 * step);
//! assert!((force[1].x + slope).abs() < 1e-6 * slope.abs());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Features, all on by default: `parallel` (threads; the same bits), `serde` ([`rigid::RigidPose`] as data).
//!
//! Does not know: contact, files, time (a step length enters as [`AssemblyScales`] and in [`rigid`] only).
//!
//! Present limits: linear tetrahedra and trilinear hexahedra only (both lock near `poisson = 0.5`); thin bodies are not
//! assembled into a matrix; lumped mass only; isotropic materials only.

#![expect(
    clippy::inline_always,
    reason = "what runs in lanes has the instructions of the function that it is inlined into"
)]

pub mod assembly;
pub mod damping;
pub mod element;
mod error;
pub mod hexahedron;
pub mod kinematics;
mod lanes;
pub mod material;
pub mod plasticity;
pub mod rigid;
pub mod thin;

/// Vectors and matrices of the signatures of this crate, in the version that it uses.
pub use nalgebra;

pub use assembly::{Assembler, AssemblyScales, ElasticModel, NodalMotion, VolumeRatio};
pub use damping::RayleighDamping;
pub use element::TetElement;
pub use error::FemError;
pub use hexahedron::{HexElement, QuadraturePoint};
pub use material::*;
pub use plasticity::VonMises;
pub use rigid::{RigidInertia, RigidPose};
