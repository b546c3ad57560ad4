//! The synchronous stepper: one implicit step for all bodies, collision-free at its end.
//!
//! Source: Verschoor & Jalba 2019, Algorithm 1, outer part. Differs from it in: candidates outlive a step while they
//! cover the motion, limits on rounds, roll-back and subdivision.

mod attempt;
mod changes;
mod clock;
mod failure;
mod moved_by_euler;
mod newton;
mod prescribed;
mod rounds;
mod second_order;
mod solve;

use super::{SolveObserver, Stepper};
use crate::{
    balance::Ledger,
    compliance::RestBodies,
    contacts::{contact::ContactKey, set::ContactSet},
    error::{SimError, StepError, StepFailure},
    flight::{Flight, second_order::is_of_second_order},
    model::Model,
    report::StepReport,
    state::State,
    step::{
        assemble::{
            constraints::JointRows, load::BodyLoads, newton_iterate::NewtonIterate,
            rigid::RigidStep,
        },
        commit::{
            SmallestVolume,
            energy::{EnergyAccount, MATERIAL_SHARE},
            measure,
        },
        detect::Detector,
        extension::{ForceBuffers, StepExtensions},
        refine::Refiner,
        resolve::coarse::Coarse,
    },
};
use changes::Changes;
use impinge_contact::compliance::TurnedBodies;
use impinge_contact::{
    ContactProblem, ContactSolution, ContactSolver, Interrupt, Islands, Method, RestNode,
};
use impinge_fem::Assembler;
use impinge_krylov::block::SymmetricBlockMatrix;
use moved_by_euler::MovedByEuler;
use nalgebra::Vector3;
use prescribed::PrescribedObstacles;
use std::{collections::BTreeMap, sync::Arc, time::Instant};
use tracing::debug;

/// Number of unconverged solves in a step, beyond one for each substep length, after which the step fails.
///
/// An impossible step has one unconverged solve at each length down to the shortest substep. Shipped scenes have at
/// most one per step. Larger values make impossible steps fail later, with the same result.
const SPARE_UNCONVERGED_SOLVES: u32 = 3;

/// A solver that may be used on any thread.
type Solver = Box<dyn ContactSolver + Send>;

/// The terms of an attempt at a step or substep.
#[derive(Debug, Clone, Copy)]
struct AttemptTerms {
    /// Its length (s).
    time_step: f64,
    /// Whether a motion that is proven collision-free is accepted and counted even if the solver or the gaps missed
    /// their tolerance.
    accept_unmet: bool,
}

/// The stepper with its scratch memory.
pub struct Synchronous {
    assembler: Assembler,
    detector: Detector,
    refiner: Refiner,
    /// The method with the tolerances of the attempt, and its solver.
    method: Method,
    /// One for each island at once.
    solvers: Vec<Solver>,
    islands: Islands,
    changes: Changes,
    problem: ContactProblem,
    solution: ContactSolution,
    /// Changes of contact forces that close the bodies' balances (N, in the axes of their rows).
    imbalance: BTreeMap<ContactKey, Vector3<f64>>,
    /// The contact of each row of the problem.
    keys: Vec<ContactKey>,
    /// The system that gives the changes of contact forces.
    coarse: Coarse,
    /// Contacts of the attempt; those of the state are replaced on success only.
    contacts: ContactSet,
    end: Vec<Vector3<f64>>,
    /// Predicted velocities of points before the first solve (m/s), and the positions they lead to (m).
    predicted_velocity: Vec<Vector3<f64>>,
    predicted: Vec<Vector3<f64>>,
    /// Mean velocity of prescribed points, and the part of the velocity of rigid bodies' points that rows omit (m/s).
    known_velocity: Vec<Vector3<f64>>,
    obstacles: PrescribedObstacles,
    flight: Flight,
    /// The motion that elastic forces are linearised about, and its impulses in the order of the unknowns (N·s).
    iterate: NewtonIterate,
    led_impulses: Vec<f64>,
    /// Nodes and rigid bodies that changed to implicit Euler after the first assembly of the attempt.
    moved_by_euler: Vec<MovedByEuler>,
    /// At the end of the last attempt.
    smallest_volume: SmallestVolume,
    rigid: RigidStep,
    loads: BodyLoads,
    /// Compliance at rest, if a method uses it, and the bodies at their Newton iterates.
    rest: Option<RestBodies>,
    bodies: Option<Arc<TurnedBodies>>,
    joints: JointRows,
    /// Whether no fallback solve of the step has failed: further ones of the same kind would only take time.
    allows_fallback: bool,
    account: EnergyAccount,
    /// The balance sheet, if it is kept.
    ledger: Option<Ledger>,
    /// The last unconverged solve of the step, and the number of further ones that are allowed.
    unsolved: Option<StepFailure>,
    unconverged_left: u32,
    /// The shortest substep that was tried (s).
    shortest: f64,
    /// Ends the step when it is raised.
    interrupt: Interrupt,
    /// Code of other crates that takes part, and its forces on points.
    extensions: StepExtensions,
    forces: ForceBuffers,
    /// The state at the start of a subdivided step.
    undivided: Option<State>,
    /// Gets every solve.
    pub(crate) observer: Option<Box<dyn SolveObserver>>,
}

