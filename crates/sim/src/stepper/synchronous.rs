//! The synchronous stepper: one implicit step for everything, collision-free at its end.
//!
//! Source: Verschoor & Jalba 2019, Algorithm 1, outer part. Differs from it in: candidates outlive a step while they
//! cover the motion, limits on rounds, roll-back and subdivision.

use super::{
    SolveObserver, Stepper,
    observer::{Observed, SolveStamp},
};
use crate::{
    compliance::RestBodies,
    contacts::contact::{Contact, ContactKey},
    contacts::opposing_normals::turn_opposed,
    contacts::stencil::describe,
    contacts::sweep::Sweep,
    error::{SimError, StepError, StepFailure},
    model::Model,
    report::StepReport,
    state::State,
    step::assemble::constraints::JointRows,
    step::assemble::load::BodyLoads,
    step::assemble::rigid::{MOST_SETTLING_SOLVES, PointMotions, RigidStep},
    step::assemble::{momentum_system, prescribe},
    step::commit::energy::{Energies, EnergyAccount, MATERIAL_SHARE},
    step::commit::plasticity::flow_plastically,
    step::commit::squeezed::squeezed,
    step::commit::{check_inversion, judge, measure},
    step::detect::Detector,
    step::formulate::{carry_over, fill_problem},
    step::refine::Refiner,
    step::refine::check_gaps::check_gaps,
    step::resolve::balance::{Balanced, add_force, balance, closes_balances},
    step::resolve::coarse::Coarse,
    step::resolve::initial_velocity::{
        StartTolerances, extrapolate_velocities, start_from_rest, supported_bodies,
    },
    step::resolve::rescue::rescue,
    step::resolve::{Resolved, resolve},
};
use impinge_contact::compliance::TurnedBodies;
use impinge_contact::{
    ContactError, ContactProblem, ContactSolution, ContactSolver, ContactState, Interrupt, Method,
    Multipliers, Tolerances,
};
use impinge_fem::Assembler;
use impinge_krylov::block::SymmetricBlockMatrix;
use nalgebra::Vector3;
use std::{sync::Arc, time::Instant};

/// Rounds that may add contacts before a step is given up (spec 7.4).
const MAX_ADDING_ROUNDS: u32 = 50;

/// Rounds that may re-linearise before a step is given up (spec 7.4).
const MAX_RELINEARISING_ROUNDS: u32 = 20;

/// Adding rounds after which contacts that were not hit are left alone until nothing is: two that move each other would
/// otherwise never rest.
const ROUNDS_THAT_FOLLOW: u32 = 4;

/// Solves anew, to a finer momentum tolerance each, because the balance of momentum broke rows.
const MOST_FINER_SOLVES: u32 = 3;

/// Residual over tolerance that an accepted solve has at most, as [`impinge_contact::ContactResidual::meets`] says.
const ACCEPTED: f64 = 2.0;
/// Solves beyond one for each length of a part that may miss their tolerances before a whole step is given up.
///
/// On its way down to the shortest part a step that cannot succeed misses one at each length. Shipped scenes miss none
/// or one in a step. With 3 a step that cannot succeed costs nine solves at the iteration limit; with ten times as many
/// it is given up as surely, and later.
const SPARE_UNMET_SOLVES: u32 = 3;

/// Wall clock of the stages.
struct Clock(Instant);

impl Clock {
    fn start() -> Self {
        Self(Instant::now())
    }

