//! Contact methods and what they report.

pub mod active_set_cr;
mod block_pivoting;
mod choice;
pub mod compliant_kkt;
pub mod constraint_anticipation;
pub mod corrective_motion;
mod masked_rows;
mod restart_delay;
mod rows;
#[cfg(feature = "serde")]
mod setting_by_key;
mod settings;
mod spec;
pub mod staggered_projections;
mod trace;

pub use choice::MethodError;
pub use settings::Method;
pub use spec::{Capabilities, MethodSpec};
pub use trace::TraceRow;

use crate::compliance::TurnedBodies;
use crate::{ContactError, ContactProblem, ContactSolution, Interrupt, Tolerances};
use impinge_krylov::preconditioner::Preconditioner;
use std::sync::Arc;

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Termination {
    /// Momentum, gaps and slips are within tolerance and no state wants to change.
    Converged,
    /// Over-constrained contacts: a least-squares solution; whether it penetrates is for the caller to check.
    LeastSquares,
    /// The iteration limit came first; the solution holds the last iterate.
    #[default]
    MaxIterations,
    /// A number stopped being finite; the solution holds the last finite iterate or the warm start.
    Breakdown,
}

/// Counts and outcome of one solve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactReport {
    /// How it ended.
    pub termination: Termination,
    /// Iterations of the method (for the conjugate-residual method: directions stepped along; those on a part of the
    /// blocks count by its share).
    pub iterations: u64,
    /// Iterations of the active-set prediction, included in `iterations`.
    pub anticipations: u64,
    /// Products with `A` beyond one per iteration: restarts and exact refreshes.
    pub extra_products: u64,
    /// Active-set updates.
    pub evaluations: u64,
    /// Committed state changes.
    pub state_changes: u64,
    /// Times that the indefinite preconditioner met a zero curvature and the diagonal one took over.
    pub preconditioner_fallbacks: u32,
    /// Passes of an outer iteration: projections of staggered projections, passes of constraint anticipation.
    pub passes: u64,
    /// Gauss-Seidel sweeps over the contacts alone; they need no product with `A`.
    pub sweeps: u64,
    /// Whether friction was settled to the gap tolerance only, because the slip tolerance took too long or came no
    /// nearer.
    pub relaxed: bool,
    /// Final `‖(r_v, r_m)‖₂` as the method sees it; judge by [`fn@crate::residual`].
    pub residual: f64,
}

impl ContactReport {
    /// Adds what another solve looked at and changed; not what it cost, nor how it ended.
    pub(crate) fn add_updates(&mut self, other: &Self) {
        self.evaluations += other.evaluations;
        self.state_changes += other.state_changes;
        self.preconditioner_fallbacks += other.preconditioner_fallbacks;
    }
}

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
    fn solve(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> Result<ContactReport, ContactError>;

    /// Sets when the solves to come are done.
    fn set_tolerances(&mut self, tolerances: Tolerances);

    /// Ends the solves to come at their next iteration, as at the iteration limit, once `interrupt` is raised.
    fn heed(&mut self, interrupt: &Interrupt);

    /// Tells what is known of the bodies of the problems to come beyond their matrices; only methods that approximate
    /// `A⁻¹` listen.
    fn know_bodies(&mut self, bodies: &Arc<TurnedBodies>) {
        let _ = bodies;
    }

    /// Takes a preconditioner of the momentum matrix for the solves to come, where the method has a place for one.
    /// Returns whether it has; by default it has none.
    fn precondition(&mut self, preconditioner: Box<dyn Preconditioner + Send>) -> bool {
        let _ = preconditioner;
        false
    }

    /// Records every iteration of the next solve into [`trace`](Self::trace), where the method can.
    fn record(&mut self) {}

    /// The iterations of the latest solve since [`record`](Self::record); empty if there was none.
    fn trace(&self) -> &[TraceRow] {
        &[]
    }
}
