//! The rounds of an attempt: formulate, resolve, refine, until the motion is free of collisions.

use super::{
    Synchronous,
    changes::{MOST_ROUNDS, Purpose},
    clock::Clock,
    failure::{gaps_not_converged, too_many_rounds},
    newton::{Balance, accepted_share},
};
use crate::{
    contacts::{
        contact::{Contact, ContactKey},
        opposing_normals::turn_opposed,
        step_motion::StepMotion,
    },
    error::StepFailure,
    report::StepReport,
    scene::Elasticity,
    step::{
        assemble::remainders::{Accepted, SolvedRows},
        assemble::rigid::PointMotions,
        commit::smallest_volume,
        context::StepContext,
        formulate::{KnownMotion, fill_problem},
        refine::check_gaps::check_gaps,
        resolve::balance::add_force,
    },
};
use nalgebra::Vector3;
use tracing::trace;

impl Synchronous {
    /// Solves the contact problem, checks the motion, and adds or re-linearises contacts, until the motion is free of
    /// collisions.
    ///
    /// Returns whether all gaps settled; without `accept_unmet` they always did. An island is solved again only if one
    /// of its bodies changed, so that no body depends on what happens elsewhere.
    pub(super) fn solve_until_free(
        &mut self,
        context: StepContext<'_>,
        accept_unmet: bool,
        clock: &mut Clock,
        report: &mut StepReport,
    ) -> Result<bool, StepFailure> {
        let StepContext { model, state, .. } = context;
        let time_step = context.time_step;
        loop {
            self.check_interrupt()?;
            if let (0, Some(failure)) = (self.unconverged_left, &self.unsolved) {
                return Err(failure.clone());
            }
            self.formulate(context);
            report.times.formulate += clock.lap();

            self.solve_balanced(context, accept_unmet, report)?;
            self.changes.settle();
            self.contacts.take(&self.solution.contacts);
            self.move_free_points(context)?;
            self.mark_unsettled(context);
            self.changes.count(Purpose::Remainder);
            self.close_joints(context, accept_unmet, report)?;
            if self.changes.are_any() {
                report.times.resolve += clock.lap();
                continue;
            }
            report.times.resolve += clock.lap();

            let motion = StepMotion {
                start: &state.positions,
                end: &self.end,
                time_step,
            };
            self.detector.cover(model, motion, report);
            self.extensions.check()?;
            report.times.detect += clock.lap();

            if self.refiner.find_hits(model, &self.detector, motion) {
                self.take_hits(context, report)?;
                report.times.refine += clock.lap();
                self.renew_with_contacts(context, report)?;
                report.times.assemble += clock.lap();
                continue;
            }
            // Those of a motion that is not the step's count for nothing.
            let gaps = (
                report.minimum_gap,
                report.maximum_gap,
                report.loose_contacts,
            );
            let unsettled = check_gaps(model, motion, &mut self.contacts, report);
            report.times.refine += clock.lap();
            if unsettled.is_empty() {
                let balance = self.renew_iterates(context, accept_unmet, report)?;
                report.times.assemble += clock.lap();
                match balance {
                    Balance::Renewed => {
                        (
                            report.minimum_gap,
                            report.maximum_gap,
                            report.loose_contacts,
                        ) = gaps;
                        continue;
                    }
                    Balance::Met => return Ok(true),
                    Balance::Missed => return Ok(false),
                }
            }
            let relinearising = self.mark_loose(context, &unsettled, report);
            if relinearising > MOST_ROUNDS {
                if accept_unmet {
                    self.smallest_volume = smallest_volume(model, &self.end);
                    return Ok(false);
                }
                let (key, gap) = widest(&unsettled);
                return Err(gaps_not_converged(model, relinearising, key, gap));
            }
        }
    }

    /// Fills the contact problem with the rows of the present contacts.
    fn formulate(&mut self, context: StepContext<'_>) {
        let StepContext { model, state, .. } = context;
        self.move_contacts_by_euler(context);
        let changes = &self.changes;
        let of_changed = |contact: &Contact| changes.is_of_changed(&model.geometry, contact);
        (self.contacts).edit_some(of_changed, |some| turn_opposed(some, &state.positions));
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
        self.keys.clear();
        let keys = self.contacts.as_slice().iter().map(|contact| contact.key);
        self.keys.extend(keys);
    }

