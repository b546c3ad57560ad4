//! One attempt at a step or substep. The state changes on success only.

use super::{AttemptTerms, Synchronous, clock::Clock};
use crate::{
    balance::{Energies, Substep},
    compliance::RestBodies,
    contacts::step_motion::StepMotion,
    error::StepFailure,
    model::Model,
    report::StepReport,
    state::State,
    step::{
        assemble::{
            MomentumSystem, check_materials,
            constraints::{ConstraintMotion, StepSystem},
            load::StepStart,
            newton_iterate::ElasticStep,
            prescribe,
            rigid::PointMotions,
        },
        commit::{check_inversion, energy::ExternalWork, judge, plasticity::flow_plastically},
        context::StepContext,
        detect::{UniformMotion, separation::POINTS_PER_TASK},
        formulate::carry_over,
        resolve::{
            balance::closes_balances,
            initial_velocity::{
                StartTolerances, extrapolate_velocities, start_from_rest, supported_bodies,
            },
        },
    },
};
use impinge_contact::Tolerances;
use nalgebra::Vector3;
use rayon::prelude::*;

impl Synchronous {
    /// Attempts a step or substep. The state changes on success only.
    pub(super) fn attempt(
        &mut self,
        model: &Model,
        state: &mut State,
        terms: AttemptTerms,
        report: &mut StepReport,
    ) -> Result<(), StepFailure> {
        let AttemptTerms {
            time_step,
            accept_unmet,
        } = terms;
        let mut clock = Clock::start();
        let context = StepContext {
            model,
            state,
            time_step,
        };
        self.assemble(context, report)?;
        report.times.assemble += clock.lap();

        self.predict_velocities(context);
        let predicted = UniformMotion {
            start: &state.positions,
            velocity: &self.predicted_velocity,
            time_step,
        };
        self.detector.prepare(model, predicted, report);
        self.extensions.check()?;
        report.times.detect += clock.lap();

        self.predict_impacts(context, report);
        report.times.refine += clock.lap();

        let settled = self.solve_until_free(context, accept_unmet, &mut clock, report)?;
        check_inversion(model, self.smallest_volume)?;
        let bodies = self.changes.all();
        let met = settled && bodies.iter().all(|marks| !marks.unmet);
        report.inexact_solves += u32::from(!met);
        report.relaxed_solves += u32::from(met && bodies.iter().any(|marks| marks.relaxed));
        self.take_up_imbalance();
        let momentum = self.judge_and_weigh(model, state, report);
        // A solve that is met may miss this only where the method approximates the compliance of bodies. After all
        // others the balance of whole bodies may leave more on a few nodes than the solve did.
        let most = Tolerances::ACCEPTED * self.loads.largest();
        let missed = met && self.method.needs_bodies() && momentum > most;
        report.unmet_momentum += u32::from(missed);
        let ways = [state.positions.as_slice(), self.end.as_slice()];
        let contacts = self.contacts.as_slice();
        let velocity = &self.solution.velocity;
        let of_loads = (self.rigid).work_of_loads(model, state, velocity, time_step);
        let mut external =
            (self.account).external_work(model, ways, &self.known_velocity, contacts);
        external = external.map(|external| external.with(of_loads).lagging(model, state));
        let changes = (model.constraints).changes_between(state.time, state.time + time_step);
        if changes || self.extensions.has_forces() {
            external = external.map(ExternalWork::forget_work);
        }
        self.accept(model, state, time_step);
        let energies = match &mut self.ledger {
            Some(ledger) => {
                let energies = ledger.close(model, state);
                external = external.map(|external| external.or(Some(ledger.outside_work())));
                energies
            }
            None => Energies::of(model, state),
        };
        self.account.close(energies, external, state, report);
        report.times.commit += clock.lap();
        Ok(())
    }

