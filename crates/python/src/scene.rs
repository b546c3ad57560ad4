//! `impinge.Scene`.

use std::path::PathBuf;
use std::sync::Arc;

use impinge_sim::Scene as SimScene;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::{compute, convert, errors};

/// Initial state and settings of a simulation, in SI units.
///
/// Its keys are those of scene files; ``impinge scene schema`` and docs/scene.md describe them.
#[pyclass(frozen, module = "impinge")]
pub(crate) struct Scene {
    /// Shared with computations in other threads.
    pub(crate) scene: Arc<SimScene>,
}

impl Scene {
    fn new(scene: SimScene) -> Self {
        Self {
            scene: Arc::new(scene),
        }
    }
}

#[pymethods]
impl Scene {
    /// Reads a scene file.
    ///
    /// Args:
    ///     path: the file.
    ///     overrides: changes of keys, ``KEY=VALUE``, for example ``body.0.material.young=1e6``.
    ///
    /// Raises:
    ///     SceneError: with file, line and remedy of every mistake.
    #[staticmethod]
    #[pyo3(signature = (path, overrides=Vec::new()))]
    fn load(py: Python<'_>, path: PathBuf, overrides: Vec<String>) -> PyResult<Self> {
        let scene = py.detach(|| SimScene::load(&path, &overrides));
        Ok(Self::new(scene.map_err(|error| errors::scene(&error))?))
    }

    /// Reads a scene from a text in the format of scene files.
    ///
    /// Args:
    ///     text: the scene.
    ///     overrides: changes of keys, as in ``load``.
    ///     folder: the folder that mesh files are relative to; by default the current one.
    ///     name: name of the scene in messages.
    ///
    /// Raises:
    ///     SceneError: with line and remedy of every mistake.
    #[staticmethod]
    #[pyo3(signature = (text, overrides=Vec::new(), folder=None, name="scene"))]
    fn from_toml(
        text: &str,
        overrides: Vec<String>,
        folder: Option<PathBuf>,
        name: &str,
    ) -> PyResult<Self> {
        let scene = SimScene::parse(name, text, &overrides);
        let mut scene = scene.map_err(|error| errors::scene(&error))?;
        if let Some(folder) = folder {
            scene.set_folder(folder);
        }
        Ok(Self::new(scene))
    }

    /// Reads a scene from a dictionary with the keys of scene files: ``{"time": {..}, "body": [{..}], ..}``.
    ///
    /// Values may be NumPy arrays and paths; ``None`` is as if left out.
    ///
    /// Args:
    ///     keys: the scene.
    ///     folder: the folder that mesh files are relative to; by default the current one.
    ///
    /// Raises:
    ///     ArgumentError: for a value that no key can have.
    ///     SceneError: with key and remedy of every mistake.
    #[staticmethod]
    #[pyo3(signature = (keys, folder=None))]
    fn from_dict(keys: &Bound<'_, PyDict>, folder: Option<PathBuf>) -> PyResult<Self> {
        let text = toml::to_string(&convert::table(keys)?)
            .map_err(|error| errors::argument(error.to_string()))?;
        Self::from_toml(&text, Vec::new(), folder, "scene")
    }

    /// Begins a scene that is built call by call: ``.time(..)``, ``.body(..)``, ``.obstacle(..)``, .. and ``.build()``.
    ///
    /// Args:
    ///     keys: keys of the scene to begin with, for example ``title``.
    #[staticmethod]
    #[pyo3(signature = (**keys))]
    fn builder<'py>(
        py: Python<'py>,
        keys: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let builder = py.import("impinge._builder")?.getattr("SceneBuilder")?;
        builder.call((), keys)
    }

    /// The keys of the scene as a dictionary; ``from_dict`` reads it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        convert::to_python(py, &*self.scene)
    }

    /// The scene as text; ``from_toml`` reads it.
    fn to_toml(&self) -> PyResult<String> {
        toml::to_string(&*self.scene).map_err(|error| errors::internal(error.to_string()))
    }

    /// One-line description.
    #[getter]
    fn title(&self) -> &str {
        &self.scene.title
    }

    /// Time step (s).
    #[getter]
    fn time_step(&self) -> f64 {
        self.scene.time.step
    }

    /// Simulated time of a run (s).
    #[getter]
    fn duration(&self) -> f64 {
        self.scene.time.duration
    }

    /// Number of steps of a run.
    #[getter]
    fn steps(&self) -> u64 {
        self.scene.time.steps()
    }

    /// The folder that mesh files are relative to; empty for the current one.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.scene.folder().to_owned()
    }

    /// JSON schema of the format: every key with its meaning and unit.
    #[staticmethod]
    fn schema(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        convert::to_python(py, &SimScene::json_schema())
    }

    /// The scene in which bodies are moved until nothing overlaps, and the moves.
    ///
    /// Moves are short, not proven minimal.
    ///
    /// Returns:
    ///     The new scene, and one dictionary per moved body: ``body``, ``translation`` (m), ``length`` (m).
    ///
    /// Raises:
    ///     SceneError: if bodies cannot be separated.
    fn separated<'py>(&self, py: Python<'py>) -> PyResult<(Self, Bound<'py, PyAny>)> {
        let scene = Arc::clone(&self.scene);
        let separation = compute::or_abandon(py, move || {
            impinge_sim::doctor::separate(&scene).map_err(|error| error.to_string())
        })?;
        let separation = separation.map_err(errors::python::SceneError::new_err)?;
        let moves = convert::to_python(py, &separation.moves)?;
        Ok((Self::new(separation.scene), moves))
    }

    fn __repr__(&self) -> String {
        let SimScene {
            title,
            bodies,
            obstacles,
            joints,
            ..
        } = &*self.scene;
        format!(
            "<Scene \"{title}\": {} bodies, {} obstacles, {} joints>",
            bodies.len(),
            obstacles.len(),
            joints.len()
        )
    }
}
