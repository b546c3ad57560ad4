//! Controllers: functions of Python that are called before each step.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use impinge_sim::error::extension::{ExtensionError, ExtensionKind};
use impinge_sim::{StepError, StepFailure};
use pyo3::exceptions::PyException;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::errors;

/// The controllers of a simulation, in the order of their calls.
#[derive(Default)]
pub(crate) struct Controllers {
    list: Mutex<Vec<Py<PyAny>>>,
    /// Whether one of them is being called.
    called: AtomicBool,
}

/// The state at which controllers are called.
#[derive(Clone, Copy)]
pub(crate) struct Moment {
    /// Number of the step that follows.
    pub(crate) step: u64,
    /// Simulated time (s).
    pub(crate) time: f64,
    /// Duration of the step (s).
    pub(crate) duration: f64,
}

impl Controllers {
    fn list(&self) -> MutexGuard<'_, Vec<Py<PyAny>>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a controller, if it can be called.
    pub(crate) fn add(&self, controller: &Bound<'_, PyAny>) -> PyResult<()> {
        if !controller.is_callable() {
            return Err(errors::argument(format!(
                "controller is a {}; give a function of the simulation",
                controller.get_type().name()?
            )));
        }
        self.list().push(controller.clone().unbind());
        Ok(())
    }

    /// Removes all.
    pub(crate) fn clear(&self) {
        // Dropped without the lock: objects that they refer to may ask for it.
        let dropped = std::mem::take(&mut *self.list());
        drop(dropped);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list().is_empty()
    }

    /// Refuses what only the caller of a step may do, while a controller is being called.
    pub(crate) fn refuse(&self, deed: &str) -> PyResult<()> {
        if self.called.load(Ordering::Relaxed) {
            Err(errors::state(format!(
                "a controller {deed}; only the caller of the step may"
            )))
        } else {
            Ok(())
        }
    }

    /// Calls all of them with `simulation`. Those that one adds are called from the next step on.
    pub(crate) fn call<'py>(
        &self,
        simulation: &Bound<'py, PyAny>,
        moment: impl Fn() -> PyResult<Moment>,
    ) -> PyResult<()> {
        let py: Python<'py> = simulation.py();
        let all: Vec<Py<PyAny>> = self.list().iter().map(|own| own.clone_ref(py)).collect();
        for controller in &all {
            self.called.store(true, Ordering::Relaxed);
            let returned = controller.call1(py, (simulation,));
            self.called.store(false, Ordering::Relaxed);
            if let Err(cause) = returned {
                return Err(failed(controller.bind(py), moment()?, cause));
            }
        }
        Ok(())
    }

    /// Shows them to the garbage collector.
    pub(crate) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        // The next collection sees a list that is being changed.
        if let Ok(controllers) = self.list.try_lock() {
            for controller in &*controllers {
                visit.call(controller)?;
            }
        }
        Ok(())
    }
}

/// The exception for a controller that raised; Ctrl-C and exits pass unchanged.
fn failed(controller: &Bound<'_, PyAny>, moment: Moment, cause: PyErr) -> PyErr {
    let py = controller.py();
    if !cause.is_instance_of::<PyException>(py) {
        return cause;
    }
    let named = controller
        .getattr("__name__")
        .and_then(|name| name.extract::<String>());
    let name = match named {
        Ok(name) => name,
        // An object with `__call__`.
        Err(_) => match controller.get_type().name() {
            Ok(name) => name.to_string(),
            Err(error) => return error,
        },
    };
    let error = StepError {
        step: moment.step,
        time: moment.time,
        shortest: moment.duration,
        failure: StepFailure::Extension(ExtensionError {
            kind: ExtensionKind::Controller,
            name: name.clone(),
            problem: format!("raised {cause}"),
        }),
        unsolved: None,
    };
    errors::controller(py, &error, &name, cause)
}
