//! `impinge.Simulation`.

use std::sync::Arc;

use impinge_sim::measure::body::Pose;
use impinge_sim::{Simulation as Sim, StepReport};
use nalgebra::UnitQuaternion;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::body::Body;
use crate::controllers::{Controllers, Moment};
use crate::records::{Contacts, Reacting};
use crate::scene::Scene;
use crate::shared::Shared;
use crate::snapshot::Snapshot;
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
/// iteration of its solver: ``KeyboardInterrupt`` is raised, and the state is that before the step.
///
/// Between steps a program may ask for bodies, contacts and reactions, and set forces, motions and friction. Whatever
/// it sets, a step that would make surfaces intersect raises ``StepError``.
#[pyclass(frozen, module = "impinge")]
pub(crate) struct Simulation {
    shared: Arc<Shared>,
    scene: Py<Scene>,
    controllers: Controllers,
}

impl Simulation {
    /// Takes steps while `goes_on` says so, with the controllers before each.
    fn run(
        slf: &Bound<'_, Self>,
        mut goes_on: impl FnMut(&Sim) -> bool + Send + 'static,
    ) -> PyResult<Option<StepReport>> {
        let (py, own) = (slf.py(), slf.get());
        own.controllers.refuse("takes a step")?;
        if own.controllers.is_empty() {
            return own.shared.advance(py, goes_on);
        }
        let mut last = None;
        while own.shared.read(&mut goes_on)? {
            py.check_signals()?;
            own.controllers.call(slf.as_any(), || own.moment())?;
            let mut first = true;
            last = (own.shared).advance(py, move |_| std::mem::take(&mut first))?;
        }
        Ok(last)
    }

    fn moment(&self) -> PyResult<Moment> {
        self.shared.read(|simulation| Moment {
            step: simulation.steps() + 1,
            time: simulation.time(),
            duration: simulation.model().settings.time_step,
        })
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
        Ok(Self {
            shared: Arc::new(Shared::new(simulation)),
            scene,
            controllers: Controllers::default(),
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
    ///     StepError: if a step has no collision-free result; the state is then that before the step, and the
    ///         simulation can go on after a change.
    ///     ControllerError: if a controller raises; likewise.
    #[pyo3(signature = (count=1))]
    fn step<'py>(slf: &Bound<'py, Self>, count: i64) -> PyResult<Bound<'py, PyAny>> {
        let Some(mut left) = u64::try_from(count).ok().filter(|&count| count > 0) else {
            return Err(errors::argument(format!(
                "count is {count}; give a number of steps of at least 1"
            )));
        };
        let report = Self::run(slf, move |_| {
            let goes_on = left > 0;
            left = left.saturating_sub(1);
            goes_on
        })?;
        convert::to_python(slf.py(), &report)
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
    ///     StepError, ControllerError: as ``step``.
    fn step_until<'py>(slf: &Bound<'py, Self>, time: f64) -> PyResult<Bound<'py, PyAny>> {
        if !time.is_finite() {
            return Err(errors::argument(format!(
                "time is {time}; give a finite time in seconds"
            )));
        }
        let before = time - TIME_ROUNDING * slf.get().scene.get().scene.time.step;
        let report = Self::run(slf, move |simulation| simulation.time() < before)?;
        convert::to_python(slf.py(), &report)
    }

    /// The scene.
    #[getter]
    fn scene(&self, py: Python<'_>) -> Py<Scene> {
        self.scene.clone_ref(py)
    }

    /// Simulated time (s).
    #[getter]
    fn time(&self) -> PyResult<f64> {
        self.shared.read(Sim::time)
    }

    /// Number of steps taken.
    #[getter]
    fn step_count(&self) -> PyResult<u64> {
        self.shared.read(Sim::steps)
    }

    /// Positions of all points (m), shape (n, 3), read-only; every step overwrites them.
    #[getter]
    fn positions(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.shared.positions(py)
    }

    /// Velocities of all points (m/s), shape (n, 3), read-only; every step overwrites them.
    #[getter]
    fn velocities(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.shared.velocities(py)
    }

    /// Names of all bodies, obstacles and half-spaces, in this order.
    #[getter]
    fn names(&self) -> PyResult<Vec<String>> {
        self.shared.read(|simulation| {
            let names = simulation.bodies().map(|body| body.name().to_owned());
            names.collect()
        })
    }

    /// A body, obstacle or half-space by its name; copies are called ``NAME 1``, ``NAME 2``, ..
    ///
    /// Raises:
    ///     UnknownNameError: with the names that exist.
    fn body(&self, name: &str) -> PyResult<Body> {
        let found = self
            .shared
            .read(|simulation| simulation.body(name).map(|body| body.index()))?;
        let index = found.map_err(|error| errors::control(&error))?;
        Ok(Body::new(Arc::clone(&self.shared), index))
    }

