//! Frictional contact at the velocity level: the problem as plain data, an independent residual for every solution, and
//! the methods that solve it.
//!
//! With the momentum matrix `A` (kg), its right-hand side `b` (N·s) and contact rows `J` that contain the step length
//! (s), a step needs velocities `v`, normal forces `λ` and friction forces `F` with
//!
//! ```text
//! A v = b + Jᵀ λ + J_tᵀ F
//! g = J v − c_n ≥ 0,   λ ≥ 0,   λ g = 0                     (Signorini)
//! ‖F‖ ≤ μ λ,           F = −μ λ s/‖s‖ where s = J_t v − c_t ≠ 0   (Coulomb, maximum dissipation)
//! ```
//!
//! In data-flow order:
//! - [`frame`]: the orthonormal frame of a contact, rotated with its normal;
//! - [`problem`]: rows, offsets and coefficients, free of any method;
//! - [`solution`]: velocities and multipliers, both warm start and result;
//! - [`compliance`]: compliance of bodies at rest, for methods that approximate `A⁻¹`;
//! - [`constraint`]: joints, links and strains with compliance and geometric stiffness, as further rows;
//! - [`method`]: the active-set conjugate-residual solver, the methods it is compared with, and their reports;
//! - [`mod@residual`]: the independent residual; it shares no code with a solver;
//! - [`stored`]: a problem with its warm start as bytes, for replay;
//! - [`penalty`]: penalty layers instead of a problem, for the asynchronous stepper;
//! - [`delassus`]: friction problems `u = W r + q` from any program, their methods and their residual.
//!
//! | method | needs | approximates |
//! |---|---|---|
//! | [`method::active_set_cr`] | products with `A`, its blocks for coarse grids | nothing; knows constraint rows |
//! | [`method::staggered_projections`] | products with `A`, its diagonal | nothing if it converges; cone or pyramid |
//! | [`method::corrective_motion`] | a factor of `A`, or [`compliance`] at rest | `A⁻¹` if at rest, by some percent |
//! | [`method::constraint_anticipation`] | the blocks of `A` | nothing, but slow for stiff bodies; cone or pyramid |
//! | [`method::compliant_kkt`] | the blocks of `A` | nothing; knows constraint rows |
//!
//! ```
//! use impinge_contact::method::{ContactSolver, active_set_cr::{ActiveSetCr, ActiveSetCrSettings}};
//! use impinge_contact::problem::{ContactProblem, ContactRow};
//! use impinge_contact::residual::residual;
//! use impinge_contact::solution::ContactSolution;
//! use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
//! use nalgebra::{Matrix3, Vector3};
//!
//! // A particle of 1 kg, 1 mm above the ground, falling at 2 m/s: within 1 ms it must stop at the ground.
//! let mut momentum = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(1, []));
//! momentum.values_mut()[0] = Matrix3::identity();
//! let mut problem = ContactProblem::new(1e-3, momentum, vec![0.0, 0.0, -2.0]);
//! let jacobian = [(0, 1e-3 * Matrix3::new(0., 0., 1., 1., 0., 0., 0., 1., 0.))];
//! problem.push(&ContactRow { entries: &jacobian, offset: Vector3::new(-1e-3, 0.0, 0.0), friction: 0.5 });
//!
//! let mut solution = ContactSolution::at_rest(&problem);
//! let settings = ActiveSetCrSettings::default();
//! let report = ActiveSetCr::new(settings).solve(&problem, &mut solution)?;
//! assert!((1e-3 * solution.velocity[2] + 1e-3).abs() < settings.tolerances.gap);
//! assert!(residual(&problem, &solution).normal < settings.tolerances.gap);
//! # let _ = report;
//! # Ok::<(), impinge_contact::ContactError>(())
//! ```
//!
//! **Features**, all on by default: `io` (module [`stored`]), `parallel` (threads; the same bits), `serde` (settings
//! and results as data, settings by name).
//!
//! **Does not know** elements, materials, meshes, files or clocks: collision detection and re-linearisation are the
//! caller's.
//!
//! **Limits:** constraint rows are for `cr`, `active-set`, `compliant-kkt` and the residual; the other methods reject
//! them ([`method::Capabilities`]). Every contact has one coefficient of friction and no restitution.

mod block;
pub mod compliance;
pub mod constraint;
pub mod delassus;
mod error;
pub mod frame;
mod interrupt;
pub mod islands;
mod law;
pub mod method;
pub mod penalty;
pub mod problem;
pub mod residual;
mod setting;
pub mod solution;
#[cfg(feature = "io")]
pub mod stored;
mod sweep;
mod tolerances;

/// Vectors and matrices of the signatures of this crate, in the version that it uses.
pub use nalgebra;
/// Sparse matrices of the signatures of this crate, in the version that it uses.
pub use nalgebra_sparse;

pub use error::ContactError;
pub use interrupt::Interrupt;
pub use islands::{Island, Islands};
pub use method::{ContactReport, ContactResult, ContactSolver, Method, Termination};
pub use problem::{ContactProblem, ContactRow, RestNode};
pub use residual::{ContactResidual, Excess, FrictionLaw, residual, residual_under};
pub use solution::{ContactSolution, ContactState, Multipliers};
#[cfg(feature = "io")]
pub use stored::{StoredProblem, StoredProblemError};
pub use tolerances::Tolerances;
