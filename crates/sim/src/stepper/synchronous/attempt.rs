//! One attempt at a step or substep: the state changes on success only.

use super::{Synchronous, clock::Clock};
use crate::{
    compliance::RestBodies,
    contacts::sweep::Sweep,
    error::StepFailure,
    model::Model,
    report::StepReport,
    state::State,
    step::{
        assemble::{
            MomentumSystem, check_materials, momentum_system, prescribe, rigid::PointMotions,
        },
        commit::{check_inversion, energy::Energies, judge, plasticity::flow_plastically},
        context::StepContext,
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

/// Residual over tolerance that an accepted solve has at most, as [`impinge_contact::ContactResidual::meets`] says.
const ACCEPTED: f64 = 2.0;

impl Synchronous {
    /// One attempt: the state changes on success only.
    ///
    /// With `accept_unmet`, a motion that is proven collision-free is accepted although the solver or the gaps did not
    /// reach their tolerance; it is counted.
    pub(super) fn attempt(
        &mut self,
        model: &Model,
        state: &mut State,
        time_step: f64,
        accept_unmet: bool,
        report: &mut StepReport,
    ) -> Result<(), StepFailure> {
        let mut clock = Clock::start();
        let context = StepContext {
            model,
            state,
            time_step,
        };
        self.pose(context, report)?;
        report.times.assemble += clock.lap();

        self.foresee_velocities(context);
        self.detector.prepare(
            model,
            &state.positions,
            &self.foreseen_velocity,
            time_step,
            report,
        );
        self.extensions.check()?;
        report.times.detect += clock.lap();

        self.foresee_hits(context, report);
        report.times.refine += clock.lap();

        let met = self.solve_until_free(context, accept_unmet, &mut clock, report)?;
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
        let contacts = self.contacts.as_slice();
        // The work of forces of extensions is not known.
        let outside = if self.extensions.has_forces() {
            None
        } else {
            (self.account).outside(model, ways, &self.known_velocity, contacts)
        };
        self.accept(model, state, time_step);
        let energies = Energies::of(model, state);
        self.account.close(energies, outside, state, report);
        report.times.commit += clock.lap();
        Ok(())
    }

    /// Momentum system, tolerances, contacts and velocities that the attempt starts from.
    fn pose(
        &mut self,
        context: StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepFailure> {
        let StepContext {
            model,
            state,
            time_step,
        } = context;
        prescribe(context, &mut self.end, &mut self.known_velocity)?;
        self.problem.time_step = time_step;
        self.coarse.begin_step();
        momentum_system(
            context,
            &self.assembler,
            &self.known_velocity,
            MomentumSystem {
                matrix: &mut self.problem.momentum,
                rhs: &mut self.problem.rhs,
            },
        );
        check_materials(context, &self.problem)?;
        self.tell_of_bodies(context)?;
        self.contacts.start_from(&state.contacts);
        let contacts = self.contacts.edit();
        carry_over(model, &state.positions, time_step, contacts, report);
        self.solution.velocity.resize(3 * model.blocks(), 0.0);
        self.rigid.pose(
            context,
            &mut self.problem,
            &mut self.solution.velocity,
            &mut PointMotions {
                end: &mut self.end,
                known_velocity: &mut self.known_velocity,
            },
        )?;
        self.forces.add(
            self.extensions.forces(),
            context,
            &self.rigid,
            &mut self.problem,
        )?;
        self.joints.pose(
            context,
            &self.rigid,
            &self.end,
            &mut self.problem,
            &mut self.solution,
        );
        self.loads.weigh(
            context,
            &self.rigid,
            self.contacts.as_slice(),
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
        self.start_velocities(context);
        Ok(())
    }

    /// The velocities that the first solve starts from.
    fn start_velocities(&mut self, context: StepContext<'_>) {
        let model = context.model;
        let supported = supported_bodies(model, self.contacts.as_slice());
        let closed = !self.extensions.has_forces() && closes_balances(model, &self.method);
        let tolerances = StartTolerances {
            momentum: self.loads.tolerances(),
            gap: self.loads.gaps(),
        };
        let velocity = &mut self.solution.velocity;
        extrapolate_velocities(context, &supported, closed, &tolerances, velocity);
        if closed {
            start_from_rest(context, &supported, &tolerances, velocity);
        }
    }

    /// Velocities that the step is foreseen with: those that solves start from, changed since the last step by no more
    /// than points moved in it or gravity adds. (What a part of a step added, taken for as much a second, would be many
    /// times too much in a whole one.)
    fn foresee_velocities(&mut self, context: StepContext<'_>) {
        let StepContext {
            model,
            state,
            time_step,
        } = context;
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
    fn foresee_hits(&mut self, context: StepContext<'_>, report: &mut StepReport) {
        let StepContext {
            model,
            state,
            time_step,
        } = context;
        self.foreseen.clear();
        let points = state.positions.iter().zip(&self.foreseen_velocity);
        self.foreseen.extend(points.map(|(x, v)| x + v * time_step));
        let sweep = Sweep {
            start: &state.positions,
            end: &self.foreseen,
            time_step,
        };
        let contacts = self.contacts.edit();
        self.refiner
            .foresee_hits(model, &self.detector, sweep, contacts, report);
    }

    /// Tells the solver of the bodies, where it or the observer asks for that.
    fn tell_of_bodies(&mut self, context: StepContext<'_>) -> Result<(), StepFailure> {
        let StepContext {
            model,
            state,
            time_step,
        } = context;
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

    /// Sets the tolerances of the solves to come.
    pub(super) fn hold_to(&mut self, tolerances: Tolerances) {
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
        self.contacts.swap_with(&mut state.contacts);
    }
}