    /// All bodies, obstacles and half-spaces by name.
    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let bodies = PyDict::new(py);
        for (index, name) in self.names()?.into_iter().enumerate() {
            bodies.set_item(name, Body::new(Arc::clone(&self.shared), index))?;
        }
        Ok(bodies)
    }

    /// The contacts that push at the end of the last step, as a structured array, shape (n,).
    ///
    /// Forces and the slip are those of the first body; the second one feels the opposite.
    ///
    /// - ``bodies``: names of the first and the second body, shape (n, 2)
    /// - ``features``: nodes of the given meshes that touch, shape (n, 2, 3): one of a vertex, two of an edge, three
    ///   of a triangle, none of a half-space; the rest is -1
    /// - ``place``: point of application (m), shape (n, 3)
    /// - ``normal``: unit normal to the first body, shape (n, 3)
    /// - ``gap``: distance of the two along the normal (m)
    /// - ``force``: normal and friction force (N), shape (n, 3)
    /// - ``normal_force``: its part along the normal (N)
    /// - ``friction_force``: its part across (N), shape (n, 3)
    /// - ``slip``: displacement of the first body along the other in the step, or since it began to stick (m),
    ///   shape (n, 3)
    /// - ``state``: ``"sticking"`` or ``"sliding"``
    /// - ``friction``: coefficient of the pair (1)
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.shared.read(Contacts::of)?.array(py)
    }

    /// Forces and torques of prescribed motions and joints at the end of the last step, as a structured array,
    /// shape (n,).
    ///
    /// A joint has a row for each of its bodies.
    ///
    /// - ``kind``: ``"held"``, ``"driven"`` or ``"joint"``
    /// - ``name``: ``BODY/NAME`` of held nodes, the name of a driven body or obstacle, or that of a joint
    /// - ``body``: the body that it acts on
    /// - ``place``: reference point of the torque (m), shape (n, 3)
    /// - ``force``: force on the body (N), shape (n, 3)
    /// - ``torque``: torque about the place (N m), shape (n, 3)
    #[getter]
    fn reactions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all = self.shared.read(|simulation| {
            let reactions = simulation.reactions()?;
            Ok(reactions.iter().map(Reacting::from).collect::<Vec<_>>())
        })?;
        Reacting::array(py, &all.map_err(|error| errors::simulation(&error))?)
    }

    /// The reaction of a name, with the keys of ``reactions``; of a joint, that on its first body.
    ///
    /// Raises:
    ///     UnknownNameError: with the names that exist.
    fn reaction<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        let found = (self.shared).read(|simulation| {
            simulation
                .reaction(name)
                .map(|found| Reacting::from(&found))
        })?;
        found
            .map_err(|error| errors::simulation(&error))?
            .dictionary(py)
    }

    /// Sets the force on a body for all following steps, in addition to gravity, contacts and forces of the scene.
    ///
    /// On a rigid body it acts at the centre of mass; on one that deforms it is spread over the free nodes by their
    /// mass. Zero removes it.
    ///
    /// Args:
    ///     body: name of a body.
    ///     force: N, shape (3,).
    ///
    /// Raises:
    ///     UnknownNameError: with the names that exist.
    ///     ArgumentError: for an obstacle or a prescribed body, and for an array that is no force.
    fn set_force(&self, body: &str, force: &Bound<'_, PyAny>) -> PyResult<()> {
        let force = arrays::vector(force, "force")?;
        (self.shared).control(|simulation| simulation.set_force(body, force.into()))
    }

    /// Sets the torque on a body about its centre of mass for all following steps.
    ///
    /// Args:
    ///     body: name of a body.
    ///     torque: N m, shape (3,), in world axes.
    ///
    /// Raises:
    ///     UnknownNameError, ArgumentError: as ``set_force``.
    fn set_torque(&self, body: &str, torque: &Bound<'_, PyAny>) -> PyResult<()> {
        let torque = arrays::vector(torque, "torque")?;
        (self.shared).control(|simulation| simulation.set_torque(body, torque.into()))
    }

    /// Sets the velocity of the centre of a prescribed motion from now on; its angular velocity stays.
    ///
    /// The centre is that of the scene's ``motion``, the ``position`` of the body if that stands still, or what
    /// ``set_center`` made it.
    ///
    /// Args:
    ///     name: a rigid body with a ``motion``, an obstacle with a mesh, or ``BODY/NAME`` for nodes that an entry of
    ///         ``fixed`` holds (``BODY/held 1`` without a name).
    ///     velocity: m/s, shape (3,).
    ///
    /// Raises:
    ///     UnknownNameError: with the names that exist.
    ///     ArgumentError: without a prescribed motion, and for an array that is no velocity.
    fn set_velocity(&self, name: &str, velocity: &Bound<'_, PyAny>) -> PyResult<()> {
        let velocity = arrays::vector(velocity, "velocity")?;
        (self.shared).control(|simulation| simulation.set_velocity(name, velocity.into()))
    }

    /// Sets the angular velocity of a prescribed motion about its centre from now on; the velocity of the centre stays.
    ///
    /// Args:
    ///     name: as of ``set_velocity``.
    ///     angular_velocity: rad/s, shape (3,), in world axes.
    ///
    /// Raises:
    ///     UnknownNameError, ArgumentError: as ``set_velocity``.
    fn set_angular_velocity(
        &self,
        name: &str,
        angular_velocity: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let turning = arrays::vector(angular_velocity, "angular_velocity")?;
        (self.shared).control(|simulation| simulation.set_angular_velocity(name, turning.into()))
    }

    /// Makes a point the centre of a prescribed motion: ``set_velocity`` moves it, and the rest turns about it.
    ///
    /// Args:
    ///     name: as of ``set_velocity``.
    ///     place: m, shape (3,).
    ///
    /// Raises:
    ///     UnknownNameError, ArgumentError: as ``set_velocity``.
    fn set_center(&self, name: &str, place: &Bound<'_, PyAny>) -> PyResult<()> {
        let place = arrays::vector(place, "place")?;
        (self.shared).control(|simulation| simulation.set_center(name, place.into()))
    }

    /// Makes a prescribed body or obstacle reach a pose at the end of the next step, and stand still from then on.
    ///
    /// Bodies in its way are pushed; where none can give way, the step raises.
    ///
    /// Args:
    ///     name: a rigid body with a ``motion``, or an obstacle with a mesh.
    ///     position: place of the origin of its own frame (m), shape (3,).
    ///     orientation: unit quaternion (w, x, y, z), shape (4,); by default the present one.
    ///
    /// Raises:
    ///     UnknownNameError, ArgumentError: as ``set_velocity``.
    #[pyo3(signature = (name, position, orientation=None))]
    fn set_pose(
        &self,
        name: &str,
        position: &Bound<'_, PyAny>,
        orientation: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let position = arrays::vector(position, "position")?;
        let given = orientation.map(|given| arrays::quaternion(given, "orientation"));
        let given = given.transpose()?;
        self.shared.control(|simulation| {
            let present = || Some(simulation.body(name).ok()?.pose()?.orientation);
            // Bodies without a pose are refused with a reason.
            let orientation = given
                .or_else(present)
                .unwrap_or_else(UnitQuaternion::identity);
            let pose = Pose {
                position,
                orientation,
            };
            simulation.set_pose(name, pose)
        })
    }

    /// Sets the friction coefficient between two bodies, obstacles or half-spaces, in the place of the geometric mean
    /// of their own.
    ///
    /// It also holds for their present contacts, from the next step on. The same name twice means contacts of a body
    /// with itself.
    ///
    /// Args:
    ///     first, second: their names.
    ///     coefficient: 0 or more (1).
    ///
    /// Raises:
    ///     UnknownNameError: with the names that exist.
    ///     ArgumentError: for a coefficient that is negative or not finite.
    fn set_friction(
        &self,
        first: &str,
        second: &str,
        coefficient: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let coefficient = arrays::number(coefficient, "coefficient")?;
        (self.shared).control(|simulation| simulation.set_friction(first, second, coefficient))
    }

    /// Calls a function before each following step, after those that were added earlier.
    ///
    /// It may ask the simulation and change it, but takes no steps and restores no state. If it raises,
    /// ``ControllerError`` is raised from that; the state is that before the step, and the simulation can go on.
    ///
    /// Args:
    ///     controller: a function of the simulation.
    ///
    /// Returns:
    ///     The controller, so that ``@simulation.on_step`` decorates one.
    ///
    /// Raises:
    ///     ArgumentError: for what cannot be called.
    fn on_step<'py>(&self, controller: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.controllers.add(&controller)?;
        Ok(controller)
    }

    /// Removes all controllers.
    fn clear_controllers(&self) {
        self.controllers.clear();
    }

    /// Saves the state, and all that ``set_..`` changed, in memory; controllers are not saved.
    fn save(&self) -> PyResult<Snapshot> {
        Ok(Snapshot(self.shared.read(Sim::save)?))
    }

    /// Returns to a saved state of this simulation, or of another one of the same scene.
    ///
    /// The following steps equal those after it was saved, bit for bit.
    ///
    /// Raises:
    ///     StateError: for a state of another scene, and for the asynchronous stepper; the simulation is unchanged.
    fn restore(&self, py: Python<'_>, snapshot: &Snapshot) -> PyResult<()> {
        self.controllers.refuse("restores a state")?;
        self.shared.restore(py, &snapshot.0)
    }

    /// Messages about the preparations since the last call.
    fn take_notices(&self) -> PyResult<Vec<String>> {
        self.shared.change(Sim::take_notices)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.controllers.visit(&visit)
    }

    fn __clear__(&self) {
        self.controllers.clear();
    }

    fn __repr__(&self) -> String {
        let title = &self.scene.get().scene.title;
        match self
            .shared
            .read(|simulation| (simulation.steps(), simulation.time()))
        {
            Ok((step, time)) => format!("<Simulation \"{title}\": step {step}, {time:.6} s>"),
            Err(_) => format!("<Simulation \"{title}\": not available>"),
        }
    }
}