    /// Computes momentum system, tolerances, contacts and start velocities of the attempt.
    fn assemble(
        &mut self,
        context: StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepFailure> {
        let StepContext { model, state, .. } = context;
        let time_step = context.time_step;
        prescribe(context, &mut self.end, &mut self.known_velocity)?;
        self.obstacles.check(context, &self.end)?;
        (self.flight).plan(model, state, time_step);
        (self.iterate).start(model, &self.flight, &self.known_velocity);
        self.problem.time_step = time_step;
        self.joints.start();
        self.moved_by_euler.clear();
        self.contacts.start_from(&state.contacts);
        let contacts = self.contacts.edit();
        carry_over(model, &state.positions, time_step, contacts, report);
        self.solution.velocity.resize(3 * model.blocks(), 0.0);
        let ratios = self.ratios_of_rigid(context);
        self.rigid.start(
            context,
            &ratios,
            &mut self.solution.velocity,
            &mut PointMotions {
                end: &mut self.end,
                known_velocity: &mut self.known_velocity,
            },
        )?;
        self.assemble_equations(context)?;
        self.loads.weigh(
            context,
            StepStart {
                flight: &self.flight,
                led_impulses: &self.led_impulses,
                rigid: &self.rigid,
                contacts: self.contacts.as_slice(),
            },
            &mut self.problem,
            &self.solution,
        );
        *self.method.tolerances_mut() = (model.geometry.tolerances).solver(
            model.geometry.finest_scale(),
            time_step,
            self.loads.reference(),
        );
        self.changes.start(model.geometry.bodies.len());
        self.imbalance.clear();
        report.momentum_tolerance = report.momentum_tolerance.max(self.loads.largest());
        let of_rigid = self.solution.velocity[3 * model.unknowns.point_of_block.len()..].to_vec();
        self.start_velocities(context);
        self.predict_joints(context, &of_rigid);
        Ok(())
    }

    /// Computes the momentum system, and the rows of joints, about the Newton iterate at hand.
    ///
    /// # Errors
    /// [`StepFailure::Extension`] if forces or materials of extensions are not finite, and what
    /// [`provide_bodies`](Self::provide_bodies) fails with.
    pub(super) fn assemble_equations(
        &mut self,
        context: StepContext<'_>,
    ) -> Result<(), StepFailure> {
        let model = context.model;
        self.coarse.begin_step();
        let moved = self.move_back(context);
        let (problem, flight) = (&mut self.problem, &self.flight);
        let constraints = &model.constraints;
        let elastic = ElasticStep {
            flight,
            assembler: &self.assembler,
        };
        let keeps_matrix = self.extensions.has_forces()
            || !constraints.rows.is_empty()
            || !constraints.soft.is_empty();
        let system = MomentumSystem {
            matrix: &mut problem.momentum,
            rhs: &mut problem.rhs,
        };
        (self.iterate).assemble(context, elastic, keeps_matrix, system);
        let led = &mut self.led_impulses;
        led.clear();
        led.resize(problem.rhs.len(), 0.0);
        let is_moved = self.iterate.is_any_moved() || flight.is_second_order();
        if is_moved {
            (self.iterate).lead(context, flight, &problem.momentum, led);
        }
        self.rigid.add(context, problem);
        let forces = self.extensions.forces();
        (self.forces).add(forces, context, &self.rigid, problem)?;
        self.joints.assemble(
            context,
            ConstraintMotion {
                iterate: &self.iterate,
                flown: flight.chords(),
                rigid: &self.rigid,
                end: &self.end,
            },
            StepSystem {
                problem,
                solution: &mut self.solution,
                led_impulses: led,
            },
        );
        if is_moved {
            for (b, led) in problem.rhs.iter_mut().zip(led.iter()) {
                *b += led;
            }
        }
        self.iterate.settle();
        self.move_again(context, &moved);
        check_materials(context, self.iterate.positions(), &self.problem)?;
        self.provide_bodies(context)
    }

    /// Computes the start velocities of the first solve.
    fn start_velocities(&mut self, context: StepContext<'_>) {
        let model = context.model;
        let tolerances = StartTolerances {
            momentum: self.loads.tolerances(),
            gap: self.loads.gaps(),
        };
        let velocity = &mut self.solution.velocity;
        extrapolate_velocities(context, &tolerances, velocity);
        for (mean, &point) in velocity
            .chunks_exact_mut(3)
            .zip(&model.unknowns.point_of_block)
        {
            let end = Vector3::from_column_slice(mean);
            let start = self.flight.mean_of(point as usize, &end);
            mean.copy_from_slice(start.as_slice());
        }
        if !self.extensions.has_forces() && closes_balances(model, &self.method) {
            let supported = supported_bodies(model, self.contacts.as_slice());
            start_from_rest(context, &supported, &tolerances, velocity);
        }
    }

    /// Predicts the velocities of the step: the start velocities of the solves, limited to the last velocities plus the
    /// last displacement and the change by gravity. The limit matters after a short substep, whose acceleration would
    /// be far too large for a whole step.
    fn predict_velocities(&mut self, context: StepContext<'_>) {
        let StepContext { model, state, .. } = context;
        let fall = model.settings.gravity.norm() * context.time_step;
        self.predicted_velocity.clone_from(&state.velocities);
        let start = self.solution.velocity.chunks_exact(3);
        for (start, &point) in start.zip(&model.unknowns.point_of_block) {
            let velocity = &mut self.predicted_velocity[point as usize];
            let change = Vector3::from_column_slice(start) - *velocity;
            *velocity += change.cap_magnitude(velocity.norm() + fall);
        }
    }

    /// Adds contacts for the impacts of the predicted velocities; candidates cover this motion.
    fn predict_impacts(&mut self, context: StepContext<'_>, report: &mut StepReport) {
        let StepContext { model, state, .. } = context;
        let time_step = context.time_step;
        self.predicted.clear();
        let points = state.positions.iter().zip(&self.predicted_velocity);
        self.predicted
            .extend(points.map(|(x, v)| x + v * time_step));
        let motion = StepMotion {
            start: &state.positions,
            end: &self.predicted,
            time_step,
        };
        let contacts = self.contacts.edit();
        self.refiner.find_hits(model, &self.detector, motion);
        self.refiner
            .add_predicted_hits(model, motion, contacts, report);
    }

    /// Gives the bodies to the solver, if it or the observer uses them.
    fn provide_bodies(&mut self, context: StepContext<'_>) -> Result<(), StepFailure> {
        let model = context.model;
        self.bodies = None;
        let observed = self.observer.as_ref().is_some_and(|o| o.wants_bodies());
        // Bodies at rest are those of implicit Euler.
        let observed = observed && !self.flight.is_second_order();
        if self.method.needs_bodies() || observed {
            let rest = self.rest.get_or_insert_with(|| RestBodies::new(model));
            let bodies = rest.turned(model, self.iterate.positions(), context.time_step)?;
            self.bodies = Some(bodies);
        }
        Ok(())
    }

    /// Judges the solution by the independent residual, and gives the accepted equations and their solution to the
    /// balance sheet. Returns the largest residual of an island (N·s), relative to the largest tolerance of a body.
    fn judge_and_weigh(&mut self, model: &Model, start: &State, report: &mut StepReport) -> f64 {
        let (momentum, ()) = rayon::join(
            || {
                let islands = &self.islands;
                judge(
                    (&self.problem, &self.solution),
                    (islands.count(), &|block| islands.of_block(block as u32)),
                    self.loads.largest() / self.loads.reference(),
                    report,
                )
            },
            || {
                if let Some(ledger) = &mut self.ledger {
                    ledger.measure(&Substep {
                        model,
                        start,
                        problem: &self.problem,
                        solution: &self.solution,
                        contacts: self.contacts.as_slice(),
                        flight: &self.flight,
                        prescribed_velocity: &self.known_velocity,
                        end: &self.end,
                        axes: &self.rigid.all_axes(),
                        rigid_starts: &self.rigid.all_starts(model),
                        linearised_at: self.iterate.positions(),
                        links: self.joints.links(),
                        forces: self.extensions.has_forces().then(|| self.forces.added()),
                    });
                }
            },
        );
        momentum
    }

    /// Makes the attempt the new state.
    fn accept(&mut self, model: &Model, state: &mut State, time_step: f64) {
        let history = self.history_of_points(model, state, time_step);
        let start = state.rigid.clone();
        let (solution, flight, known) = (&self.solution, &self.flight, &self.known_velocity);
        (state.velocities.par_iter_mut().enumerate())
            .with_min_len(POINTS_PER_TASK)
            .zip(&mut state.accelerations)
            .for_each(|((point, velocity), acceleration)| {
                let (end, change) = match model.unknowns.block_of_point[point] {
                    Some(block) => {
                        let solved = &solution.velocity[3 * block as usize..][..3];
                        let end = flight.end_of(point, &Vector3::from_column_slice(solved));
                        (end, (end - *velocity) / time_step)
                    }
                    None => (known[point], Vector3::zeros()),
                };
                *acceleration = change;
                *velocity = end;
            });
        state.positions.clone_from(&self.end);
        self.rigid.accept(model, state, &self.solution.velocity);
        if let Some(history) = history {
            self.leave_history(model, state, &start, history);
        }
        state.joint_forces.clone_from(&self.solution.constraints);
        if let Some(ledger) = &mut self.ledger {
            ledger.before_flow(model, state);
        }
        flow_plastically(model, state);
        if let Some(ledger) = &mut self.ledger {
            ledger.after_flow(model, state);
        }
        state.time += time_step;
        self.contacts.swap_with(&mut state.contacts);
    }
}
