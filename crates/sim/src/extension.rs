//! Extensions: code of another crate that takes part in a simulation.
//!
//! | extension | trait | takes part |
//! |---|---|---|
//! | material | [`Hyperelastic`](impinge_fem::Hyperelastic) | in the place of a body's material |
//! | contact solver | [`ContactSolver`] | in the place of the contact method |
//! | broad phase | [`BroadPhase`] | in the place of the bounding volume hierarchy |
//! | preconditioner | [`Preconditioner`] | in conjugate-residual methods, for the momentum matrix |
//! | force | [`Force`] | in the momentum system of every step |
//! | stepper | [`Stepper`] | in the place of the scene's stepper |
//! | observer | [`Observer`] | after every step |
//!
//! Extensions are attached in Rust; scene files do not name them. All run on the thread of the step, except materials,
//! which are evaluated on several threads. A broken contract ends the step with
//! [`StepFailure::Extension`], which names the extension.
//!
//! ```
//! use impinge_sim::extension::{Extensions, Observer};
//! use impinge_sim::{Model, Scene, Simulation, State, StepReport};
//! use std::sync::mpsc::{Sender, channel};
//!
//! struct Heights(Sender<f64>);
//!
//! impl Observer for Heights {
//!     fn observe(
//!         &mut self,
//!         _: &Model,
//!         state: &State,
//!         _: &StepReport,
//!     ) -> impinge_sim::extension::ExtensionResult {
//!         self.0.send(state.positions[0].z)?;
//!         Ok(())
//!     }
//! }
//!
//! let text = r#"
//! [time]
//! step = 1e-3
//! duration = 1e-2
//! [[body]]
//! name = "cube"
//! mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
//! material = { young = 1e5, poisson = 0.3, density = 1000 }
//! "#;
//! let scene = Scene::parse("cube.toml", text, &[""; 0])?;
//! let (sender, heights) = channel();
//! let extensions = Extensions::new().observer("heights", Heights(sender));
//! let mut simulation = Simulation::extended(&scene, extensions)?;
//! simulation.advance()?;
//! assert_eq!(heights.try_iter().count(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Limits of a stored run
//! Manifest, checkpoint and frames hold scene and state. They hold no extensions and no state of extensions:
//! - A run resumes bit for bit only with the same extensions attached, whose results depend on their input alone.
//! - `verify` proves the guarantees of the stored frames whatever made them: no intersections, no crossings between
//!   frames, prescribed points on their paths, rigid shapes. It does not know forces, materials or energies of
//!   extensions, nor which stepper made the motion.
//! - Unexplained energy gains are not counted while a force is attached, and the momentum of whole bodies is then
//!   closed to the tolerance of the contact method, not to rounding.
//! - `doctor` checks the materials, steps and compliances of the scene only.

pub use crate::error::extension::{ExtensionError, ExtensionKind};
pub use crate::step::extension::{ExtensionResult, Force, ForceInput, ForceTerms};

use crate::{
    error::{StepError, StepFailure},
    model::{BodyMaterials, Model},
    report::StepReport,
    scene::StepperChoice,
    state::State,
    step::extension::StepExtensions,
    stepper::Stepper,
};
use impinge_contact::{ContactSolver, Interrupt};
use impinge_fem::CustomMaterial;
use impinge_geometry::broad_phase::BroadPhase;
use impinge_krylov::preconditioner::Preconditioner;

/// Sees every step, without influence on the simulation.
pub trait Observer: Send {
    /// Called after each whole step that succeeded, with the state at its end.
    ///
    /// # Errors
    /// Any error ends [`Simulation::advance`](crate::Simulation::advance) with the name of the observer. The step is
    /// taken then, and further observers do not see it.
    fn observe(&mut self, model: &Model, state: &State, report: &StepReport) -> ExtensionResult;
}

/// The extensions of a simulation, each under a name for messages. Of a kind that has one place, the last one counts.
#[derive(Default)]
pub struct Extensions {
    pub(crate) materials: BodyMaterials,
    material_names: Vec<String>,
    pub(crate) step: StepExtensions,
    pub(crate) stepper: Option<NamedStepper>,
    pub(crate) observers: Vec<NamedObserver>,
}

impl Extensions {
    /// No extensions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the bodies of a `[[body]]` of the scene, all copies or one of them by its name, a material in the place of
    /// their own. Density, damping and friction stay those of the scene.
    #[must_use]
    pub fn material(mut self, body: impl Into<String>, material: CustomMaterial) -> Self {
        self.material_names.push(material.name().to_owned());
        self.materials.set(body.into(), material);
        self
    }

    /// Solves contact problems by `solver`. It is told the tolerances of each step, and an interrupt.
    ///
    /// Convergence counts if the independent residual confirms it; a solve without it has no fallback. The scene's
    /// method stays the one that the step is prepared for: its tolerances, and whether it needs compliances at rest.
    #[must_use]
    pub fn contact_solver(
        mut self,
        name: impl Into<String>,
        solver: impl ContactSolver + Send + 'static,
    ) -> Self {
        self.step.set_solver(name.into(), Box::new(solver));
        self
    }

    /// Finds candidate pairs by `broad_phase`. Their order has no influence, nor have pairs that do not overlap.
    #[must_use]
    pub fn broad_phase(
        mut self,
        name: impl Into<String>,
        broad_phase: impl BroadPhase + Send + 'static,
    ) -> Self {
        (self.step).set_broad_phase(name.into(), Box::new(broad_phase));
        self
    }

    /// Preconditions the momentum rows of the contact method, which has to take one: see
    /// [`ContactSolver::precondition`].
    #[must_use]
    pub fn preconditioner(
        mut self,
        name: impl Into<String>,
        preconditioner: impl Preconditioner + Send + 'static,
    ) -> Self {
        (self.step).set_preconditioner(name.into(), Box::new(preconditioner));
        self
    }

