//! The simulation that the objects of Python share, and the arrays that show its state.

use std::sync::{Mutex, MutexGuard, PoisonError};

use impinge_sim::{Interrupt, Simulation as Sim, StepError, StepFailure, StepReport};
use nalgebra::Vector3;
use numpy::{PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::{arrays, compute, errors};

/// A simulation, or the note that a thread computes with it; positions and velocities of its points.
pub(crate) struct Shared {
    place: Mutex<Place>,
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

impl Shared {
    /// A simulation, with its state in new arrays.
    pub(crate) fn new(py: Python<'_>, simulation: Sim) -> PyResult<Self> {
        let state = simulation.state();
        Ok(Self {
            positions: Shown::new(py, &state.positions)?,
            velocities: Shown::new(py, &state.velocities)?,
            place: Mutex::new(Place::Here(Box::new(simulation))),
        })
    }

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

    /// Calls `change` with the simulation.
    pub(crate) fn change<R>(&self, change: impl FnOnce(&mut Sim) -> R) -> PyResult<R> {
        match &mut *self.place() {
            Place::Here(simulation) => Ok(change(simulation)),
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
    pub(crate) fn advance(
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

    /// The view of all positions (m), shape (n, 3).
    pub(crate) fn positions(&self, py: Python<'_>) -> Py<PyAny> {
        self.positions.view.clone_ref(py)
    }

    /// The view of all velocities (m/s), shape (n, 3).
    pub(crate) fn velocities(&self, py: Python<'_>) -> Py<PyAny> {
        self.velocities.view.clone_ref(py)
    }

    /// The view of the positions of some points (m).
    pub(crate) fn positions_of<'py>(
        &self,
        py: Python<'py>,
        rows: &std::ops::Range<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.positions.rows(py, rows)
    }

    /// The view of the velocities of some points (m/s).
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
