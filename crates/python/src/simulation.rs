//! `impinge.Simulation`.

use std::sync::Arc;

use impinge_sim::Simulation as Sim;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::body::Body;
use crate::scene::Scene;
use crate::shared::Shared;
use crate::{compute, convert, errors};

/// Rounding that a simulated time may have, relative to a step: a requested time is reached within it.
const TIME_ROUNDING: f64 = 1e-9;

/// A running simulation.
///
/// ``positions`` and ``velocities`` of the simulation and of its bodies are views of the same two arrays, which every
/// step overwrites: copy what has to last (``ball.positions.copy()``). They stay valid as long as anything refers to
/// them. They cannot be written to; what a program writes to them by force does not reach the simulation.
///
/// A step computes without the lock of the interpreter. Meanwhile other threads can read the arrays, which hold the
/// state before the step; everything else of the simulation raises ``StateError``. Ctrl-C ends a step within one
/// iteration of its solver: ``KeyboardInterrupt`` is raised, and the state is the last one that was reached.
#[pyclass(frozen, module = "impinge")]
pub(crate) struct Simulation {
    shared: Arc<Shared>,
    scene: Py<Scene>,
}

#[pymethods]
impl Simulation {
    /// Prepares a scene, and proves that it starts without overlap.
    ///
    /// Args:
    ///     scene: the scene.
    ///
    /// Raises:
    ///     SceneError: naming the part that cannot be simulated.
    #[new]
    fn new(py: Python<'_>, scene: Py<Scene>) -> PyResult<Self> {
        let shared = Arc::clone(&scene.get().scene);
        let made = compute::or_abandon(py, move || Sim::new(&shared))?;
        let simulation = made.map_err(|error| errors::simulation(&error))?;
        Ok(Self {
            shared: Arc::new(Shared::new(py, simulation)?),
            scene,
        })
    }

    /// Takes steps.
    ///
    /// Args:
    ///     count: number of steps.
    ///
    /// Returns:
    ///     The report of the last step: ``step``, ``time`` (s), ``iterations``, ``active`` contacts, residuals,
    ///     energies (J), momentum (N s) and times; docs/output.md describes the columns of the same names.
    ///
    /// Raises:
    ///     StepError: if a step has no collision-free result; the state is then the last safe one.
    #[pyo3(signature = (count=1))]
    fn step<'py>(&self, py: Python<'py>, count: i64) -> PyResult<Bound<'py, PyAny>> {
        let Some(mut left) = u64::try_from(count).ok().filter(|&count| count > 0) else {
            return Err(errors::argument(format!(
                "count is {count}; give a number of steps of at least 1"
            )));
        };
        let report = self.shared.advance(py, move |_| {
            let goes_on = left > 0;
            left = left.saturating_sub(1);
            goes_on
        })?;
        convert::to_python(py, &report)
    }

    /// Takes whole steps until a simulated time is reached.
    ///
    /// Args:
    ///     time: simulated time (s).
    ///
    /// Returns:
    ///     The report of the last step as from ``step``; ``None`` if the time is reached already.
    ///
    /// Raises:
    ///     StepError: as ``step``.
    fn step_until<'py>(&self, py: Python<'py>, time: f64) -> PyResult<Bound<'py, PyAny>> {
        if !time.is_finite() {
            return Err(errors::argument(format!(
                "time is {time}; give a finite time in seconds"
            )));
        }
        let before = time - TIME_ROUNDING * self.scene.get().scene.time.step;
        let report = self
            .shared
            .advance(py, move |simulation| simulation.state().time < before)?;
        convert::to_python(py, &report)
    }

    /// The scene.
    #[getter]
    fn scene(&self, py: Python<'_>) -> Py<Scene> {
        self.scene.clone_ref(py)
    }

    /// Simulated time (s).
    #[getter]
    fn time(&self) -> PyResult<f64> {
        self.shared.read(|simulation| simulation.state().time)
    }

    /// Number of steps taken.
    #[getter]
    fn step_count(&self) -> PyResult<u64> {
        self.shared.read(|simulation| simulation.state().step)
    }

    /// Positions of all points (m), shape (n, 3), read-only; every step overwrites them.
    #[getter]
    fn positions(&self, py: Python<'_>) -> Py<PyAny> {
        self.shared.positions(py)
    }

    /// Velocities of all points (m/s), shape (n, 3), read-only; every step overwrites them.
    #[getter]
    fn velocities(&self, py: Python<'_>) -> Py<PyAny> {
        self.shared.velocities(py)
    }

    /// Names of all bodies and of obstacles with a mesh.
    #[getter]
    fn names(&self) -> PyResult<Vec<String>> {
        self.shared.read(|simulation| {
            let geometry = &simulation.model().geometry;
            let solids = geometry.bodies.iter().chain(&geometry.obstacles);
            solids.map(|body| body.name.clone()).collect()
        })
    }

    /// A body, or an obstacle with a mesh, by its name.
    ///
    /// Raises:
    ///     UnknownNameError: with the names that exist.
    fn body(&self, name: &str) -> PyResult<Body> {
        let names = self.names()?;
        match names.iter().position(|known| known == name) {
            Some(index) => Ok(Body::new(Arc::clone(&self.shared), index)),
            None => Err(errors::unknown(
                "body",
                name,
                names.iter().map(String::as_str),
            )),
        }
    }

    /// All bodies and obstacles with a mesh by name.
    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let bodies = PyDict::new(py);
        for (index, name) in self.names()?.into_iter().enumerate() {
            bodies.set_item(name, Body::new(Arc::clone(&self.shared), index))?;
        }
        Ok(bodies)
    }

    /// Messages about the preparations since the last call.
    fn take_notices(&self) -> PyResult<Vec<String>> {
        self.shared.change(Sim::take_notices)
    }

    fn __repr__(&self) -> String {
        let title = &self.scene.get().scene.title;
        match self
            .shared
            .read(|simulation| (simulation.state().step, simulation.state().time))
        {
            Ok((step, time)) => format!("<Simulation \"{title}\": step {step}, {time:.6} s>"),
            Err(_) => format!("<Simulation \"{title}\": not available>"),
        }
    }
}
