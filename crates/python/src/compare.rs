//! `impinge.compare`.

use std::sync::Arc;

use impinge_contact::Method;
use impinge_sim::compare::Comparison;
use impinge_sim::scene::StepperChoice;
use impinge_sim::stepper::{Solve, SolveObserver};
use impinge_sim::{Interrupt, SimError, Simulation, StepError};
use pyo3::prelude::*;

use crate::scene::Scene;
use crate::{compute, convert, errors};

/// Solves every contact problem of a scene by several methods, each from the same warm start.
///
/// Args:
///     scene: the scene; its stepper has to be the synchronous one.
///     methods: names as in ``impinge compare``, with settings if needed (``"ica:law=pyramid"``). The run continues
///         with the solutions of the first one.
///     steps: number of steps, by default those of the scene.
///     from_step: first step to compare.
///
/// Returns:
///     One dictionary per method: ``name``, ``settings``, ``refusal``, and ``steps``: one dictionary per step with
///     ``iterations``, ``products``, ``seconds``, ``unmet``, and residuals relative to their tolerances.
///
/// Raises:
///     SceneError: for a scene or a method that cannot be used.
///     StepError: if a step of the first method fails.
#[pyfunction]
#[pyo3(signature = (scene, methods=None, *, steps=None, from_step=1))]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    scene: &Scene,
    methods: Option<Vec<String>>,
    steps: Option<u64>,
    from_step: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let scene = Arc::clone(&scene.scene);
    if scene.stepper != StepperChoice::Synchronous {
        return Err(errors::python::SceneError::new_err(
            "the stepper of this scene solves no contact problems, so methods cannot be compared\n  \
             mend: write stepper = \"synchronous\" in the scene",
        ));
    }
    let steps = steps.unwrap_or(scene.time.steps());
    if steps == 0 || from_step == 0 || from_step > steps {
        return Err(errors::argument(format!(
            "steps {from_step} to {steps}: no step would be compared; give steps of at least 1 and from_step of 1 to \
             steps"
        )));
    }
    let names = methods.unwrap_or_else(|| ["cr", "sp-2cr", "ica"].map(str::to_owned).to_vec());
    let interrupt = Interrupt::default();
    let flag = interrupt.clone();
    let computed = compute::until_interrupt(py, &interrupt, move || -> Result<_, Failure> {
        let mut simulation = Simulation::new(&scene)?;
        let of_scene = simulation.model().settings.solver;
        let methods: Vec<(String, Method)> = names
            .into_iter()
            .map(|name| Ok((name.clone(), choose(&name, of_scene)?)))
            .collect::<Result<_, Failure>>()?;
        let first = methods.first().ok_or_else(|| {
            Failure::Method("methods is empty; give at least one name".to_owned())
        })?;
        simulation.use_method(first.1)?;
        let comparison = Comparison::new(methods);
        simulation.observe_solves(From {
            first: from_step,
            comparison: comparison.clone(),
        });
        simulation.heed(&flag);
        for _ in 0..steps {
            simulation.advance()?;
        }
        Ok(comparison.records())
    });
    if let Some(raised) = computed.raised {
        return Err(raised);
    }
    match computed.result {
        Some(Ok(records)) => convert::to_python(py, &records),
        Some(Err(Failure::Scene(error))) => Err(errors::simulation(&error)),
        Some(Err(Failure::Step(error))) => Err(errors::step(py, &error)),
        Some(Err(Failure::Method(message))) => Err(errors::argument(message)),
        None => Err(errors::internal("there is no result")),
    }
}

enum Failure {
    Scene(SimError),
    Step(StepError),
    Method(String),
}

impl std::convert::From<SimError> for Failure {
    fn from(error: SimError) -> Self {
        Self::Scene(error)
    }
}

impl std::convert::From<StepError> for Failure {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}

/// A comparison that begins at a step.
struct From {
    first: u64,
    comparison: Comparison,
}

impl SolveObserver for From {
    fn wants_bodies(&self) -> bool {
        self.comparison.wants_bodies()
    }

    fn solved(&mut self, solve: &Solve<'_>) {
        if solve.stamp.step >= self.first {
            self.comparison.solved(solve);
        }
    }
}

/// Parses `NAME` or `NAME:KEY=VALUE:KEY=VALUE`; the method of the scene keeps the scene's settings.
fn choose(text: &str, of_scene: Method) -> Result<Method, Failure> {
    let mut parts = text.split(':');
    let name = parts.next().unwrap_or_default();
    let refused = |problem: String| Failure::Method(format!("methods: {text}: {problem}"));
    let mut method = if name == of_scene.name() {
        of_scene
    } else {
        Method::named(name, of_scene.tolerances()).map_err(|error| refused(error.to_string()))?
    };
    for setting in parts {
        let (key, value) = setting.split_once('=').ok_or_else(|| {
            refused("write NAME:KEY=VALUE, for example ica:law=pyramid".to_owned())
        })?;
        method
            .set(key, value)
            .map_err(|error| refused(error.to_string()))?;
    }
    method
        .validate()
        .map_err(|error| refused(error.to_string()))?;
    Ok(method)
}
