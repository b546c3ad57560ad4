//! A simulation: model, state and stepper of a scene.
//!
//! It can be questioned and changed between steps: bodies by name, contacts and reactions as data, forces, prescribed
//! motions and friction, controllers before each step, snapshots. After any change by a program, each step proves that
//! nothing intersects, or returns an error.
//!
//! ```
//! use impinge_sim::{Scene, Simulation};
//!
//! let text = r#"
//! [time]
//! step = 1e-2
//! duration = 1
//! [[body]]
//! name = "box"
//! kind = "rigid"
//! mass = 2
//! mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
//! position = [0, 0, 1]
//! "#;
//! let scene = Scene::parse("box.toml", text, &[""; 0])?;
//! let mut simulation = Simulation::new(&scene)?;
//! simulation.set_force("box", [0.0, 0.0, 2.0 * 9.81 + 4.0])?;
//! simulation.step_until(0.5)?;
//! let speed = simulation.body("box")?.velocity().z;
//! assert!((speed - 4.0 / 2.0 * 0.5).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod control;
mod controllers;
mod question;
mod resume;
mod snapshot;

pub use snapshot::Snapshot;

use crate::overlap::depth;
use crate::{
    error::{SimError, StepError, StepFailure},
    extension::{ExtensionResult, Extensions, NamedObserver, NamedStepper},
    model::Model,
    report::StepReport,
    scene::{Scene, StepperChoice},
    state::State,
    step::commit::step_limit::StepLimit,
    stepper::{
        Asynchronous, Constrained, SolveObserver, Stepper, Synchronous,
        asynchronous::{Pieces, Statistics, StepHistogram},
        constrained::check_joints,
    },
};
use impinge_contact::{Interrupt, Method};
use impinge_geometry::exact::surface_intersections;
use nalgebra::Vector3;
use std::hash::{DefaultHasher, Hash, Hasher};
use tracing::{debug, info};

/// A running simulation.
pub struct Simulation {
    model: Model,
    state: State,
    stepper: AnyStepper,
    /// Shown every step.
    observers: Vec<NamedObserver>,
    /// Run before each step.
    controllers: Vec<NamedController>,
    /// Distinguishes scenes, so that a snapshot of another one is found out.
    fingerprint: u64,
    /// Messages about the joints from before the first step.
    notices: Vec<String>,
    /// Whether steps are judged by [`StepLimit`].
    judges_steps: bool,
    /// The message about the first step that may be too long.
    long_step: Option<String>,
    /// Ends a step when it is raised.
    interrupt: Interrupt,
}

/// A controller with its name.
struct NamedController {
    name: String,
    run: Box<dyn FnMut(&mut Simulation) -> ExtensionResult + Send>,
}

/// A number that differs between scenes.
fn fingerprint(scene: &Scene) -> u64 {
    let mut hasher = DefaultHasher::new();
    let text = serde_json::to_string(scene).unwrap_or_default();
    text.hash(&mut hasher);
    scene.folder().hash(&mut hasher);
    hasher.finish()
}

/// The stepper that the scene chose.
enum AnyStepper {
    Synchronous(Box<Synchronous>),
    Asynchronous(Box<Asynchronous>),
    Constrained(Box<Constrained>),
    Extension(NamedStepper),
}

impl AnyStepper {
    fn as_dyn(&self) -> &dyn Stepper {
        match self {
            Self::Synchronous(stepper) => &**stepper,
            Self::Asynchronous(stepper) => &**stepper,
            Self::Constrained(stepper) => &**stepper,
            Self::Extension(stepper) => stepper,
        }
    }

    fn as_dyn_mut(&mut self) -> &mut (dyn Stepper + Send) {
        match self {
            Self::Synchronous(stepper) => &mut **stepper,
            Self::Asynchronous(stepper) => &mut **stepper,
            Self::Constrained(stepper) => &mut **stepper,
            Self::Extension(stepper) => stepper,
        }
    }
}

/// One in this many events of the asynchronous stepper is timed. A prime avoids the periods of the clocks.
const TIMED: u64 = 61;

impl Simulation {
    /// Prepares `scene`, and proves that it starts without overlap if its stepper supports contact.
    ///
    /// # Errors
    /// [`SimError`] naming the part that cannot be simulated.
    pub fn new(scene: &Scene) -> Result<Self, SimError> {
        Self::extended(scene, Extensions::default())
    }

