//! `impinge.Snapshot`.

use impinge_sim::Snapshot as Saved;
use pyo3::prelude::*;

/// A simulation at one instant, in memory: its state, and all that ``set_..`` changed.
#[pyclass(frozen, module = "impinge")]
pub(crate) struct Snapshot(pub(crate) Saved);

#[pymethods]
impl Snapshot {
    /// Simulated time (s).
    #[getter]
    fn time(&self) -> f64 {
        self.0.state().time
    }

    /// Number of steps taken.
    #[getter]
    fn step_count(&self) -> u64 {
        self.0.state().step
    }

    fn __repr__(&self) -> String {
        let state = self.0.state();
        format!("<Snapshot: step {}, {:.6} s>", state.step, state.time)
    }
}