    /// Adds a force to every step.
    #[must_use]
    pub fn force(mut self, name: impl Into<String>, force: impl Force + 'static) -> Self {
        self.step.add_force(name.into(), Box::new(force));
        self
    }

    /// Takes steps by `stepper`.
    #[must_use]
    pub fn stepper(
        mut self,
        name: impl Into<String>,
        stepper: impl Stepper + Send + 'static,
    ) -> Self {
        self.stepper = Some(NamedStepper {
            name: name.into(),
            inner: Box::new(stepper),
        });
        self
    }

    /// Shows every step to `observer`, in the order in which observers are attached.
    #[must_use]
    pub fn observer(mut self, name: impl Into<String>, observer: impl Observer + 'static) -> Self {
        self.observers.push(NamedObserver {
            name: name.into(),
            inner: Box::new(observer),
        });
        self
    }

    /// Kind and name of each, for a record of the run.
    pub fn names(&self) -> Vec<(ExtensionKind, String)> {
        let materials = (self.material_names.iter()).map(|name| (ExtensionKind::Material, name));
        let stepper = (self.stepper.iter()).map(|named| (ExtensionKind::Stepper, &named.name));
        let observers = (self.observers.iter()).map(|named| (ExtensionKind::Observer, &named.name));
        let others = materials.chain(stepper).chain(observers);
        let of_step = self
            .step
            .names()
            .map(|(kind, name)| (kind, name.to_owned()));
        of_step
            .chain(others.map(|(kind, name)| (kind, name.clone())))
            .collect()
    }

    /// Checks that the extensions have a place in a simulation by the stepper of a scene.
    pub(crate) fn check(&self, stepper: StepperChoice) -> Result<(), ExtensionError> {
        let problem = match (&self.stepper, stepper) {
            (Some(_), StepperChoice::Asynchronous | StepperChoice::Constrained) => {
                let named = self
                    .stepper
                    .iter()
                    .map(|s| (ExtensionKind::Stepper, &*s.name));
                return named.take(1).try_for_each(|(kind, name)| {
                    Err(ExtensionError {
                        kind,
                        name: name.to_owned(),
                        problem: "takes the place of the synchronous stepper: leave `stepper` out of the scene"
                            .to_owned(),
                    })
                });
            }
            (Some(_), _) => "has no place in a stepper that is an extension itself",
            (None, StepperChoice::Synchronous) => return Ok(()),
            (None, _) => {
                "takes part in the synchronous stepper only: leave `stepper` out of the scene"
            }
        };
        match self.step.names().next() {
            Some((kind, name)) => Err(ExtensionError {
                kind,
                name: name.to_owned(),
                problem: problem.to_owned(),
            }),
            None => Ok(()),
        }
    }
}

/// An observer with its name.
pub(crate) struct NamedObserver {
    name: String,
    inner: Box<dyn Observer>,
}

impl NamedObserver {
    pub(crate) fn observe(
        &mut self,
        model: &Model,
        state: &State,
        report: &StepReport,
    ) -> Result<(), StepError> {
        let seen = self.inner.observe(model, state, report);
        seen.map_err(|error| {
            let problem = format!("failed: {error}");
            step_error(model, state, ExtensionKind::Observer, &self.name, problem)
        })
    }
}

/// A stepper with its name.
pub(crate) struct NamedStepper {
    name: String,
    inner: Box<dyn Stepper + Send>,
}

impl Stepper for NamedStepper {
    fn heed(&mut self, interrupt: &Interrupt) {
        self.inner.heed(interrupt);
    }

    fn is_resumable(&self) -> bool {
        self.inner.is_resumable()
    }

    fn moves_straight(&self) -> bool {
        self.inner.moves_straight()
    }

    /// Checks that the state is one of the model afterwards, and restores it if not.
    fn advance(&mut self, model: &Model, state: &mut State) -> Result<StepReport, StepError> {
        let start = state.clone();
        let advanced = self.inner.advance(model, state);
        let broken = broken_rule(&start, state, advanced.is_ok());
        let Some(problem) = broken else {
            return advanced;
        };
        *state = start;
        let kind = ExtensionKind::Stepper;
        Err(step_error(model, state, kind, &self.name, problem))
    }
}

/// The first rule that a state after a step breaks.
fn broken_rule(start: &State, end: &State, succeeded: bool) -> Option<String> {
    let lengths = [
        ("positions", start.positions.len(), end.positions.len()),
        ("velocities", start.velocities.len(), end.velocities.len()),
        (
            "accelerations",
            start.accelerations.len(),
            end.accelerations.len(),
        ),
        ("rigid bodies", start.rigid.len(), end.rigid.len()),
    ];
    for (what, before, after) in lengths {
        if before != after {
            return Some(format!("left {after} {what} where there were {before}"));
        }
    }
    if !end.is_finite() {
        return Some("left a number that is not finite in the state".to_owned());
    }
    if succeeded && (end.step != start.step + 1 || end.time <= start.time) {
        return Some(format!(
            "went from step {} at {} s to step {} at {} s; a step counts one and takes time",
            start.step, start.time, end.step, end.time
        ));
    }
    None
}

fn step_error(
    model: &Model,
    state: &State,
    kind: ExtensionKind,
    name: &str,
    problem: String,
) -> StepError {
    StepError {
        step: state.step + u64::from(kind != ExtensionKind::Observer),
        time: state.time,
        shortest: model.settings.time_step,
        failure: StepFailure::Extension(ExtensionError {
            kind,
            name: name.to_owned(),
            problem,
        }),
        unsolved: None,
    }
}
