//! Contact methods and their reports.

pub mod active_set_cr;
mod choice;
pub mod compliant_kkt;
pub mod constraint_anticipation;
pub mod corrective_motion;
mod friction_stages;
mod masked_rows;
mod restart_delay;
mod rows;
#[cfg(feature = "serde")]
mod setting_by_key;
mod spec;
pub mod staggered_projections;
mod trace;

pub use choice::MethodError;
pub use spec::{Capabilities, Method, MethodSpec, RowSupport};
pub use trace::TraceRow;

use crate::compliance::TurnedBodies;
use crate::{ContactError, ContactProblem, ContactSolution, Interrupt, Tolerances};
use impinge_krylov::preconditioner::Preconditioner;
use std::sync::Arc;

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Termination {
    /// Momentum, gaps and slips are within tolerance, and no state changes.
    Converged,
    /// Over-constrained contacts: a least-squares solution, which the caller must check for penetration.
    LeastSquares,
    /// The iteration limit was reached; the solution is the last iterate.
    #[default]
    MaxIterations,
    /// A number became non-finite; the solution is the last finite iterate or the warm start.
    Breakdown,
}

/// Counts and outcome of one solve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactReport {
    /// How it ended.
    pub termination: Termination,
    /// Iterations of the method. For conjugate residuals: steps along directions.
    pub iterations: u64,
    /// Iterations of the active-set prediction, included in `iterations`.
    pub prediction_iterations: u64,
    /// Products with `A` beyond one per iteration: restarts and exact refreshes.
    pub extra_products: u64,
    /// Active-set updates.
    pub evaluations: u64,
    /// Committed state changes.
    pub state_changes: u64,
    /// Number of times that a preconditioner failed: the indefinite one had zero curvature and was replaced by the
    /// diagonal one, or a coarse grid could not be factorised and was left out.
    pub preconditioner_fallbacks: u32,
    /// Passes of an outer iteration: projections of staggered projections, passes of constraint anticipation.
    pub passes: u64,
    /// Gauss-Seidel sweeps over the contacts alone; they need no product with `A`.
    pub sweeps: u64,
    /// Whether friction converged to the gap tolerance only, because the slip tolerance took too many iterations.
    pub relaxed: bool,
    /// Final `‖(r_v, r_m)‖₂` as computed by the method (N·s), rows by their share of their tolerance in conjugate
    /// residuals; [`fn@crate::residual`] is independent.
    pub residual: f64,
}

impl ContactReport {
    /// Adds the counts of another solve of the same problem by conjugate residuals, without its outcome.
    fn add_effort(&mut self, other: &Self) {
        self.iterations += other.iterations;
        self.prediction_iterations += other.prediction_iterations;
        self.extra_products += other.extra_products;
        self.evaluations += other.evaluations;
        self.state_changes += other.state_changes;
        self.preconditioner_fallbacks += other.preconditioner_fallbacks;
    }
}

/// Report of a solve, or why the problem or the settings are unusable.
pub type ContactResult = Result<ContactReport, ContactError>;

/// A method for contact problems.
///
/// A method from another crate implements the first three functions. Its result depends on problem and warm start
/// alone, so that runs repeat; it keeps the lengths of `solution`; its own errors are [`ContactError::Custom`].
pub trait ContactSolver {
    /// Solves `problem`, starting from and ending in `solution`.
    ///
    /// Ending early is no error: the report says so and `solution` holds the last iterate.
    ///
    /// # Errors
    /// [`ContactError`] when the problem or the settings are unusable; `solution` is untouched then.
    fn solve(&mut self, problem: &ContactProblem, solution: &mut ContactSolution) -> ContactResult;

    /// Sets the tolerances of the following solves.
    fn set_tolerances(&mut self, tolerances: Tolerances);

    /// Sets a signal that ends solves at their next iteration, as at the iteration limit.
    fn heed(&mut self, interrupt: &Interrupt);

    /// Sets data of the bodies beyond the matrix, for the following problems; only methods that approximate `A⁻¹` use
    /// them.
    fn know_bodies(&mut self, bodies: &Arc<TurnedBodies>) {
        let _ = bodies;
    }

    /// Takes a preconditioner of the momentum matrix for the solves to come, where the method has a place for one.
    /// Returns whether it has; by default it has none.
    fn precondition(&mut self, preconditioner: Box<dyn Preconditioner + Send>) -> bool {
        let _ = preconditioner;
        false
    }

    /// Records every iteration of the next solve into [`trace`](Self::trace), if the method supports it.
    fn record(&mut self) {}

    /// The iterations of the last solve since [`record`](Self::record); empty if there was none.
    fn trace(&self) -> &[TraceRow] {
        &[]
    }
}