    /// Marks the bodies of contacts whose gaps have not settled; returns the number of rounds that re-linearise them.
    fn mark_loose(
        &mut self,
        context: StepContext<'_>,
        unsettled: &[(ContactKey, f64)],
        report: &StepReport,
    ) -> u32 {
        trace!(
            step = context.state.step + 1,
            round = report.rounds,
            contacts = unsettled.len(),
            largest_gap = widest(unsettled).1,
            "contacts to re-linearise"
        );
        let model = context.model;
        for &(key, _) in unsettled {
            self.changes.add_pair(&model.geometry, key);
        }
        self.changes.spread(model, &self.islands);
        self.changes.count(Purpose::Relinearising)
    }

    /// Marks the bodies whose contacts saw another motion of rigid bodies than the solve led to.
    fn mark_unsettled(&mut self, context: StepContext<'_>) {
        let model = context.model;
        let geometry = &model.geometry;
        let contacts = self.contacts.as_slice();
        let unsettled = self.rigid.unsettled(model, contacts, context.time_step);
        let keys: Vec<_> = unsettled.map(|contact| contact.key).collect();
        for key in keys {
            if self.changes.rounds(geometry, key, Purpose::Remainder) < MOST_ROUNDS {
                self.changes.add_pair(geometry, key);
            }
        }
        self.changes.spread(model, &self.islands);
    }

    /// Evaluates the remainders of constraint rows at the end of the motion of `velocity`, in the order of the unknowns
    /// (m/s).
    fn follow_joints(&mut self, context: StepContext<'_>, velocity: &[f64]) {
        let model = context.model;
        let solved = SolvedRows {
            rows: &self.problem.constraints,
            velocity,
            forces: &self.solution.constraints,
            end: &self.end,
        };
        let flight = &self.flight;
        let accepted = Accepted {
            tolerance: self.method.tolerances().gap,
            share: |body: usize| accepted_share(model, flight, body),
        };
        (self.joints.remainders).follow(context, &self.rigid, solved, &accepted);
    }

    /// Gives the rows of joints the remainders of the start velocities of nodes, and of the velocities `of_rigid` that
    /// rigid bodies were moved by. Rows without them would find another force, and the geometric stiffness of the next
    /// solve would be that of it.
    pub(super) fn predict_joints(&mut self, context: StepContext<'_>, of_rigid: &[f64]) {
        let StepContext { model, state, .. } = context;
        if model.settings.elasticity == Elasticity::Linearised
            || self.problem.constraints.is_empty()
        {
            return;
        }
        let mut velocity = self.solution.velocity.clone();
        let nodes = velocity.len() - of_rigid.len();
        velocity[nodes..].copy_from_slice(of_rigid);
        for (v, &point) in velocity.chunks_exact(3).zip(&model.unknowns.point_of_block) {
            let point = point as usize;
            self.end[point] =
                state.positions[point] + Vector3::from_column_slice(v) * context.time_step;
        }
        self.follow_joints(context, &velocity);
        (self.joints.remainders).predict(context, &mut self.problem.constraints);
    }

