//! What a method did, iteration by iteration: for plots, recorded on request.

use super::ContactReport;

/// One iteration, as a trace shows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TraceRow {
    /// Number of the iteration, from 1.
    pub iteration: u64,
    /// What the method does there: "regions" (a subdomain step of several iterations; the residual is the one before
    /// it), "anticipation" (active-set prediction), "conjugate residuals", "normal", "friction" or "pass".
    pub phase: &'static str,
    /// Norm of the residual as the method sees it, of the part that it works on.
    pub residual: f64,
    /// Active-set updates so far.
    pub evaluations: u64,
    /// State changes so far.
    pub state_changes: u64,
}

/// The rows of one solve, if anybody wants them.
#[derive(Debug, Default)]
pub(super) struct Trace {
    wanted: bool,
    /// Iterations before the one that reports count from.
    before: u64,
    rows: Vec<TraceRow>,
}

impl Trace {
    /// From the next solve on, rows are kept.
    pub(super) fn record(&mut self) {
        self.wanted = true;
    }

    /// A new solve begins.
    pub(super) fn begin(&mut self) {
        self.rows.clear();
        self.before = 0;
    }

    /// Reports to come count from after `iterations`.
    pub(super) fn count_from(&mut self, iterations: u64) {
        self.before = iterations;
    }

    /// One iteration was taken; its residual is only computed if anybody wants it.
    pub(super) fn push(
        &mut self,
        phase: &'static str,
        residual: impl FnOnce() -> f64,
        report: &ContactReport,
    ) {
        if self.wanted {
            self.rows.push(TraceRow {
                iteration: self.before + report.iterations,
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
