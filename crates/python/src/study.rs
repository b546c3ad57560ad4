//! Studies, for `impinge.sweep`.

use std::path::PathBuf;

use impinge_sim::output;
use pyo3::prelude::*;

use crate::errors;
use crate::scene::Scene;

/// A grid of keys and their values.
#[pyclass(frozen, module = "impinge._native")]
pub(crate) struct Study(output::Study);

#[pymethods]
impl Study {
    #[new]
    fn new(axes: Vec<String>) -> PyResult<Self> {
        let study = output::Study::parse(&axes);
        Ok(Self(study.map_err(|error| {
            errors::argument(format!("grid: {error}"))
        })?))
    }

    /// Overrides and name of the folder of each run.
    fn points(&self) -> Vec<(Vec<String>, String)> {
        let points = self.0.points().into_iter();
        points
            .map(|point| (point.overrides, point.folder))
            .collect()
    }

    /// The table as text.
    fn table(&self, rows: Vec<Py<StudyRow>>) -> PyResult<String> {
        let rows: Vec<_> = (self.0.points().into_iter())
            .zip(rows.iter().map(|row| row.get().0.clone()))
            .collect();
        self.0.table(&rows).map_err(|error| errors::output(&error))
    }
}

/// How a run of a study ended.
#[pyclass(frozen, module = "impinge._native")]
pub(crate) struct StudyRow(output::Row);

#[pymethods]
impl StudyRow {
    /// The row of a run without a result.
    #[staticmethod]
    fn failed(message: String) -> Self {
        Self(output::Row::failed(message))
    }

    /// The row of the run of ``scene`` in ``folder``; ``None`` if it has not ended there.
    #[staticmethod]
    #[pyo3(signature = (folder, scene, steps=None))]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "pyo3 makes a path of its own"
    )]
    fn of(folder: PathBuf, scene: &Scene, steps: Option<u64>) -> Option<Self> {
        let steps = steps.unwrap_or(scene.scene.time.steps());
        output::Row::of(&folder, &scene.scene, steps).map(Self)
    }
}
