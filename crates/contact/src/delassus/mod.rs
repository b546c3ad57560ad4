//! Bare friction problems `u = W r + q` and the methods that solve them.
//!
//! `W` (3×3 blocks) is the Delassus matrix, `r` the reactions, `u` the relative velocities, `(N, T₁, T₂)` at every
//! contact. At each of them
//!
//! ```text
//! u_N ≥ 0,  r_N ≥ 0,  u_N r_N = 0                                   (Signorini)
//! ‖r_T‖ ≤ μ r_N;   u_T = 0  or  r_T = −μ r_N u_T/‖u_T‖              (Coulomb)
//! ```
//!
//! In the order of the data's flow:
//! - [`read_problem`]: the text format of such problems, bodies included or condensed; [`write_vectors`];
//! - [`BlockRows`], [`FrictionProblem`], [`GlobalFrictionProblem`]: the problem, validated;
//! - [`GaussSeidel`], [`ProximalNewton`], [`Admm`], [`Auto`]: the methods;
//! - [`friction_residual`]: the judge.
//!
//! | method | needs | reaches |
//! |---|---|---|
//! | [`GaussSeidel`] | products with rows of `W` | a few digits, unless it cycles |
//! | [`Admm`] | one sparse factorisation per weight | a few digits, also where Gauss-Seidel cycles |
//! | [`ProximalNewton`] | one sparse factorisation per step | rounding, from a start that is good enough |
//! | [`Auto`] | all of them | the best of them |

mod admm;
mod alart_curnier;
mod auto;
mod blocks;
mod choice;
mod error;
mod fcp;
mod gauss_seidel;
mod global;
mod judge;
mod local;
mod newton;
mod problem;
mod progress;
mod solver;

pub use admm::Admm;
pub use auto::Auto;
pub use blocks::BlockRows;
pub use error::FrictionError;
pub use fcp::{StoredFrictionProblem, read_problem, read_vectors, write_vectors};
pub use gauss_seidel::GaussSeidel;
pub use global::GlobalFrictionProblem;
pub use judge::{
    FrictionResidual, GlobalFrictionResidual, friction_residual, global_friction_residual,
};
pub use local::one_contact;
pub(crate) use local::one_contact_near;
pub use newton::ProximalNewton;
pub use problem::FrictionProblem;
pub use solver::{FrictionMethod, FrictionReport, FrictionSolver, Target};
