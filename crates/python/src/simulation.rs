//! `impinge.Simulation`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use impinge_sim::{Interrupt, Simulation as Sim, StepError, StepFailure, StepReport};
use nalgebra::Vector3;
use numpy::{PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice};

use crate::body::Body;
use crate::scene::Scene;
use crate::{arrays, compute, convert, errors};

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
    place: Mutex<Place>,
    scene: Py<Scene>,
    positions: Shown,
    velocities: Shown,
}

/// Where the simulation is.
enum Place {
    Here(Box<Sim>),
    /// A thread computes with it.
    Computing,
    /// A computation panicked.
    Lost,
}

/// An array that steps write to, and the view of it that is shown.
struct Shown {
    array: Py<PyArray2<f64>>,
    view: Py<PyAny>,
}

impl Shown {
    fn new(py: Python<'_>, vectors: &[Vector3<f64>]) -> PyResult<Self> {
        let array = arrays::from_vectors(py, vectors)?;
        let view = array.call_method0("view")?;
        view.call_method1("setflags", (false,))?;
        Ok(Self {
            array: array.unbind(),
            view: view.unbind(),
        })
    }

    fn write(&self, py: Python<'_>, vectors: &[Vector3<f64>]) -> PyResult<()> {
        let mut array = self.array.bind(py).try_readwrite()?;
        let rows = array.as_slice_mut()?.as_chunks_mut::<3>().0;
        for (row, vector) in rows.iter_mut().zip(vectors) {
            *row = (*vector).into();
        }
        Ok(())
    }

    fn rows<'py>(
        &self,
        py: Python<'py>,
        rows: &std::ops::Range<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let [start, end] = [rows.start, rows.end].map(usize::cast_signed);
        self.view.bind(py).get_item(PySlice::new(py, start, end, 1))
    }
}

/// Results of several steps.
struct Advanced {
    simulation: Box<Sim>,
    last: Option<StepReport>,
    error: Option<StepError>,
}

impl Simulation {
    fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `read` with the simulation.
    pub(crate) fn read<R>(&self, read: impl FnOnce(&Sim) -> R) -> PyResult<R> {
        match &*self.place() {
            Place::Here(simulation) => Ok(read(simulation)),
            place => Err(unusable(place)),
        }
    }

    /// Takes the simulation, for a computation.
    fn take(&self) -> PyResult<Box<Sim>> {
        let mut place = self.place();
        match std::mem::replace(&mut *place, Place::Computing) {
            Place::Here(simulation) => Ok(simulation),
            other => {
                let error = unusable(&other);
                *place = other;
                Err(error)
            }
        }
    }

    /// Puts the simulation back, and shows its state.
    fn put_back(&self, py: Python<'_>, simulation: Box<Sim>) -> PyResult<()> {
        let state = simulation.state();
        let written = self
            .positions
            .write(py, &state.positions)
            .and_then(|()| self.velocities.write(py, &state.velocities));
        *self.place() = Place::Here(simulation);
        written
    }

    /// Takes steps while `goes_on` says so.
    fn advance(
        &self,
        py: Python<'_>,
        mut goes_on: impl FnMut(&Sim) -> bool + Send + 'static,
    ) -> PyResult<Option<StepReport>> {
        let mut simulation = self.take()?;
        // A new flag for each call: a raised one stays raised.
        let interrupt = Interrupt::default();
        let flag = interrupt.clone();
        let computed = compute::until_interrupt(py, &interrupt, move || {
            simulation.heed(&flag);
            let (mut last, mut error) = (None, None);
            while !flag.is_raised() && goes_on(&simulation) {
                match simulation.advance() {
                    Ok(report) => last = Some(report),
                    Err(failed) => {
                        error = Some(failed);
                        break;
                    }
                }
            }
            Advanced {
                simulation,
                last,
                error,
            }
        });
        let Some(advanced) = computed.result else {
            *self.place() = Place::Lost;
            return Err(computed
                .raised
                .unwrap_or_else(|| errors::internal("there is no result")));
        };
        self.put_back(py, advanced.simulation)?;
        if let Some(raised) = computed.raised {
            return Err(raised);
        }
        match advanced.error {
            Some(error) if error.failure == StepFailure::Interrupted => {
                Err(errors::state(error.to_string()))
            }
            Some(error) => Err(errors::step(py, &error)),
            None => Ok(advanced.last),
        }
    }