    /// As [`new`](Self::new), with `extensions` of other crates.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`SimError::Extension`] for one that has no place in the simulation.
    pub fn extended(scene: &Scene, extensions: Extensions) -> Result<Self, SimError> {
        extensions.check(scene.stepper)?;
        let Extensions {
            materials,
            step,
            stepper,
            observers,
            ..
        } = extensions;
        let (model, state) = Model::with_materials(scene, &materials)?;
        info!(
            title = scene.title,
            bodies = model.geometry.bodies.len(),
            nodes = model.points.rest.len(),
            tetrahedra = model.elements.tets.len(),
            joints = scene.joints.len(),
            stepper = ?scene.stepper,
            method = model.settings.solver.name(),
            integrator = ?model.settings.integrator,
            time_step = model.settings.time_step,
            "model built"
        );
        if scene.stepper != StepperChoice::Constrained {
            check_start(&model, &state.positions)?;
        }
        let mut notices = model.notices();
        let stepper = match (&model.settings.asynchronous, scene.stepper) {
            _ if let Some(stepper) = stepper => AnyStepper::Extension(stepper),
            (Some(settings), _) => {
                let mut stepper = Asynchronous::new(&model, &state, settings)?;
                stepper.measure_times(TIMED);
                if scene.output.pieces {
                    stepper.record_pieces();
                }
                if scene.stores_contacts() {
                    stepper.keep_contacts();
                }
                AnyStepper::Asynchronous(Box::new(stepper))
            }
            (None, StepperChoice::Constrained) => {
                AnyStepper::Constrained(Box::new(Constrained::new(&model, &state)?))
            }
            (None, _) => {
                notices.extend(check_joints(&model, &state)?);
                let mut stepper = Synchronous::extended(&model, step)?;
                if scene.output.energies {
                    stepper.keep_balance(&model);
                }
                AnyStepper::Synchronous(Box::new(stepper))
            }
        };
        let judges_steps = StepLimit::applies(&model)
            && matches!(
                stepper,
                AnyStepper::Synchronous(_) | AnyStepper::Constrained(_)
            );
        Ok(Self {
            model,
            state,
            stepper,
            observers,
            controllers: Vec::new(),
            fingerprint: fingerprint(scene),
            notices,
            judges_steps,
            long_step: None,
            interrupt: Interrupt::default(),
        })
    }

    /// Whether a state suffices to [resume](Self::resume).
    pub fn is_resumable(&self) -> bool {
        self.stepper.as_dyn().is_resumable()
    }

    /// Whether every point moves straight in each substep; otherwise two frames do not determine the path between them.
    pub fn moves_straight(&self) -> bool {
        self.stepper.as_dyn().moves_straight()
    }

    /// Whether reports hold a balance sheet: of the synchronous stepper, unless the scene turns it off.
    pub fn keeps_balance(&self) -> bool {
        match &self.stepper {
            AnyStepper::Synchronous(stepper) => stepper.keeps_balance(),
            _ => false,
        }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Messages about the preparations since the last call.
    pub fn take_notices(&mut self) -> Vec<String> {
        let mut notices = std::mem::take(&mut self.notices);
        match &mut self.stepper {
            AnyStepper::Synchronous(stepper) => notices.extend(stepper.take_notices()),
            AnyStepper::Asynchronous(_) | AnyStepper::Extension(_) => {}
            AnyStepper::Constrained(stepper) => notices.extend(stepper.take_notices()),
        }
        notices
    }

    /// The message about the first step that may be too long without geometric stiffness.
    pub fn long_step(&self) -> Option<&str> {
        self.long_step.as_deref()
    }

    /// The first surfaces that crossed in this simulation, and the time; only the constrained stepper permits
    /// crossings.
    pub fn first_crossing(&self) -> Option<&str> {
        match &self.stepper {
            AnyStepper::Constrained(stepper) => stepper.first_crossing(),
            _ => None,
        }
    }

    /// Statistics of the asynchronous stepper, if it is chosen.
    pub fn events(&self) -> Option<&Statistics> {
        match &self.stepper {
            AnyStepper::Asynchronous(stepper) => Some(stepper.statistics()),
            _ => None,
        }
    }

    /// End of each step (s), and durations of the trajectory pieces that ended in it, if the asynchronous stepper is
    /// chosen.
    pub fn flights(&self) -> &[(f64, StepHistogram)] {
        match &self.stepper {
            AnyStepper::Asynchronous(stepper) => stepper.flights(),
            _ => &[],
        }
    }

    /// The straight pieces in which vertices of surfaces moved since they were taken last, up to the present state;
    /// `None` unless the scene stores them (`output.pieces`).
    pub fn take_pieces(&mut self) -> Option<Pieces> {
        match &mut self.stepper {
            AnyStepper::Asynchronous(stepper) => stepper.take_pieces(&self.state),
            _ => None,
        }
    }

    /// Shows every solve of the following steps to `observer`, which replaces an earlier one. Only the synchronous
    /// stepper has solves to show.
    pub fn observe_solves(&mut self, observer: impl SolveObserver + 'static) {
        if let AnyStepper::Synchronous(stepper) = &mut self.stepper {
            stepper.observer = Some(Box::new(observer));
        }
    }

    /// Solves the following steps by `method`, with the tolerances of the scene, also in the place of a contact solver
    /// of an extension. Only the synchronous stepper has methods.
    ///
    /// # Errors
    /// As [`new`](Self::new), for problems that the method does not support; the simulation is then unchanged.
    pub fn use_method(&mut self, method: Method) -> Result<(), SimError> {
        let before = std::mem::replace(&mut self.model.settings.solver, method);
        let renewed = self.renew(true);
        if renewed.is_err() {
            self.model.settings.solver = before;
        }
        renewed
    }

    /// Rebuilds the synchronous stepper for the present model; by its method if a contact solver of an extension is to
    /// be `dropped`.
    fn renew(&mut self, dropped: bool) -> Result<(), SimError> {
        if let AnyStepper::Synchronous(stepper) = &mut self.stepper {
            let mut extensions = stepper.extensions();
            if dropped {
                extensions.drop_solver();
            }
            let mut renewed = Synchronous::extended(&self.model, extensions)?;
            if stepper.keeps_balance() {
                renewed.keep_balance(&self.model);
            }
            let observer = std::mem::replace(&mut **stepper, renewed).observer;
            stepper.observer = observer;
            stepper.heed(&self.interrupt);
        }
        Ok(())
    }

    /// Makes `interrupt` end a step within one iteration of its solver, with [`StepFailure::Interrupted`] and the state
    /// at the start of the step. A step of the constrained stepper is one linear solve, which is finished.
    pub fn heed(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
        self.stepper.as_dyn_mut().heed(interrupt);
    }

    /// Takes one whole step, and shows it to the observers.
    ///
    /// # Errors
    /// [`StepError`] if the step has no collision-free result; [`state`](Self::state) is then the last safe one. Also
    /// if an observer failed, which leaves the step taken.
    pub fn advance(&mut self) -> Result<StepReport, StepError> {
        self.release()?;
        self.model.load_step(&self.state);
        // A step has many short parallel sections: on a worker thread they start without waking another thread.
        let stepper = self.stepper.as_dyn_mut();
        let report = rayon::scope(|_| stepper.advance(&self.model, &mut self.state))?;
        debug!(
            step = report.step,
            time = report.time,
            substeps = report.substeps,
            rounds = report.rounds,
            iterations = report.iterations,
            contacts = report.active,
            momentum_residual = report.momentum_residual,
            "step accepted"
        );
        self.judge_step();
        for observer in &mut self.observers {
            observer.observe(&self.model, &self.state, &report)?;
        }
        Ok(report)
    }
}

impl Simulation {
    /// Notes the first step that may be too long for the forces of its constraints.
    fn judge_step(&mut self) {
        if self.judges_steps && self.long_step.is_none() {
            let limit = StepLimit::of(&self.model, &self.state);
            self.long_step = limit.map(|limit| limit.message(&self.model, self.state.time));
        }
    }

