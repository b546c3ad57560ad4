//! `impinge.doctor` and `impinge.verify`.

use std::path::PathBuf;
use std::sync::Arc;

use impinge_sim::doctor::examine;
use impinge_sim::output::{self, verify_frame, verify_run};
use pyo3::prelude::*;

use crate::scene::Scene;
use crate::{compute, convert, errors};

/// Examines a scene: meshes, elements, units, step, and every overlap at the start with its depth.
///
/// Args:
///     scene: the scene.
///
/// Returns:
///     One dictionary per finding, the worst first: ``severity`` (``"error"``, ``"warning"`` or ``"note"``),
///     ``kind``, ``problem``, ``mend``, and the measures of its kind in SI units.
#[pyfunction]
pub(crate) fn doctor<'py>(py: Python<'py>, scene: &Scene) -> PyResult<Bound<'py, PyAny>> {
    let scene = Arc::clone(&scene.scene);
    let diagnosis = compute::or_abandon(py, move || examine(&scene))?;
    convert::to_python(py, &diagnosis.findings)
}

/// Extent and findings of ``verify``.
#[pyclass(frozen, module = "impinge")]
pub(crate) struct Verification(output::Verification);

#[pymethods]
impl Verification {
    /// Whether there are no findings.
    #[getter]
    fn is_sound(&self) -> bool {
        self.0.is_sound()
    }

    /// Number of examined frames.
    #[getter]
    fn frames(&self) -> usize {
        self.0.frames
    }

    /// Number of motions between frames that were proved free of collision.
    #[getter]
    fn motions(&self) -> usize {
        self.0.motions
    }

    /// Number of motions that could not be examined.
    #[getter]
    fn unknown_motions(&self) -> usize {
        self.0.unknown_motions
    }

    /// The findings in words.
    #[getter]
    fn findings(&self) -> Vec<String> {
        self.0.findings.iter().map(ToString::to_string).collect()
    }

    /// Checks that were not possible, and the reasons.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }

    fn __bool__(&self) -> bool {
        self.0.is_sound()
    }

    fn __repr__(&self) -> String {
        format!(
            "<Verification: {} findings; {} frames, {} of {} motions>",
            self.0.findings.len(),
            self.0.frames,
            self.0.motions,
            self.0.motions + self.0.unknown_motions
        )
    }
}

/// Proves the guarantees of a stored run from its files, by code that the simulation does not use.
///
/// Args:
///     path: the folder of a run, or a single frame (``.vtu``).
///
/// Raises:
///     RunError: if the path holds no run. Damaged files are findings.
#[pyfunction]
pub(crate) fn verify(py: Python<'_>, path: PathBuf) -> PyResult<Verification> {
    let verified = compute::or_abandon(py, move || {
        if path.is_dir() {
            verify_run(&path, &|| {})
        } else {
            verify_frame(&path)
        }
    })?;
    let verification = verified.map_err(|error| errors::output(&error))?;
    Ok(Verification(verification))
}