    pub(crate) fn positions_of<'py>(
        &self,
        py: Python<'py>,
        rows: &std::ops::Range<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.positions.rows(py, rows)
    }

    pub(crate) fn velocities_of<'py>(
        &self,
        py: Python<'py>,
        rows: &std::ops::Range<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.velocities.rows(py, rows)
    }
}

fn unusable(place: &Place) -> PyErr {
    match place {
        Place::Lost => errors::state(
            "the simulation was lost when a computation failed; make a new one from its scene",
        ),
        _ => errors::state("another thread computes with the simulation; wait for its end"),
    }
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
        let state = simulation.state();
        Ok(Self {
            positions: Shown::new(py, &state.positions)?,
            velocities: Shown::new(py, &state.velocities)?,
            scene,
            place: Mutex::new(Place::Here(Box::new(simulation))),
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
        let report = self.advance(py, move |_| {
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
        let report = self.advance(py, move |simulation| simulation.state().time < before)?;
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
        self.read(|simulation| simulation.state().time)
    }

    /// Number of steps taken.
    #[getter]
    fn step_count(&self) -> PyResult<u64> {
        self.read(|simulation| simulation.state().step)
    }

    /// Positions of all points (m), shape (n, 3), read-only; every step overwrites them.
    #[getter]
    fn positions(&self, py: Python<'_>) -> Py<PyAny> {
        self.positions.view.clone_ref(py)
    }

    /// Velocities of all points (m/s), shape (n, 3), read-only; every step overwrites them.
    #[getter]
    fn velocities(&self, py: Python<'_>) -> Py<PyAny> {
        self.velocities.view.clone_ref(py)
    }

    /// Names of all bodies and of obstacles with a mesh.
    #[getter]
    fn names(&self) -> PyResult<Vec<String>> {
        self.read(|simulation| {
            let geometry = &simulation.model().geometry;
            let solids = geometry.bodies.iter().chain(&geometry.obstacles);
            solids.map(|body| body.name.clone()).collect()
        })
    }

    /// A body, or an obstacle with a mesh, by its name.
    ///
    /// Raises:
    ///     UnknownNameError: with the names that exist.
    fn body(slf: &Bound<'_, Self>, name: &str) -> PyResult<Body> {
        let names = slf.get().names()?;
        match names.iter().position(|known| known == name) {
            Some(index) => Ok(Body::new(slf.clone().unbind(), index)),
            None => Err(errors::unknown(
                "body",
                name,
                names.iter().map(String::as_str),
            )),
        }
    }

    /// All bodies and obstacles with a mesh by name.
    #[getter]
    fn bodies<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let bodies = PyDict::new(slf.py());
        for (index, name) in slf.get().names()?.into_iter().enumerate() {
            bodies.set_item(name, Body::new(slf.clone().unbind(), index))?;
        }
        Ok(bodies)
    }

    /// Messages about the preparations since the last call.
    fn take_notices(&self) -> PyResult<Vec<String>> {
        match &mut *self.place() {
            Place::Here(simulation) => Ok(simulation.take_notices()),
            place => Err(unusable(place)),
        }
    }

    fn __repr__(&self) -> String {
        let title = &self.scene.get().scene.title;
        match self.read(|simulation| (simulation.state().step, simulation.state().time)) {
            Ok((step, time)) => format!("<Simulation \"{title}\": step {step}, {time:.6} s>"),
            Err(_) => format!("<Simulation \"{title}\": not available>"),
        }
    }
}