    /// Releases the nodes whose prescribed motion ends here, and rebuilds the stepper.
    fn release(&mut self) -> Result<(), StepError> {
        if matches!(
            self.stepper,
            AnyStepper::Asynchronous(_) | AnyStepper::Constrained(_)
        ) {
            return Ok(());
        }
        let Some(before) = self.model.release(self.state.time) else {
            return Ok(());
        };
        let was_held = |point: usize| before[point].is_prescribed();
        let bodies = self
            .model
            .geometry
            .bodies
            .iter()
            .zip(self.model.tied_bodies());
        let let_go: Vec<bool> = bodies
            .map(|(body, tied)| !tied && body.points.clone().any(was_held))
            .collect();
        self.renew(false).map_err(|error| {
            // Stepper and model must match, whatever the caller does next.
            self.model.move_points(before);
            StepError {
                step: self.state.step + 1,
                time: self.state.time,
                shortest: self.model.settings.time_step,
                failure: StepFailure::Release {
                    problem: error.to_string(),
                },
                unsolved: None,
            }
        })?;
        debug!(
            step = self.state.step + 1,
            time = self.state.time,
            "held nodes released"
        );
        self.model
            .start_falling(&mut self.state, let_go.into_iter());
        Ok(())
    }
}

/// Checks for overlaps at the start. Touching surfaces were offset when the model was built.
fn check_start(model: &Model, positions: &[Vector3<f64>]) -> Result<(), SimError> {
    for &point in model.geometry.surface.vertices() {
        if model.geometry.surface.is_passive_point(point) {
            continue;
        }
        let x = positions[point as usize];
        for half_space in &model.geometry.half_spaces {
            let height = half_space.normal.dot(&(x - half_space.point));
            if height <= 0.0 {
                return Err(SimError::InitialPenetration {
                    body: model
                        .geometry
                        .solid(model.geometry.solid_of_point(point))
                        .name
                        .clone(),
                    half_space: half_space.name.clone(),
                    depth: -height,
                    place: x.into(),
                });
            }
        }
    }
    if let Some(pair) = surface_intersections(positions, &model.geometry.surface, 1).first() {
        let first_point = model.geometry.surface.triangles()[pair.triangles[0] as usize][0];
        let second_point = model.geometry.surface.triangles()[pair.triangles[1] as usize][0];
        let solids = [first_point, second_point].map(|point| model.geometry.solid_of_point(point));
        let [first, second] = solids.map(|solid| model.geometry.solid(solid).name.clone());
        return Err(SimError::InitialOverlap {
            first,
            second,
            // Depths are measured between bodies at rest, so only if they start there.
            depth: (solids[0] != solids[1] && *positions == *model.points.rest)
                .then(|| depth(model, solids)),
            triangles: pair.triangles,
            place: positions[first_point as usize].into(),
        });
    }
    Ok(())
}