    /// Seconds since the last call.
    fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let seconds = (now - self.0).as_secs_f64();
        self.0 = now;
        seconds
    }
}

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
    contacts: Vec<Contact>,
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
            detector: Detector::new(),
            refiner: Refiner::default(),
            method: model.settings.solver,
            solver: model.settings.solver.solver(),
            problem: ContactProblem::new(model.settings.time_step, matrix, rhs),
            solution: ContactSolution::default(),
            balanced: Balanced::default(),
            coarse: Coarse::default(),
            contacts: Vec::new(),
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
            undivided: None,
            observer: None,
        })
    }

    /// From now on a step ends with [`StepFailure::Interrupted`] once `interrupt` is raised.
    pub fn heed(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
        self.solver.heed(interrupt);
    }

    /// What the user should know, since the last call.
    pub(crate) fn take_notices(&mut self) -> Vec<String> {
        self.rest
            .as_mut()
            .map(RestBodies::take_notices)
            .unwrap_or_default()
    }

    /// Tells the solver of the bodies, where it or the observer asks for that.
    fn tell_of_bodies(
        &mut self,
        model: &Model,
        state: &State,
        time_step: f64,
    ) -> Result<(), StepFailure> {
        self.bodies = None;
        let observed = self.observer.as_ref().is_some_and(|o| o.wants_bodies());
        if self.method.needs_bodies() || observed {
            let rest = self.rest.get_or_insert_with(|| RestBodies::new(model));
            let bodies = rest.turned(model, &state.positions, time_step)?;
            self.solver.know_bodies(&bodies);
            self.bodies = Some(bodies);
        }
        Ok(())
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
        *failure != StepFailure::Interrupted && self.unmet_left > 0
    }

    /// What the failure of the last attempt comes from, in words of the scene, and what else is worth telling.
    fn explain(
        &mut self,
        model: &Model,
        time: f64,
        failure: StepFailure,
    ) -> (StepFailure, Option<StepFailure>) {
        if let StepFailure::Problem(ContactError::EmptyRow { contact }) = failure
            && let Some(contact) = self.contacts.get(contact)
        {
            let contact = describe(&model.geometry, contact.key);
            return (StepFailure::NothingFree { contact }, self.unsolved.take());
        }
        if failure == StepFailure::Interrupted {
            return (failure, None);
        }
        // Motions that no force ends are the cause of whatever comes of them.
        let comes_of_force = matches!(
            failure,
            StepFailure::NotConverged { .. }
                | StepFailure::Breakdown { .. }
                | StepFailure::TooManyRounds { .. }
                | StepFailure::GapsUnsettled { .. }
                | StepFailure::TurnsTooFar { .. }
                | StepFailure::Inverted { .. }
        );
        if comes_of_force && let Some(squeezed) = squeezed(model, &self.contacts, time, &failure) {
            let solve = self.unsolved.take();
            let other = match &squeezed {
                StepFailure::Pressed { .. } => solve.filter(|solve| *solve != failure),
                _ => solve.or(Some(failure)),
            };
            return (squeezed, other);
        }
        let solve = self.unsolved.take().filter(|solve| *solve != failure);
        (failure, solve)
    }

    /// One attempt: the state changes on success only.
    ///
    /// With `accept_unmet`, a motion that is proven collision-free is accepted although the solver or the gaps did not
    /// reach their tolerance; it is counted.
    fn attempt(
        &mut self,
        model: &Model,
        state: &mut State,
        time_step: f64,
        accept_unmet: bool,
        report: &mut StepReport,
    ) -> Result<(), StepFailure> {
        let mut clock = Clock::start();
        self.pose(model, state, time_step, report)?;
        report.times.assemble += clock.lap();

        self.foresee_velocities(model, state, time_step);
        self.detector.prepare(
            model,
            &state.positions,
            &self.foreseen_velocity,
            time_step,
            report,
        );
        report.times.detect += clock.lap();

        self.foresee_hits(model, state, time_step, report);
        report.times.refine += clock.lap();

        let met =
            self.solve_until_free(model, state, time_step, accept_unmet, &mut clock, report)?;
        check_inversion(model, &self.end)?;
        report.inexact_solves += u32::from(!met);
        report.relaxed_solves += u32::from(met && self.relaxed);
        self.take_up_imbalance();
        let momentum = judge(&self.problem, &self.solution, report);
        // A solve that is met may miss this only where the method approximates the compliance of bodies. After all
        // others the balance of whole bodies may leave more on a few nodes than the solve did.
        let most = ACCEPTED * self.loads.largest();
        let missed = met && self.method.needs_bodies() && momentum > most;
        report.unmet_momentum += u32::from(missed);
        let ways = [state.positions.as_slice(), self.end.as_slice()];
        let outside = (self.account).outside(model, ways, &self.known_velocity, &self.contacts);
        self.accept(model, state, time_step);
        let energies = Energies::of(model, state);
        self.account.close(energies, outside, state, report);
        report.times.commit += clock.lap();
        Ok(())
    }

    /// Momentum system, tolerances, contacts and velocities that the attempt starts from.
    fn pose(
        &mut self,
        model: &Model,
        state: &State,
        time_step: f64,
        report: &mut StepReport,
    ) -> Result<(), StepFailure> {
        prescribe(
            model,
            state,
            time_step,
            &mut self.end,
            &mut self.known_velocity,
        )?;
        self.problem.time_step = time_step;
        self.coarse.begin_step();
        momentum_system(
            model,
            &self.assembler,
            state,
            time_step,
            &self.known_velocity,
            &mut self.problem.momentum,
            &mut self.problem.rhs,
        );
        self.tell_of_bodies(model, state, time_step)?;
        self.contacts.clone_from(&state.contacts);
        carry_over(
            model,
            &state.positions,
            time_step,
            &mut self.contacts,
            report,
        );
        self.solution.velocity.resize(3 * model.blocks(), 0.0);
        self.rigid.pose(
            model,
            state,
            &mut self.problem,
            &mut self.solution.velocity,
            &mut PointMotions {
                end: &mut self.end,
                known_velocity: &mut self.known_velocity,
            },
        )?;
        self.joints.pose(
            model,
            state,
            &self.rigid,
            &self.end,
            &mut self.problem,
            &mut self.solution,
        );
        self.loads.weigh(
            model,
            state,
            &self.rigid,
            &self.contacts,
            &mut self.problem,
            &self.solution,
        );
        let largest = self.loads.largest();
        self.hold_to((model.geometry.tolerances).solver(
            model.geometry.finest_scale(),
            time_step,
            largest,
        ));
        report.momentum_tolerance = report.momentum_tolerance.max(largest);
        self.start_velocities(model, state, time_step);
        Ok(())
    }

    /// The velocities that the first solve starts from.
    fn start_velocities(&mut self, model: &Model, state: &State, time_step: f64) {
        let supported = supported_bodies(model, &self.contacts);
        let closed = closes_balances(model, &self.method);
        let tolerances = StartTolerances {
            momentum: self.loads.tolerances(),
            gap: self.loads.gaps(),
        };
        let velocity = &mut self.solution.velocity;
        extrapolate_velocities(
            model,
            state,
            &supported,
            closed,
            &tolerances,
            time_step,
            velocity,
        );
        if closed {
            start_from_rest(model, state, &supported, &tolerances, time_step, velocity);
        }
    }

    /// Velocities that the step is foreseen with: those that solves start from, changed since the last step by no more than points moved
    /// in it or gravity adds. (What a part of a step added, taken for as much a second, would be many times too much in a whole one.)
    fn foresee_velocities(&mut self, model: &Model, state: &State, time_step: f64) {
        let fall = model.settings.gravity.norm() * time_step;
        self.foreseen_velocity.clone_from(&state.velocities);
        let start = self.solution.velocity.chunks_exact(3);
        for (start, &point) in start.zip(&model.unknowns.point_of_block) {
            let velocity = &mut self.foreseen_velocity[point as usize];
            let change = Vector3::from_column_slice(start) - *velocity;
            *velocity += change.cap_magnitude(velocity.norm() + fall);
        }
    }

    /// Adds the contacts that points would hit at their foreseen velocities; candidates cover that motion.
    fn foresee_hits(
        &mut self,
        model: &Model,
        state: &State,
        time_step: f64,
        report: &mut StepReport,
    ) {
        self.foreseen.clear();
        let points = state.positions.iter().zip(&self.foreseen_velocity);
        self.foreseen.extend(points.map(|(x, v)| x + v * time_step));
        let sweep = Sweep {
            start: &state.positions,
            end: &self.foreseen,
        };
        let contacts = &mut self.contacts;
        self.refiner
            .foresee_hits(model, &self.detector, sweep, time_step, contacts, report);
    }

    /// Solves, looks at the motion, adds and re-linearises contacts, until the motion is free of collisions.
    ///
    /// Returns whether the last solve met its tolerances; without `accept_unmet` it always did.
    fn solve_until_free(
        &mut self,
        model: &Model,
        state: &State,
        time_step: f64,
        accept_unmet: bool,
        clock: &mut Clock,
        report: &mut StepReport,
    ) -> Result<bool, StepFailure> {
        let (mut adding, mut relinearising, mut settling) = (0, 0, 0);
        loop {
            self.check_interrupt()?;
            if let (0, Some(failure)) = (self.unmet_left, &self.unsolved) {
                return Err(failure.clone());
            }
            turn_opposed(&mut self.contacts, &state.positions);
            fill_problem(
                model,
                state,
                &self.rigid,
                &self.known_velocity,
                &self.contacts,
                &mut self.problem,
                &mut self.solution,
            );
            report.times.formulate += clock.lap();

            let met = self.solve_balanced(model, state, accept_unmet, report)?;
            for (contact, multipliers) in self.contacts.iter_mut().zip(&self.solution.contacts) {
                contact.multipliers = *multipliers;
            }
            self.move_free_points(model, state, time_step)?;
            if settling < MOST_SETTLING_SOLVES
                && !self.rigid.settled(model, &self.contacts, time_step)
            {
                settling += 1;
                report.times.resolve += clock.lap();
                continue;
            }
            settling = 0;
            report.times.resolve += clock.lap();

            self.detector
                .cover(model, &state.positions, &self.end, report);
            report.times.detect += clock.lap();

            let sweep = Sweep {
                start: &state.positions,
                end: &self.end,
            };
            let contacts = &mut self.contacts;
            let found =
                self.refiner
                    .add_hits(model, &self.detector, sweep, time_step, contacts, report)?;
            if found.is_some() && adding < ROUNDS_THAT_FOLLOW {
                self.refiner.follow_gaps(model, sweep, contacts, report);
            }
            if let Some(last) = found {
                adding += 1;
                if adding > MAX_ADDING_ROUNDS {
                    return Err(too_many_rounds(model, adding, last));
                }
                report.times.refine += clock.lap();
                continue;
            }
            let unsettled = check_gaps(model, sweep, contacts, report);
            report.times.refine += clock.lap();
            let Some((key, gap)) = unsettled else {
                return Ok(met);
            };
            relinearising += 1;
            if relinearising > MAX_RELINEARISING_ROUNDS {
                if accept_unmet {
                    return Ok(false);
                }
                return Err(gaps_unsettled(model, relinearising, key, gap));
            }
        }
    }

    /// Solves the problem and closes every body's momentum balance, to tolerances that the contacts survive it with.
    ///
    /// Returns whether the last solve met its tolerances; without `accept_unmet` it always did.
    fn solve_balanced(
        &mut self,
        model: &Model,
        state: &State,
        accept_unmet: bool,
        report: &mut StepReport,
    ) -> Result<bool, StepFailure> {
        let mut finer = 0;
        loop {
            let tolerances = self.method.tolerances();
            let mut solver = Observed {
                method: self.method,
                solver: &mut *self.solver,
                stamp: SolveStamp {
                    step: state.step + 1,
                    round: report.rounds + 1,
                    time: state.time,
                },
                bodies: self.bodies.as_ref(),
                observer: self.observer.as_deref_mut(),
            };
            let resolved = resolve(
                (&self.method, &mut solver),
                &self.problem,
                &mut self.solution,
                report,
            );
            self.check_interrupt()?;
            let Resolved { shortfall, relaxed } = resolved?;
            self.relaxed = relaxed;
            let mut met = shortfall.is_none();
            if !met && self.rescuable {
                met = rescue(
                    &self.method,
                    &self.problem,
                    &mut self.solution,
                    &self.interrupt,
                    report,
                );
                self.check_interrupt()?;
                self.rescuable = met;
            }
            if let (Some(failure), false) = (shortfall, met) {
                self.unsolved = Some(failure.clone());
                self.unmet_left = self.unmet_left.saturating_sub(1);
                if !accept_unmet {
                    return Err(failure);
                }
            }
            self.balanced = balance(
                &mut self.coarse,
                model,
                state,
                &self.method,
                &self.problem,
                &mut self.solution,
                tolerances.gap,
            );
            match self.balanced.finer_by {
                Some(share) if met && finer < MOST_FINER_SOLVES => {
                    finer += 1;
                    let momentum = share * tolerances.momentum;
                    self.hold_to(Tolerances {
                        momentum,
                        ..tolerances
                    });
                }
                _ => return Ok(met),
            }
        }
    }

    fn check_interrupt(&self) -> Result<(), StepFailure> {
        if self.interrupt.is_raised() {
            return Err(StepFailure::Interrupted);
        }
        Ok(())
    }

    /// Gives the contacts the forces that close the bodies' balances.
    fn take_up_imbalance(&mut self) {
        for (multipliers, change) in (self.solution.contacts.iter_mut()).zip(&self.balanced.changes)
        {
            add_force(multipliers, change);
        }
        // Of the contacts that were solved for only inactive ones have been dropped since.
        let is_active = |multipliers: &Multipliers| multipliers.state != ContactState::Inactive;
        let solved = (self.solution.contacts.iter()).filter(|multipliers| is_active(multipliers));
        let kept = (self.contacts.iter_mut()).filter(|contact| is_active(&contact.multipliers));
        for (contact, multipliers) in kept.zip(solved) {
            contact.multipliers = *multipliers;
        }
    }

    /// Sets the tolerances of the solves to come.
    fn hold_to(&mut self, tolerances: Tolerances) {
        if tolerances != self.method.tolerances() {
            *self.method.tolerances_mut() = tolerances;
            self.solver.set_tolerances(tolerances);
        }
    }

    /// The attempt becomes the state.
    fn accept(&mut self, model: &Model, state: &mut State, time_step: f64) {
        for (point, (x, end)) in state.positions.iter_mut().zip(&self.end).enumerate() {
            let (velocity, acceleration) = match model.unknowns.block_of_point[point] {
                Some(block) => {
                    let solved = &self.solution.velocity[3 * block as usize..][..3];
                    let velocity = Vector3::from_column_slice(solved);
                    (velocity, (velocity - state.velocities[point]) / time_step)
                }
                None => (self.known_velocity[point], Vector3::zeros()),
            };
            state.accelerations[point] = acceleration;
            state.velocities[point] = velocity;
            *x = *end;
        }
        self.rigid.accept(model, state, &self.solution.velocity);
        state.joint_forces.clone_from(&self.solution.constraints);
        flow_plastically(model, state);
        state.time += time_step;
        std::mem::swap(&mut state.contacts, &mut self.contacts);
    }

    fn move_free_points(
        &mut self,
        model: &Model,
        state: &State,
        time_step: f64,
    ) -> Result<(), StepFailure> {
        for (v, &point) in self
            .solution
            .velocity
            .chunks_exact(3)
            .zip(&model.unknowns.point_of_block)
        {
            let point = point as usize;
            self.end[point] = state.positions[point] + Vector3::from_column_slice(v) * time_step;
        }
        self.rigid.follow(
            model,
            state,
            time_step,
            &self.solution.velocity,
            &mut PointMotions {
                end: &mut self.end,
                known_velocity: &mut self.known_velocity,
            },
        )
    }
}

