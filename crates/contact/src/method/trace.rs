//! Iterations of a method, recorded on request, for plots.

use super::ContactReport;

/// One recorded iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TraceRow {
    /// Number of the iteration, from 1.
    pub iteration: u64,
    /// Phase of the method: "prediction" (of the active set), "conjugate residuals", "normal", "friction" or "pass".
    pub phase: &'static str,
    /// Norm of the residual as computed by the method, of the part that it solves.
    pub residual: f64,
    /// Active-set updates so far.
    pub evaluations: u64,
    /// State changes so far.
    pub state_changes: u64,
}

/// The rows of one solve, if recorded.
#[derive(Debug, Default)]
pub(super) struct Trace {
    wanted: bool,
    rows: Vec<TraceRow>,
}

impl Trace {
    /// Records rows from the next solve on.
    pub(super) fn record(&mut self) {
        self.wanted = true;
    }

    /// Starts a solve.
    pub(super) fn begin(&mut self) {
        self.rows.clear();
    }

    /// Records an iteration; its residual is computed only if recorded.
    pub(super) fn push(
        &mut self,
        phase: &'static str,
        residual: impl FnOnce() -> f64,
        report: &ContactReport,
    ) {
        if self.wanted {
            self.rows.push(TraceRow {
                iteration: report.iterations,
                phase,
                residual: residual(),
                evaluations: report.evaluations,
                state_changes: report.state_changes,
            });
        }
    }

    pub(super) fn rows(&self) -> &[TraceRow] {
        &self.rows
    }
}
