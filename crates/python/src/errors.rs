//! Exceptions of the package, from the errors of the crates below, with the same words.

use impinge_contact::delassus::FrictionError;
use impinge_geometry::MeshIoError;
use impinge_geometry::mesh::{MeshError, StuffingError};
use impinge_sim::output::OutputError;
use impinge_sim::scene::SceneError;
use impinge_sim::{ControlError, SimError, StepError};
use pyo3::prelude::*;

/// The exceptions, as `impinge/_errors.py` defines them.
pub(crate) mod python {
    pyo3::import_exception!(impinge._errors, ArgumentError);
    pyo3::import_exception!(impinge._errors, ControllerError);
    pyo3::import_exception!(impinge._errors, InternalError);
    pyo3::import_exception!(impinge._errors, MeshError);
    pyo3::import_exception!(impinge._errors, RunError);
    pyo3::import_exception!(impinge._errors, SceneError);
    pyo3::import_exception!(impinge._errors, SolveError);
    pyo3::import_exception!(impinge._errors, StateError);
    pyo3::import_exception!(impinge._errors, StepError);
    pyo3::import_exception!(impinge._errors, UnknownNameError);
}

/// An unusable argument.
pub(crate) fn argument(message: impl Into<String>) -> PyErr {
    python::ArgumentError::new_err(message.into())
}

/// A name that does not exist, among those of a kind that do.
pub(crate) fn unknown<'a>(
    kind: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> PyErr {
    let known: Vec<String> = known.into_iter().map(|name| format!("`{name}`")).collect();
    let known = match known.len() {
        0 => format!("there is no {kind}"),
        _ => format!("there are {}", known.join(", ")),
    };
    python::UnknownNameError::new_err(format!("no {kind} is named `{name}`; {known}"))
}

/// An unusable simulation.
pub(crate) fn state(message: impl Into<String>) -> PyErr {
    python::StateError::new_err(message.into())
}

/// A mistake of this package.
pub(crate) fn internal(message: impl Into<String>) -> PyErr {
    python::InternalError::new_err(message.into())
}

pub(crate) fn scene(error: &SceneError) -> PyErr {
    python::SceneError::new_err(error.to_string())
}

pub(crate) fn simulation(error: &SimError) -> PyErr {
    match error {
        SimError::NotResumable { .. } => state(error.to_string()),
        SimError::Control(error) => control(error),
        _ => python::SceneError::new_err(error.to_string()),
    }
}

/// A change or a question that does not fit the simulation.
pub(crate) fn control(error: &ControlError) -> PyErr {
    match error {
        ControlError::Unknown { .. } | ControlError::Ambiguous { .. } => {
            python::UnknownNameError::new_err(error.to_string())
        }
        ControlError::NotRestorable { .. } => state(error.to_string()),
        _ => argument(error.to_string()),
    }
}

/// A failed step, with its number and the time of the last safe state (s).
pub(crate) fn step(py: Python<'_>, error: &StepError) -> PyErr {
    let raised = python::StepError::new_err(error.to_string());
    with_place(py, &raised, error).err().unwrap_or(raised)
}

/// A controller that raised `cause`, in the words of `error`.
pub(crate) fn controller(py: Python<'_>, error: &StepError, name: &str, cause: PyErr) -> PyErr {
    let raised = python::ControllerError::new_err(error.to_string());
    raised.set_cause(py, Some(cause));
    let set =
        with_place(py, &raised, error).and_then(|()| raised.value(py).setattr("controller", name));
    set.err().unwrap_or(raised)
}

fn with_place(py: Python<'_>, raised: &PyErr, error: &StepError) -> PyResult<()> {
    let value = raised.value(py);
    value.setattr("step", error.step)?;
    value.setattr("time", error.time)
}

pub(crate) fn mesh(error: &MeshError) -> PyErr {
    python::MeshError::new_err(error.to_string())
}

pub(crate) fn mesh_file(error: &MeshIoError) -> PyErr {
    python::MeshError::new_err(error.to_string())
}

pub(crate) fn stuffing(error: &StuffingError) -> PyErr {
    python::MeshError::new_err(error.to_string())
}

pub(crate) fn output(error: &OutputError) -> PyErr {
    python::RunError::new_err(error.to_string())
}

pub(crate) fn friction(error: &FrictionError) -> PyErr {
    python::SolveError::new_err(error.to_string())
}
