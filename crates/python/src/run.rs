//! `impinge.run`.

use std::path::PathBuf;
use std::sync::Arc;

use impinge_sim::output::{RecordError, Recorded, Recording};
use impinge_sim::{Interrupt, SimError, Simulation};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::scene::Scene;
use crate::{compute, errors};

/// Runs a scene and records it in a folder, as ``impinge run`` does: frames, tables, summary, checkpoint.
///
/// Args:
///     scene: the scene.
///     out: the folder; an earlier run in it is replaced.
///     steps: number of steps, by default those of the scene.
///     resume: continue the run of the same scene in the folder.
///     accept_inexact: whether a run with unmet tolerances counts as completed.
///
/// Returns:
///     ``status`` (``"completed"``, ``"inexact"``, ``"stopped"``), ``message`` (why it is not completed, or ``None``),
///     ``notes``, ``steps``, ``frames``, ``wall_seconds``.
///
/// Raises:
///     SceneError: for a scene that cannot be simulated.
///     RunError: if a file cannot be written, or the folder holds no run to resume.
///     KeyboardInterrupt: after Ctrl-C; the last state is stored.
#[pyfunction]
#[pyo3(signature = (scene, out, *, steps=None, resume=false, accept_inexact=false))]
#[expect(
    clippy::too_many_arguments,
    reason = "the arguments of the Python function"
)]
pub(crate) fn run<'py>(
    py: Python<'py>,
    scene: &Scene,
    out: PathBuf,
    steps: Option<u64>,
    resume: bool,
    accept_inexact: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let scene = Arc::clone(&scene.scene);
    let steps = steps.unwrap_or(scene.time.steps());
    let interrupt = Interrupt::default();
    let flag = interrupt.clone();
    let computed = compute::until_interrupt(py, &interrupt, move || -> Result<_, RecordError> {
        let simulation = Simulation::new(&scene)?;
        let mut recording = if resume {
            Recording::resume(out, &scene, simulation)?
        } else {
            Recording::create(out, &scene, simulation)?
        };
        let end = recording.advance(steps, &flag, |_| {})?;
        Ok(recording.finish(end, accept_inexact)?)
    });
    if let Some(raised) = computed.raised {
        return Err(raised);
    }
    match computed.result {
        Some(Ok(recorded)) => facts(py, recorded),
        Some(Err(RecordError::Output(error))) => Err(errors::output(&error)),
        Some(Err(RecordError::Sim(error @ SimError::NotResumable { .. }))) => {
            Err(errors::python::RunError::new_err(error.to_string()))
        }
        Some(Err(RecordError::Sim(error))) => Err(errors::simulation(&error)),
        Some(Err(error)) => Err(errors::internal(error.to_string())),
        None => Err(errors::internal("there is no result")),
    }
}

fn facts(py: Python<'_>, recorded: Recorded) -> PyResult<Bound<'_, PyDict>> {
    let facts = PyDict::new(py);
    facts.set_item("status", recorded.verdict.status.name())?;
    facts.set_item("message", recorded.verdict.message)?;
    facts.set_item("notes", recorded.verdict.notes)?;
    facts.set_item("steps", recorded.steps)?;
    facts.set_item("frames", recorded.facts.frames)?;
    facts.set_item("wall_seconds", recorded.facts.wall_seconds)?;
    Ok(facts)
}
