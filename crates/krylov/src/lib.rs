//! Symmetric 3×3-block sparse matrices, and Krylov methods for `A x = b`, one step at a time.
//!
//! The contract: the same input gives the same bits whatever the number of threads, nothing is allocated once a
//! workspace has grown, and a solve reports the residual `‖b − A x‖₂` recomputed from its definition.
//!
//! | method                | assumes of `A`     | vectors kept | never grows                              |
//! |-----------------------|--------------------|--------------|------------------------------------------|
//! | [`ConjugateGradient`] | positive definite  | 4            | the energy `½ xᵀ A x − bᵀ x`             |
//! | [`ConjugateResidual`] | symmetric          | 6            | `√(rᵀ M⁻¹ r)`; may break down if indefinite |
//! | [`Minres`]            | symmetric          | 7            | `√(rᵀ M⁻¹ r)`                            |
//!
//! [`GuardedConjugateResidual`] serves systems whose rows come and go between restarts, as those of contact.
//!
//! - [`block`]: half-stored symmetric matrices of 3×3 blocks and their product;
//! - [`vector`]: dot products and updates with one rounding order;
//! - [`operator`]: products with a matrix; [`preconditioner`]: cheap approximate inverses;
//! - [`forest`]: connected components of numbered nodes;
//! - [`direct`]: sparse factorisations, for many solves with one matrix;
//! - [`system`]: operator, preconditioner and right-hand side, borrowed together;
//! - [`method`]: the methods, one step at a time; [`mod@solve`]: a solve to a given accuracy, and its report.
//!
//! # Example
//! The Laplacian of a chain of 50 nodes, fixed at its ends:
//! ```
//! use impinge_krylov::{
//!     BlockJacobi, BlockPattern, ConjugateResidual, LinearSystem, StoppingRule, SymmetricBlockMatrix, Termination,
//!     solve,
//! };
//! use nalgebra::Matrix3;
//!
//! let chain = BlockPattern::from_pairs(50, (1..50).map(|i| (i - 1, i)));
//! let mut matrix = SymmetricBlockMatrix::zeros(chain);
//! matrix.values_mut().fill(-Matrix3::identity());
//! for i in 0..50 {
//!     *matrix.diagonal_block_mut(i) = 2.0 * Matrix3::identity();
//! }
//! let preconditioner = BlockJacobi::new(&matrix)?;
//! let system = LinearSystem { operator: &matrix, preconditioner: &preconditioner, rhs: &[1.0; 150] };
//!
//! let mut x = vec![0.0; 150];
//! let rule = StoppingRule { relative: 1e-10, absolute: 0.0, max_iterations: 150 };
//! let report = solve(&mut ConjugateResidual::new(), &system, &mut x, &rule);
//! assert_eq!(report.termination, Termination::Converged);
//! // A parabola through zero beyond both ends.
//! assert!((x[0] - 25.0).abs() < 1e-6);
//! # Ok::<(), impinge_krylov::KrylovError>(())
//! ```
//!
//! Features, all on by default: `direct` (module [`direct`], depends on faer), `parallel` (threads; the same bits).
//!
//! It does **not** know: meshes, materials, contact, time.
//!
//! Present limits: blocks are 3×3, numbers are `f64`, and iterated matrices are symmetric.

pub mod block;
#[cfg(feature = "direct")]
pub mod direct;
pub mod error;
pub mod forest;
pub mod method;
pub mod operator;
pub mod preconditioner;
pub mod solve;
pub mod system;
pub mod vector;

/// Vectors and matrices of the signatures of this crate, in the version that it uses.
pub use nalgebra;
/// Sparse matrices of the signatures of this crate, in the version that it uses.
pub use nalgebra_sparse;

pub use block::{BlockPattern, SymmetricBlockMatrix};
pub use error::KrylovError;
pub use method::{
    ConjugateGradient, ConjugateResidual, GuardedConjugateResidual, KrylovMethod, KrylovVector,
    Minres, PartialSystem, Step, StepOutcome,
};
pub use operator::LinearOperator;
#[cfg(feature = "direct")]
pub use preconditioner::CoarseGrid;
pub use preconditioner::{BlockJacobi, Identity, Jacobi, Preconditioner};
pub use solve::{KrylovReport, StoppingRule, Termination, solve};
pub use system::LinearSystem;