impl Stepper for Synchronous {
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

fn too_many_rounds(model: &Model, rounds: u32, last: ContactKey) -> StepFailure {
    StepFailure::TooManyRounds {
        rounds,
        contact: describe(&model.geometry, last),
    }
}

fn gaps_unsettled(model: &Model, rounds: u32, key: ContactKey, gap: f64) -> StepFailure {
    StepFailure::GapsUnsettled {
        rounds,
        gap,
        clearance: model.geometry.clearance(key),
        contact: describe(&model.geometry, key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    /// Numbers of contacts say nothing to who wrote the scene.
    #[test]
    fn a_contact_without_a_free_point_is_told_in_words_of_the_scene() {
        let scene = r#"
[time]
step = 1e-3
duration = 1e-3
[[body]]
name = "cube"
mesh = { cuboid = { size = [1, 1, 1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 1]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;
        let scene = Scene::parse("test.toml", scene, &[""; 0]).expect("a scene");
        let (model, _) = Model::new(&scene).expect("sound");
        let mut stepper = Synchronous::new(&model).expect("sound");
        let key = ContactKey::VertexHalfSpace {
            vertex: 5,
            half_space: 0,
        };
        stepper.contacts = vec![Contact::bare(key, &[5], Vector3::z())];
        let failure = StepFailure::Problem(ContactError::EmptyRow { contact: 0 });
        let (told, _) = stepper.explain(&model, 0.0, failure);
        let said = told.to_string();
        assert!(
            said.contains("vertex 5 of `cube` against `ground`"),
            "{said}"
        );
        assert!(said.contains("change `motion` or `fixed`"), "{said}");
        // A row that is no contact of the step, such as one of a joint, keeps its number.
        let other = StepFailure::Problem(ContactError::EmptyRow { contact: 1 });
        assert_eq!(stepper.explain(&model, 0.0, other.clone()).0, other);
    }
}
