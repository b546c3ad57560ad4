//! The simulation that the objects of Python share, and the arrays that show its state.

use std::sync::{Mutex, MutexGuard, PoisonError};

use impinge_sim::{
    ControlError, Interrupt, Simulation as Sim, Snapshot, StepError, StepFailure, StepReport,
};
use nalgebra::Vector3;
use numpy::{PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PySlice;

use crate::{arrays, compute, errors};

/// A simulation, or the note that a thread computes with it; positions and velocities of its points.
pub(crate) struct Shared {
    place: Mutex<Place>,
    positions: Shown,
    velocities: Shown,
}

/// Place of the simulation.
enum Place {
    Here(Box<Sim>),
    /// A thread computes with it.
    Computing,
    /// A computation panicked.
    Lost,
}

/// Vectors that steps write to, and that Python sees as an array.
struct Shown(Mutex<Storage>);

/// Where the vectors are: programs that ask for no array do without NumPy, whose import takes longer than many steps.
enum Storage {
    /// Here, until the array is asked for.
    Vectors(Vec<Vector3<f64>>),
    /// In an array, with the view of it that is shown.
    Array {
        array: Py<PyArray2<f64>>,
        view: Py<PyAny>,
    },
}

impl Shown {
    fn new(vectors: &[Vector3<f64>]) -> Self {
        Self(Mutex::new(Storage::Vectors(vectors.to_vec())))
    }

    /// The storage; other threads of Python go on while this one waits for it.
    fn storage(&self, py: Python<'_>) -> MutexGuard<'_, Storage> {
        self.0
            .lock_py_attached(py)
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, py: Python<'_>, vectors: &[Vector3<f64>]) -> PyResult<()> {
        match &mut *self.storage(py) {
            Storage::Vectors(stored) => stored.copy_from_slice(vectors),
            Storage::Array { array, .. } => {
                let mut array = array.bind(py).try_readwrite()?;
                let rows = array.as_slice_mut()?.as_chunks_mut::<3>().0;
                for (row, vector) in rows.iter_mut().zip(vectors) {
                    *row = (*vector).into();
                }
            }
        }
        Ok(())
    }

    /// The view, of an array that the first call makes.
    fn view(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        // An import may run any code, which must find the storage unlocked.
        py.import("numpy")?;
        let mut storage = self.storage(py);
        let vectors = match &*storage {
            Storage::Array { view, .. } => return Ok(view.clone_ref(py)),
            Storage::Vectors(vectors) => vectors,
        };
        let array = arrays::from_vectors(py, vectors)?;
        let view = array.call_method0("view")?;
        view.call_method1("setflags", (false,))?;
        *storage = Storage::Array {
            array: array.unbind(),
            view: view.clone().unbind(),
        };
        Ok(view.unbind())
    }

    fn rows<'py>(
        &self,
        py: Python<'py>,
        rows: &std::ops::Range<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let [start, end] = [rows.start, rows.end].map(usize::cast_signed);
        let view = self.view(py)?.into_bound(py);
        view.get_item(PySlice::new(py, start, end, 1))
    }
}

/// Result of a computation with the simulation.
struct Finished<R> {
    result: R,
    /// The exception that a signal handler raised meanwhile.
    raised: Option<PyErr>,
}

impl Shared {
    /// A simulation, and its state.
    pub(crate) fn new(simulation: Sim) -> Self {
        let state = simulation.state();
        Self {
            positions: Shown::new(&state.positions),
            velocities: Shown::new(&state.velocities),
            place: Mutex::new(Place::Here(Box::new(simulation))),
        }
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

    /// Calls `change` with the simulation, which rejects impossible changes.
    pub(crate) fn control(
        &self,
        change: impl FnOnce(&mut Sim) -> Result<(), ControlError>,
    ) -> PyResult<()> {
        self.change(change)?
            .map_err(|error| errors::control(&error))
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

    /// Computes with the simulation, without the lock of the interpreter, and shows its new state.
    fn compute<R: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Sim, &Interrupt) -> R + Send + 'static,
    ) -> PyResult<Finished<R>> {
        let mut simulation = self.take()?;
        // A new flag for each computation: a raised one stays raised.
        let interrupt = Interrupt::default();
        let flag = interrupt.clone();
        let computed = compute::until_interrupt(py, &interrupt, move || {
            simulation.heed(&flag);
            let result = work(&mut simulation, &flag);
            (simulation, result)
        });
        let Some((simulation, result)) = computed.result else {
            *self.place() = Place::Lost;
            return Err(computed
                .raised
                .unwrap_or_else(|| errors::internal("there is no result")));
        };
        self.put_back(py, simulation)?;
        Ok(Finished {
            result,
            raised: computed.raised,
        })
    }

    /// Takes steps while `goes_on` says so. A failed step leaves the state before it.
    pub(crate) fn advance(
        &self,
        py: Python<'_>,
        mut goes_on: impl FnMut(&Sim) -> bool + Send + 'static,
    ) -> PyResult<Option<StepReport>> {
        let steps = move |simulation: &mut Sim, flag: &Interrupt| -> Result<_, StepError> {
            let mut last = None;
            while !flag.is_raised() && goes_on(simulation) {
                last = Some(simulation.step()?);
            }
            Ok(last)
        };
        let Finished { result, raised } = self.compute(py, steps)?;
        if let Some(raised) = raised {
            return Err(raised);
        }
        match result {
            Ok(last) => Ok(last),
            Err(error) if error.failure == StepFailure::Interrupted => {
                Err(errors::state(error.to_string()))
            }
            Err(mut error) => {
                // Safe substeps of the failed step are given up.
                error.time = self.read(Sim::time)?;
                Err(errors::step(py, &error))
            }
        }
    }

    /// Returns to a snapshot.
    pub(crate) fn restore(&self, py: Python<'_>, snapshot: &Snapshot) -> PyResult<()> {
        let snapshot = snapshot.clone();
        let Finished { result, raised } =
            self.compute(py, move |simulation, _| simulation.restore(&snapshot))?;
        result.map_err(|error| errors::simulation(&error))?;
        raised.map_or(Ok(()), Err)
    }

    /// The view of all positions (m), shape (n, 3).
    pub(crate) fn positions(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.positions.view(py)
    }

    /// The view of all velocities (m/s), shape (n, 3).
    pub(crate) fn velocities(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.velocities.view(py)
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
