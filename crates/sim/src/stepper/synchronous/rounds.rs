//! The rounds of an attempt: formulate, resolve, refine, until the motion is free of collisions.

use super::{
    Synchronous,
    clock::Clock,
    failure::{gaps_unsettled, too_many_rounds},
};
use crate::{
    contacts::{opposing_normals::turn_opposed, sweep::Sweep},
    error::StepFailure,
    report::StepReport,
    step::{
        assemble::rigid::{MOST_SETTLING_SOLVES, PointMotions},
        context::StepContext,
        formulate::{KnownMotion, fill_problem},
        refine::check_gaps::check_gaps,
        resolve::{
            Resolved,
            balance::{Balanced, add_force, balance},
            rescue::rescue,
            resolve,
        },
    },
    stepper::observer::{Observed, SolveStamp},
};
use impinge_contact::Tolerances;
use nalgebra::Vector3;

/// Rounds that may add contacts before a step is given up.
const MAX_ADDING_ROUNDS: u32 = 50;

/// Rounds that may re-linearise before a step is given up.
const MAX_RELINEARISING_ROUNDS: u32 = 20;

/// Adding rounds after which contacts that were not hit are left alone until nothing is: two that move each other would
/// otherwise never rest.
const ROUNDS_THAT_FOLLOW: u32 = 4;

/// Solves anew, to a finer momentum tolerance each, because the balance of momentum broke rows.
const MOST_FINER_SOLVES: u32 = 3;

impl Synchronous {
    /// Solves, looks at the motion, adds and re-linearises contacts, until the motion is free of collisions.
    ///
    /// Returns whether the last solve met its tolerances; without `accept_unmet` it always did.
    pub(super) fn solve_until_free(
        &mut self,
        context: StepContext<'_>,
        accept_unmet: bool,
        clock: &mut Clock,
        report: &mut StepReport,
    ) -> Result<bool, StepFailure> {
        let StepContext {
            model,
            state,
            time_step,
        } = context;
        let (mut adding, mut relinearising, mut settling) = (0, 0, 0);
        loop {
            self.check_interrupt()?;
            if let (0, Some(failure)) = (self.unmet_left, &self.unsolved) {
                return Err(failure.clone());
            }
            turn_opposed(self.contacts.edit(), &state.positions);
            fill_problem(
                context,
                KnownMotion {
                    rigid: &self.rigid,
                    velocity: &self.known_velocity,
                },
                self.contacts.as_slice(),
                &mut self.problem,
                &mut self.solution,
            );
            self.contacts.number_rows();
            report.times.formulate += clock.lap();

            let met = self.solve_balanced(context, accept_unmet, report)?;
            self.contacts.take(&self.solution.contacts);
            self.move_free_points(context)?;
            if settling < MOST_SETTLING_SOLVES
                && !(self.rigid).settled(model, self.contacts.as_slice(), time_step)
            {
                settling += 1;
                report.times.resolve += clock.lap();
                continue;
            }
            settling = 0;
            report.times.resolve += clock.lap();

            self.detector
                .cover(model, &state.positions, &self.end, report);
            self.extensions.check()?;
            report.times.detect += clock.lap();

            let sweep = Sweep {
                start: &state.positions,
                end: &self.end,
                time_step,
            };
            let refiner = &mut self.refiner;
            if refiner.find_hits(model, &self.detector, sweep) {
                let contacts = self.contacts.edit();
                let last = refiner.add_hits(model, sweep, contacts, report)?;
                if adding < ROUNDS_THAT_FOLLOW {
                    refiner.follow_gaps(model, sweep, contacts, report);
                }
                adding += 1;
                if adding > MAX_ADDING_ROUNDS {
                    return Err(too_many_rounds(model, adding, last));
                }
                report.times.refine += clock.lap();
                continue;
            }
            let unsettled = check_gaps(model, sweep, &mut self.contacts, report);
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
        context: StepContext<'_>,
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
                    step: context.state.step + 1,
                    round: report.rounds + 1,
                    time: context.state.time,
                },
                bodies: self.bodies.as_ref(),
                observer: self.observer.as_deref_mut(),
            };
            let name = (self.extensions.solver_name()).unwrap_or_else(|| self.method.name());
            let resolved = resolve(
                (name, &self.method, &mut solver),
                &self.problem,
                &mut self.solution,
                report,
            );
            self.check_interrupt()?;
            self.extensions.check()?;
            let Resolved { shortfall, relaxed } = resolved?;
            self.relaxed = relaxed;
            let mut met = shortfall.is_none();
            if !met && self.rescuable && self.extensions.solver_name().is_none() {
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
            // The momentum of whole bodies is not known where forces of extensions act.
            self.balanced = if self.extensions.has_forces() && self.method.balances_momentum() {
                Balanced::default()
            } else {
                balance(
                    &mut self.coarse,
                    context,
                    &self.method,
                    &self.problem,
                    &mut self.solution,
                )
            };
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
    pub(super) fn take_up_imbalance(&mut self) {
        for (multipliers, change) in (self.solution.contacts.iter_mut()).zip(&self.balanced.changes)
        {
            add_force(multipliers, change);
        }
        self.contacts.take_forces(&self.solution.contacts);
    }

    fn move_free_points(&mut self, context: StepContext<'_>) -> Result<(), StepFailure> {
        let StepContext {
            model,
            state,
            time_step,
        } = context;
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
            context,
            &self.solution.velocity,
            &mut PointMotions {
                end: &mut self.end,
                known_velocity: &mut self.known_velocity,
            },
        )
    }
}
