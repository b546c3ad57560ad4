//! The synchronous stepper: one implicit step for everything, collision-free at its end.
//!
//! Source: Verschoor & Jalba 2019, Algorithm 1, outer part. Differs from it in: candidates outlive a step while they
//! cover the motion, limits on rounds, roll-back and subdivision.

mod attempt;
mod clock;
mod failure;
mod rounds;

use super::{SolveObserver, Stepper};
use crate::{
    compliance::RestBodies,
    contacts::set::ContactSet,
    error::{SimError, StepError, StepFailure},
    model::Model,
    report::StepReport,
    state::State,
    step::{
        assemble::{constraints::JointRows, load::BodyLoads, rigid::RigidStep},
        commit::{
            energy::{EnergyAccount, MATERIAL_SHARE},
            measure,
        },
        detect::Detector,
        extension::{ForceBuffers, StepExtensions},
        refine::Refiner,
        resolve::{balance::Balanced, coarse::Coarse},
    },
};
use impinge_contact::compliance::TurnedBodies;
use impinge_contact::{ContactProblem, ContactSolution, ContactSolver, Interrupt, Method};
use impinge_fem::Assembler;
use impinge_krylov::block::SymmetricBlockMatrix;
use nalgebra::Vector3;
use std::{sync::Arc, time::Instant};

/// Solves beyond one for each length of a part that may miss their tolerances before a whole step is given up.
///
/// On its way down to the shortest part a step that cannot succeed misses one at each length. Shipped scenes miss none
/// or one in a step. With 3 a step that cannot succeed costs nine solves at the iteration limit; with ten times as many
/// it is given up as surely, and later.
const SPARE_UNMET_SOLVES: u32 = 3;

/// The stepper and all of its scratch.
pub struct Synchronous {
    assembler: Assembler,
    detector: Detector,
    refiner: Refiner,
    /// The method with the tolerances of the attempt, and its solver.
    method: Method,
    solver: Box<dyn ContactSolver + Send>,
    problem: ContactProblem,
    solution: ContactSolution,
    /// What the last solve left to close, and the system that closes it.
    balanced: Balanced,
    coarse: Coarse,
    /// Contacts of the attempt; the state's are replaced on success only.
    contacts: ContactSet,
    end: Vec<Vector3<f64>>,
    /// How points would move as far as is known before anything is solved for (m/s), and where they would end (m).
    foreseen_velocity: Vec<Vector3<f64>>,
    foreseen: Vec<Vector3<f64>>,
    /// Mean velocity of prescribed points, and what rows leave out of that of rigid bodies' points (m/s).
    known_velocity: Vec<Vector3<f64>>,
    rigid: RigidStep,
    loads: BodyLoads,
    /// Compliance at rest, once a method asked for it, and the bodies as the attempt started with them.
    rest: Option<RestBodies>,
    bodies: Option<Arc<TurnedBodies>>,
    joints: JointRows,
    /// Whether the step has met no problem that could not be rescued: more of its kind would only take time.
    rescuable: bool,
    /// Whether the last solve settled friction to the gap tolerance only.
    relaxed: bool,
    account: EnergyAccount,
    /// The last solve of the step that missed its tolerances, and how many more may.
    unsolved: Option<StepFailure>,
    unmet_left: u32,
    /// The shortest part of the step that was tried (s).
    shortest: f64,
    /// Ends the step once it is raised.
    interrupt: Interrupt,
    /// Code of other crates that takes part, and its forces on points.
    extensions: StepExtensions,
    forces: ForceBuffers,
    /// The state at the start of a step that was divided.
    undivided: Option<State>,
    /// Shown every solve.
    pub(crate) observer: Option<Box<dyn SolveObserver>>,
}

impl Synchronous {
    /// A stepper for `model`, its memory laid out.
    ///
    /// # Errors
    /// [`SimError::Fem`] if the elements do not fit the pattern, [`SimError::RestCompliance`] if the method needs a
    /// compliance at rest that cannot be had.
    pub fn new(model: &Model) -> Result<Self, SimError> {
        Self::extended(model, StepExtensions::default())
    }