impl Synchronous {
    /// A stepper for `model` with allocated memory.
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
    /// As [`new`](Self::new); [`SimError::NotOfSecondOrder`]; [`SimError::Extension`] for a preconditioner that the
    /// method has no place for.
    pub(crate) fn extended(model: &Model, extensions: StepExtensions) -> Result<Self, SimError> {
        let method = model.settings.solver;
        if method.needs_bodies() && is_of_second_order(model) {
            return Err(SimError::NotOfSecondOrder {
                method: method.name(),
            });
        }
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
        let mut problem = ContactProblem::new(model.settings.time_step, matrix, rhs);
        let blocks = 0..model.unknowns.pattern.blocks();
        problem.set_rest_nodes(blocks.map(|block| rest_node(model, block)));
        Ok(Self {
            assembler: model
                .elements
                .elastic
                .bind(&model.unknowns.pattern, &model.unknowns.block_of_point)?,
            detector: Detector::new(broad_phase),
            refiner: Refiner::default(),
            method,
            solvers: vec![solver],
            islands: Islands::default(),
            changes: Changes::default(),
            problem,
            solution: ContactSolution::default(),
            imbalance: BTreeMap::new(),
            keys: Vec::new(),
            coarse: Coarse::default(),
            contacts: ContactSet::default(),
            end: vec![Vector3::zeros(); points],
            predicted_velocity: Vec::new(),
            predicted: Vec::new(),
            known_velocity: vec![Vector3::zeros(); points],
            obstacles: PrescribedObstacles::default(),
            flight: Flight::default(),
            iterate: NewtonIterate::default(),
            led_impulses: Vec::new(),
            moved_by_euler: Vec::new(),
            smallest_volume: None,
            rigid: RigidStep::default(),
            loads: BodyLoads::default(),
            rest,
            bodies: None,
            joints: JointRows::default(),
            allows_fallback: true,
            unsolved: None,
            account: EnergyAccount::new(model, MATERIAL_SHARE),
            ledger: None,
            unconverged_left: 0,
            shortest: f64::INFINITY,
            interrupt: Interrupt::default(),
            extensions,
            forces: ForceBuffers::default(),
            undivided: None,
            observer: None,
        })
    }

    /// Keeps the balance sheet of the following steps, for their reports.
    pub(crate) fn keep_balance(&mut self, model: &Model) {
        self.ledger = Some(Ledger::new(model));
        self.joints.keep_links();
    }

    /// Whether it keeps the balance sheet.
    pub(crate) fn keeps_balance(&self) -> bool {
        self.ledger.is_some()
    }

    /// The extensions that take part, shared.
    pub(crate) fn extensions(&self) -> StepExtensions {
        self.extensions.clone()
    }

    /// Messages to the user since the last call.
    pub(crate) fn take_notices(&mut self) -> Vec<String> {
        self.rest
            .as_mut()
            .map(RestBodies::take_notices)
            .unwrap_or_default()
    }

    /// Advances by `time_step` at once, or in two halves if that fails, recursively down to the shortest substep.
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
        let terms = AttemptTerms {
            time_step,
            accept_unmet: !divisible,
        };
        match self.attempt(model, state, terms, report) {
            Ok(()) => {
                report.substeps += 1;
                Ok(())
            }
            Err(failure) if divisible && self.may_be_shorter(&failure) => {
                if report.rejected == 0 {
                    self.undivided = Some(state.clone());
                }
                report.rejected += 1;
                debug!(
                    step = state.step + 1,
                    time = state.time,
                    length = time_step,
                    reason = %failure,
                    "step divided into two halves"
                );
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

    /// Whether a shorter substep may be tried after a failure.
    fn may_be_shorter(&self, failure: &StepFailure) -> bool {
        let final_failure = matches!(
            failure,
            StepFailure::Interrupted
                | StepFailure::Extension(_)
                | StepFailure::ObstaclesMeet { .. }
        );
        !final_failure && self.unconverged_left > 0
    }
}

impl Stepper for Synchronous {
    fn heed(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
        for solver in &mut self.solvers {
            solver.heed(interrupt);
        }
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
        self.allows_fallback = true;
        self.unsolved = None;
        self.account.open(model, state);
        if let Some(ledger) = &mut self.ledger {
            ledger.open(model, state);
        }
        self.unconverged_left = lengths_of_parts(model) + SPARE_UNCONVERGED_SOLVES;
        self.shortest = f64::INFINITY;
        let advanced = self.advance_by(model, state, model.settings.time_step, &mut report);
        let undivided = self.undivided.take();
        if let Err(error) = advanced {
            // A resumed run repeats an interrupted step from its start.
            if let (StepFailure::Interrupted, Some(start)) = (&error.failure, undivided) {
                *state = start;
                self.account.forget();
                if let Some(ledger) = &mut self.ledger {
                    ledger.forget();
                }
            }
            return Err(error);
        }
        state.step += 1;
        // Substeps add up with rounding; whole steps must not.
        state.time = state.step as f64 * model.settings.time_step;
        let started = Instant::now();
        measure(model, state, Some(self.smallest_volume), &mut report);
        report.balance = (self.ledger.as_ref()).map(|ledger| Box::new(ledger.sheet(model, state)));
        report.step = state.step;
        report.time = state.time;
        report.times.commit += started.elapsed().as_secs_f64();
        Ok(report)
    }
}

/// The node of a block in its body at rest, if it is one.
fn rest_node(model: &Model, block: usize) -> Option<RestNode> {
    let point = *model.unknowns.point_of_block.get(block)? as usize;
    Some(RestNode {
        body: model.body_of_block(block) as u32,
        position: model.points.rest[point],
        mass: model.points.mass[point],
    })
}

/// Number of possible lengths of substeps, the whole step included.
fn lengths_of_parts(model: &Model) -> u32 {
    let halves = std::iter::successors(Some(0.5 * model.settings.time_step), |length| {
        Some(0.5 * length)
    });
    let tried = halves.take_while(|&length| length >= model.settings.minimum_step);
    // Further halvings exceed the digits of the time.
    1 + tried.take(f64::MANTISSA_DIGITS as usize).count() as u32
}