    /// Marks the bodies whose joints saw another motion than the solve led to, and assembles their equations with it.
    /// Elastic forces of their islands follow in the same round.
    ///
    /// # Errors
    /// [`StepFailure::OpenJoint`] if a joint does not settle, unless `accept_unmet`: its bodies are then marked.
    fn close_joints(
        &mut self,
        context: StepContext<'_>,
        accept_unmet: bool,
        report: &mut StepReport,
    ) -> Result<(), StepFailure> {
        if context.model.settings.elasticity == Elasticity::Linearised {
            return Ok(());
        }
        let model = context.model;
        let velocity = std::mem::take(&mut self.solution.velocity);
        self.follow_joints(context, &velocity);
        self.solution.velocity = velocity;
        let remainders = &mut self.joints.remainders;
        if remainders.joints().is_empty() {
            return Ok(());
        }
        let rows = &mut self.problem.constraints;
        // An island takes remainders for its own joints only, whatever others do.
        let mut is_open = vec![false; self.islands.count()];
        for &(constraint, change) in remainders.joints() {
            let blocks = rows.group(constraint).blocks;
            let bodies: Vec<_> = (blocks.iter())
                .map(|&block| model.body_of_block(block as usize))
                .collect();
            if self.changes.rounds_of(&bodies, Purpose::Closing) < MOST_ROUNDS {
                is_open[self.islands.of_block(blocks[0])] = true;
            } else if accept_unmet {
                for body in bodies {
                    self.changes.leave_unmet(body);
                }
            } else {
                return Err(StepFailure::OpenJoint {
                    joint: model.constraints.rows[constraint].name.clone(),
                    change,
                    rounds: MOST_ROUNDS,
                });
            }
        }
        if !is_open.contains(&true) {
            return Ok(());
        }
        trace!(
            step = context.state.step + 1,
            joints = remainders.joints().len(),
            "joints to close"
        );
        report.newton_rounds += u32::from(self.renew_with(context, &is_open));
        let remainders = &mut self.joints.remainders;
        let rows = &mut self.problem.constraints;
        for (island, _) in (self.islands.parts().iter().zip(&is_open)).filter(|(_, open)| **open) {
            self.changes.update(model, island, |marks| {
                marks.changed = true;
                marks.rounds[Purpose::Closing as usize] += 1;
            });
        }
        let islands = &self.islands;
        remainders.take(context, rows, |blocks| {
            let first = blocks.first();
            first.is_some_and(|&block| is_open[islands.of_block(block)])
        });
        self.assemble_equations(context)
    }

    /// Turns the hits on the solved motion into contacts, and lets the other contacts of the islands that they are on
    /// follow their gaps.
    fn take_hits(
        &mut self,
        context: StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepFailure> {
        let StepContext { model, state, .. } = context;
        let motion = StepMotion {
            start: &state.positions,
            end: &self.end,
            time_step: context.time_step,
        };
        trace!(
            step = state.step + 1,
            round = report.rounds,
            collisions = self.refiner.hits.len(),
            "colliding pairs found"
        );
        for hit in &self.refiner.hits {
            self.changes.add_pair(&model.geometry, hit.key);
        }
        self.changes.spread(model, &self.islands);
        self.changes.forget_residuals();
        let (refiner, changes) = (&mut self.refiner, &self.changes);
        let of_changed = |contact: &Contact| changes.is_of_changed(&model.geometry, contact);
        let last = (self.contacts).edit_some(of_changed, |contacts| {
            let last = refiner.add_hits(model, motion, contacts, report)?;
            refiner.follow_gaps(model, motion, contacts, report);
            Ok::<_, StepFailure>(last)
        })?;
        let most = self.changes.count(Purpose::Adding);
        if most > MOST_ROUNDS {
            return Err(too_many_rounds(model, most, last));
        }
        Ok(())
    }

    fn check_interrupt(&self) -> Result<(), StepFailure> {
        if self.interrupt.is_raised() {
            return Err(StepFailure::Interrupted);
        }
        Ok(())
    }

    /// Adds the forces that close the balances of bodies to the contacts.
    pub(super) fn take_up_imbalance(&mut self) {
        for (multipliers, key) in self.solution.contacts.iter_mut().zip(&self.keys) {
            if let Some(change) = self.imbalance.get(key) {
                add_force(multipliers, change);
            }
        }
        self.contacts.take_forces(&self.solution.contacts);
    }

    fn move_free_points(&mut self, context: StepContext<'_>) -> Result<(), StepFailure> {
        let StepContext { model, state, .. } = context;
        for (v, &point) in self
            .solution
            .velocity
            .chunks_exact(3)
            .zip(&model.unknowns.point_of_block)
        {
            let point = point as usize;
            self.end[point] =
                state.positions[point] + Vector3::from_column_slice(v) * context.time_step;
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

/// The contact with the largest gap (m), of at least one.
fn widest(contacts: &[(ContactKey, f64)]) -> (ContactKey, f64) {
    let widest = contacts.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    *widest.expect("at least one contact")
}