    /// A stepper for `model` in which `extensions` take part.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`SimError::Extension`] for a preconditioner that the method has no place for.
    pub(crate) fn extended(model: &Model, extensions: StepExtensions) -> Result<Self, SimError> {
        let method = model.settings.solver;
        let mut solver = extensions.solver().unwrap_or_else(|| method.solver());
        solver.set_tolerances(method.tolerances());
        extensions.precondition(&mut *solver, method.name())?;
        let broad_phase =
            (extensions.broad_phase()).unwrap_or_else(|| model.settings.broad_phase.start());
        let mut rest = model
            .settings
            .solver
            .needs_bodies()
            .then(|| RestBodies::new(model));
        if let Some(rest) = &mut rest {
            rest.prepare(model, model.settings.time_step)?;
        }
        let points = model.points.rest.len();
        let matrix = SymmetricBlockMatrix::zeros(model.unknowns.pattern.clone());
        let rhs = vec![0.0; matrix.len()];
        Ok(Self {
            assembler: model
                .elements
                .elastic
                .bind(&model.unknowns.pattern, &model.unknowns.block_of_point)?,
            detector: Detector::new(broad_phase),
            refiner: Refiner::default(),
            method,
            solver,
            problem: ContactProblem::new(model.settings.time_step, matrix, rhs),
            solution: ContactSolution::default(),
            balanced: Balanced::default(),
            coarse: Coarse::default(),
            contacts: ContactSet::default(),
            end: vec![Vector3::zeros(); points],
            foreseen_velocity: Vec::new(),
            foreseen: Vec::new(),
            known_velocity: vec![Vector3::zeros(); points],
            rigid: RigidStep::default(),
            loads: BodyLoads::default(),
            rest,
            bodies: None,
            joints: JointRows::default(),
            rescuable: true,
            relaxed: false,
            unsolved: None,
            account: EnergyAccount::new(model, MATERIAL_SHARE),
            unmet_left: 0,
            shortest: f64::INFINITY,
            interrupt: Interrupt::default(),
            extensions,
            forces: ForceBuffers::default(),
            undivided: None,
            observer: None,
        })
    }

    /// The extensions that take part, shared.
    pub(crate) fn extensions(&self) -> StepExtensions {
        self.extensions.clone()
    }

    /// What the user should know, since the last call.
    pub(crate) fn take_notices(&mut self) -> Vec<String> {
        self.rest
            .as_mut()
            .map(RestBodies::take_notices)
            .unwrap_or_default()
    }

    /// Takes `time_step` whole, or in two halves where that fails, and so on down to the model's shortest part.
    fn advance_by(
        &mut self,
        model: &Model,
        state: &mut State,
        time_step: f64,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let half = 0.5 * time_step;
        let divisible = half >= model.settings.minimum_step;
        self.shortest = self.shortest.min(time_step);
        match self.attempt(model, state, time_step, !divisible, report) {
            Ok(()) => {
                report.substeps += 1;
                Ok(())
            }
            Err(failure) if divisible && self.may_be_shorter(&failure) => {
                if report.rejected == 0 {
                    self.undivided = Some(state.clone());
                }
                report.rejected += 1;
                self.advance_by(model, state, half, report)?;
                self.advance_by(model, state, half, report)
            }
            Err(failure) => {
                let (failure, solve) = self.explain(model, state.time, failure);
                Err(StepError {
                    step: state.step + 1,
                    time: state.time,
                    shortest: self.shortest,
                    failure,
                    unsolved: solve.map(Box::new),
                })
            }
        }
    }

    /// Whether a shorter part is tried where one has failed.
    fn may_be_shorter(&self, failure: &StepFailure) -> bool {
        let final_failure = matches!(
            failure,
            StepFailure::Interrupted | StepFailure::Extension(_)
        );
        !final_failure && self.unmet_left > 0
    }
}

impl Stepper for Synchronous {
    fn heed(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
        self.solver.heed(interrupt);
    }

    fn is_resumable(&self) -> bool {
        true
    }

    fn moves_straight(&self) -> bool {
        true
    }

    fn advance(&mut self, model: &Model, state: &mut State) -> Result<StepReport, StepError> {
        let mut report = StepReport {
            minimum_gap: f64::INFINITY,
            ..StepReport::default()
        };
        self.rescuable = true;
        self.unsolved = None;
        self.account.open(model, state);
        self.unmet_left = lengths_of_parts(model) + SPARE_UNMET_SOLVES;
        self.shortest = f64::INFINITY;
        let advanced = self.advance_by(model, state, model.settings.time_step, &mut report);
        let undivided = self.undivided.take();
        if let Err(error) = advanced {
            // A step that was interrupted is taken from its start when the run goes on.
            if let (StepFailure::Interrupted, Some(start)) = (&error.failure, undivided) {
                *state = start;
                self.account.forget();
            }
            return Err(error);
        }
        state.step += 1;
        // Parts add up with rounding; whole steps must not.
        state.time = state.step as f64 * model.settings.time_step;
        let started = Instant::now();
        measure(model, state, &mut report);
        report.step = state.step;
        report.time = state.time;
        report.times.commit += started.elapsed().as_secs_f64();
        Ok(report)
    }
}

/// How many lengths the parts of a step may have, the whole step's included.
fn lengths_of_parts(model: &Model) -> u32 {
    let halves = std::iter::successors(Some(0.5 * model.settings.time_step), |length| {
        Some(0.5 * length)
    });
    let tried = halves.take_while(|&length| length >= model.settings.minimum_step);
    1 + tried.take(MOST_HALVINGS).count() as u32
}

/// A part that was halved more often is shorter than a step by more than doubles have digits.
const MOST_HALVINGS: usize = 52;
