//! Newton rounds: an island whose elastic forces, or constraint rows within a body, differ too much from their
//! linearisation is solved again.

use super::{
    Synchronous,
    changes::{MOST_ROUNDS, Purpose},
    failure::not_linear,
};
use crate::{
    error::StepFailure,
    flight::Flight,
    model::Model,
    report::StepReport,
    scene::Elasticity,
    step::{
        assemble::{
            check_forces,
            newton_iterate::{Advance, ElasticStep, NewtonIterate, SolvedMotion},
        },
        commit::{check_inversion, smallest_volume},
        context::StepContext,
    },
};
use impinge_contact::Island;
use nalgebra::Vector3;
use tracing::trace;

/// Nonlinear residual of a body that is accepted, over the largest of its elastic and inertial impulses in the step, 0
/// to 0.2.
///
/// A solve's residual may lie along one motion and persist from step to step. The nonlinear residual does not: the next
/// step starts from the forces that this one missed. It is part of the error of the integrator, which a step of any
/// length makes, and needs to be small against that only.
const ACCEPTED_SHARE: f64 = 0.1;

/// The same of a body that moves to second order in all of its points, 1e-4 to 1e-2: the error of BDF2 in 50 steps a
/// period. The error of the projected stiffness is of first order.
const ACCEPTED_SHARE_OF_SECOND_ORDER: f64 = 1e-3;

/// Part of its smallest volume ratio that a body keeps on the way to a new iterate, 0 to 0.5: elastic forces and their
/// stiffness change without bound towards zero volume.
const LEAST_VOLUME_KEPT: f64 = 0.2;

/// Most halvings of the way to a new iterate, 5 to 20; a thousandth of a step does not converge.
const MOST_HALVINGS: u32 = 10;

/// The state of the nonlinear equations after a solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Balance {
    /// Every residual is within its tolerance.
    Met,
    /// Some islands are linearised again.
    Renewed,
    /// Some residuals stay too large, which is accepted.
    Missed,
}

impl Synchronous {
    /// Marks the islands with a body whose nonlinear residual is too large, or that has an inverted element, and
    /// linearises these again at the end of the step, or short of it where the residual grew or an element would
    /// invert.
    ///
    /// An island that missed the tolerances of its solve, or that took [`MOST_ROUNDS`], gets no further round.
    ///
    /// # Errors
    /// For such an island: [`StepFailure::Inverted`] if elements are inverted, else [`StepFailure::NotLinear`] unless
    /// `accept_unmet`.
    pub(super) fn renew_iterates(
        &mut self,
        context: StepContext<'_>,
        accept_unmet: bool,
        report: &mut StepReport,
    ) -> Result<Balance, StepFailure> {
        let model = context.model;
        if model.settings.elasticity == Elasticity::Linearised {
            self.smallest_volume = smallest_volume(model, &self.end);
            return Ok(Balance::Met);
        }
        let over = self.excess_of_bodies(context);
        let NewtonIslands { pending, exhausted } = self.islands_to_renew(model, &over);
        if exhausted.iter().any(|&body| self.has_inverted(model, body)) {
            check_inversion(model, self.smallest_volume)?;
        }
        if !accept_unmet && !exhausted.is_empty() {
            return Err(not_linear(model, &exhausted, &over, MOST_ROUNDS));
        }
        if pending.is_empty() {
            report.nonlinear_residual = over.iter().copied().fold(report.nonlinear_residual, worse);
            if exhausted.is_empty() {
                return Ok(Balance::Met);
            }
            check_forces(context, &self.end)?;
            return Ok(Balance::Missed);
        }
        report.newton_rounds += 1;
        trace!(
            step = context.state.step + 1,
            round = report.rounds,
            islands = pending.len(),
            nonlinear_residual = over.iter().copied().fold(0.0, worse),
            "elastic forces to linearise again"
        );
        for island in &pending {
            self.advance_island(context, island);
        }
        self.changes.count(Purpose::Linearising);
        self.assemble_equations(context)?;
        Ok(Balance::Renewed)
    }

    /// Moves the iterates of islands that are solved again for another reason, if the nonlinear residual of one of
    /// their bodies is too large. So their elastic forces converge in the same rounds. Returns whether there are such
    /// islands.
    pub(super) fn renew_with(&mut self, context: StepContext<'_>, solved_again: &[bool]) -> bool {
        let over = self.excess_of_bodies(context);
        let NewtonIslands { mut pending, .. } = self.islands_to_renew(context.model, &over);
        // Infinite forces are no failure at a motion that is solved again.
        pending.retain(|island| solved_again[island.number] && island.worst.is_finite());
        for island in &pending {
            self.advance_island(context, island);
        }
        !pending.is_empty()
    }

    /// Linearises the elastic forces of islands with new contacts again, except in the first round that adds contacts:
    /// its motion lacks the forces of all new contacts, so it ends far from the end of the step.
    ///
    /// # Errors
    /// As [`assemble_equations`](Self::assemble_equations).
    pub(super) fn renew_with_contacts(
        &mut self,
        context: StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepFailure> {
        let model = context.model;
        if model.settings.elasticity == Elasticity::Linearised {
            return Ok(());
        }
        let changes = &self.changes;
        let follows = |island: &Island| {
            let mut bodies = changes.of_island(model, island);
            bodies.any(|marks| marks.changed && marks.rounds[Purpose::Adding as usize] > 1)
        };
        let solved_again: Vec<bool> = self.islands.parts().iter().map(follows).collect();
        if solved_again.contains(&true) && self.renew_with(context, &solved_again) {
            report.newton_rounds += 1;
            self.assemble_equations(context)?;
        }
        Ok(())
    }

    /// Nonlinear residual of each body, or of its constraint rows, over its accepted size; measures volumes as well.
    fn excess_of_bodies(&mut self, context: StepContext<'_>) -> Vec<f64> {
        let model = context.model;
        self.smallest_volume = smallest_volume(model, &self.end);
        let motion = SolvedMotion {
            solved: &self.solution.velocity,
            known: &self.known_velocity,
            end: &self.end,
        };
        let residuals = self.iterate.residuals(
            context,
            ElasticStep {
                flight: &self.flight,
                assembler: &self.assembler,
            },
            &self.problem.momentum,
            &motion,
        );
        let bodies = residuals.iter().zip(self.loads.tolerances()).enumerate();
        let mut over: Vec<f64> = bodies
            .map(|(body, (&[residual, largest], &tolerance))| {
                // Bodies without nodes have neither.
                if residual <= 0.0 {
                    0.0
                } else {
                    let share = accepted_share(model, &self.flight, body);
                    residual / (share * largest).max(tolerance)
                }
            })
            .collect();
        for &(constraint, miss) in self.joints.remainders.own() {
            for &block in self.problem.constraints.group(constraint).blocks {
                let over = &mut over[model.body_of_block(block as usize)];
                *over = worse(*over, miss);
            }
        }
        over
    }

    /// Whether the motion inverts elements of a body that must not be inverted.
    fn has_inverted(&self, model: &Model, body: usize) -> bool {
        let tets = model.geometry.bodies[body].tets.clone();
        check_inversion(model, self.smallest_volume).is_err()
            && (model.elements.elastic)
                .smallest_volume_ratio_in(tets, &self.end)
                .is_some_and(|ratio| ratio.is_nan() || ratio <= 0.0)
    }

    /// The islands with a body whose residual is not accepted or that has inverted elements; `over` is the residual of
    /// each body over its accepted size.
    fn islands_to_renew(&self, model: &Model, over: &[f64]) -> NewtonIslands {
        let mut found = NewtonIslands::default();
        for (number, island) in self.islands.parts().iter().enumerate() {
            let bodies = bodies_of(model, island);
            let worst = (bodies.iter().map(|&body| over[body])).fold(0.0, worse);
            let turns = bodies.iter().any(|&body| self.has_inverted(model, body));
            if !(worst.is_nan() || worst > 1.0 || turns) {
                continue;
            }
            let rounds = self.changes.rounds_of(&bodies, Purpose::Linearising);
            let unmet = bodies.iter().any(|&body| self.changes.all()[body].unmet);
            if unmet || rounds >= MOST_ROUNDS {
                found.exhausted.extend(bodies);
            } else {
                found.pending.push(NewtonIsland {
                    number,
                    bodies,
                    worst,
                });
            }
        }
        found
    }

    /// Moves the iterate of an island towards the solved motion, and marks its bodies as changed.
    fn advance_island(&mut self, context: StepContext<'_>, island: &NewtonIsland) {
        let NewtonIsland {
            number,
            bodies,
            worst,
        } = island;
        let model = context.model;
        let motion = SolvedMotion {
            solved: &self.solution.velocity,
            known: &self.known_velocity,
            end: &self.end,
        };
        let least = (bodies.iter())
            .map(|&body| self.changes.all()[body].least_residual)
            .fold(0.0, f64::max);
        let share = if *worst <= least { 1.0 } else { 0.5 };
        let share = share_of_way(model, &self.iterate, &self.end, bodies, share);
        for &body in bodies {
            let points = model.geometry.bodies[body].points.clone();
            (self.iterate).advance(context, &self.flight, &motion, Advance { points, share });
        }
        let island = &self.islands.parts()[*number];
        self.changes.update(model, island, |marks| {
            marks.changed = true;
            marks.least_residual = least.min(*worst);
        });
    }
}

/// An island whose elastic forces are linearised again.
struct NewtonIsland {
    number: usize,
    bodies: Vec<usize>,
    /// Largest nonlinear residual of its bodies over its accepted size; NaN if one is.
    worst: f64,
}

/// Islands whose elastic forces differ too much from their linearisation.
#[derive(Default)]
struct NewtonIslands {
    pending: Vec<NewtonIsland>,
    /// The bodies of those that get no further round.
    exhausted: Vec<usize>,
}

/// Nonlinear residual of a body that is accepted, over its largest impulses, and the same of its constraint rows over
/// their values.
pub(super) fn accepted_share(model: &Model, flight: &Flight, body: usize) -> f64 {
    let points = model.geometry.bodies[body].points.clone();
    if flight.is_all_second_order(model, points) {
        ACCEPTED_SHARE_OF_SECOND_ORDER
    } else {
        ACCEPTED_SHARE
    }
}

/// The larger of two, or NaN if one is.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// The bodies of an island, each once.
fn bodies_of(model: &Model, island: &Island) -> Vec<usize> {
    let mut bodies: Vec<_> = (island.blocks().iter())
        .map(|&block| model.body_of_block(block as usize))
        .collect();
    bodies.sort_unstable();
    bodies.dedup();
    bodies
}

/// `share`, halved until each of the `bodies` keeps [`LEAST_VOLUME_KEPT`] of its smallest volume ratio on that share of
/// the way to `end` (m).
fn share_of_way(
    model: &Model,
    iterate: &NewtonIterate,
    end: &[Vector3<f64>],
    bodies: &[usize],
    mut share: f64,
) -> f64 {
    if model.settings.allow_inversion {
        return share;
    }
    let (elastic, start) = (&model.elements.elastic, iterate.positions());
    let mut there = start.to_vec();
    for _ in 0..MOST_HALVINGS {
        let keeps = bodies.iter().all(|&body| {
            let body = &model.geometry.bodies[body];
            for point in body.points.clone() {
                there[point] = start[point] + (end[point] - start[point]) * share;
            }
            let [before, after] =
                [start, &there].map(|at| elastic.smallest_volume_ratio_in(body.tets.clone(), at));
            match (before, after) {
                (Some(before), Some(after)) => before <= 0.0 || after > LEAST_VOLUME_KEPT * before,
                _ => true,
            }
        });
        if keeps {
            break;
        }
        share *= 0.5;
    }
    share
}
