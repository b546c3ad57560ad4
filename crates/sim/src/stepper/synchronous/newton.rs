//! Newton rounds: islands whose elastic forces are not those that their solve took them for are linearised anew.

use super::{Synchronous, changes::Purpose, failure::not_linear};
use crate::{
    error::StepFailure,
    geometry::Body,
    model::Model,
    report::StepReport,
    scene::Elasticity,
    step::{
        assemble::{
            check_forces, check_materials,
            newton_iterate::{Motion, NewtonIterate},
        },
        commit::check_inversion,
        context::StepContext,
    },
};
use impinge_contact::Island;
use nalgebra::Vector3;

/// Most rounds of an island in an attempt that linearise elastic forces anew. Newton's method gains digits in each, so
/// more of them tell that the step is too long.
const MOST_NEWTON_ROUNDS: u32 = 20;

/// Nonlinear residual that is accepted, over the momentum tolerance: about a twentieth of the largest impulse on a
/// body, with tolerances in physical units.
///
/// A solve's residual may lie along one motion and persist from step to step. The nonlinear residual does not: the
/// next step starts from the forces that this one missed. It is part of the error of the integrator, which a step of
/// any length makes, and needs to be small against that only.
const ACCEPTED: f64 = 250.0;

/// Part of its own volume ratio that an element keeps on the way to a new iterate: elastic forces and their
/// stiffness change without bound towards zero volume.
const LEAST_VOLUME_KEPT: f64 = 0.2;

/// Most halvings of the way to a new iterate; a thousandth of a step does not converge.
const MOST_HALVINGS: u32 = 10;

/// The state of the nonlinear equations after a solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Balance {
    /// Every residual is within its tolerance.
    Met,
    /// Some islands were linearised anew.
    Renewed,
    /// Some residuals stay too large, which is accepted.
    Missed,
}

impl Synchronous {
    /// Marks the islands with a body whose nonlinear residual exceeds its momentum tolerance, or that has an inverted
    /// element, and linearises these anew at the end of the step, or short of it where the residual grew or an element
    /// would invert.
    ///
    /// # Errors
    /// [`StepFailure::Inverted`] for a body with inverted elements that do not vanish;
    /// [`StepFailure::NotLinear`] for a body whose residual stays too large, unless `accept_unmet`.
    pub(super) fn renew_iterates(
        &mut self,
        context: StepContext<'_>,
        accept_unmet: bool,
        report: &mut StepReport,
    ) -> Result<Balance, StepFailure> {
        let model = context.model;
        if model.settings.elasticity == Elasticity::Linearised {
            return Ok(Balance::Met);
        }
        let motion = Motion {
            solved: &self.solution.velocity,
            known: &self.known_velocity,
            end: &self.end,
        };
        let residuals = self.iterate.residuals(
            context,
            (&self.flight, &self.assembler),
            &self.problem.momentum,
            &motion,
        );
        let tolerances = model.geometry.tolerances;
        let over: Vec<f64> = (residuals.iter().zip(self.loads.tolerances()))
            .map(|(&[residual, elastic], &at_start)| {
                // Bodies without nodes have neither.
                if residual <= 0.0 {
                    0.0
                } else {
                    residual / (ACCEPTED * tolerances.momentum(elastic, at_start))
                }
            })
            .collect();
        let inverted = check_inversion(model, &self.end);
        let is_inverted = |body: &Body| {
            let ratio = |tet| model.elements.elastic.volume_ratio(tet, &self.end);
            inverted.is_err() && body.tets.clone().any(|tet| ratio(tet) <= 0.0)
        };
        let mut is_any = false;
        for (body, (of_body, &over)) in model.geometry.bodies.iter().zip(&over).enumerate() {
            if over.is_nan() || over > 1.0 || is_inverted(of_body) {
                self.changes.add_body(body);
                is_any = true;
            }
        }
        if !is_any {
            inverted?;
            return Ok(Balance::Met);
        }
        self.changes.spread(model, &self.islands);
        let rounds = self.changes.count(Purpose::Linearising);
        if rounds > MOST_NEWTON_ROUNDS {
            inverted?;
            if accept_unmet {
                check_forces(context, &self.end)?;
                return Ok(Balance::Missed);
            }
            let (body, over) = (over.iter().enumerate())
                .max_by(|a, b| a.1.total_cmp(b.1))
                .unwrap_or((0, &f64::NAN));
            return Err(not_linear(model, body, rounds, *over));
        }
        report.newton_rounds += 1;
        for island in self.islands.parts() {
            let bodies = bodies_of(model, island);
            if !bodies.iter().any(|&body| self.changes.all()[body].changed) {
                continue;
            }
            let worst = (bodies.iter().map(|&body| over[body])).fold(0.0, worse);
            let least = (bodies.iter())
                .map(|&body| self.changes.all()[body].least_residual)
                .fold(0.0, f64::max);
            let share = if worst <= least { 1.0 } else { 0.5 };
            let share = share_of_way(model, &self.iterate, &self.end, &bodies, share);
            for &body in &bodies {
                let points = model.geometry.bodies[body].points.clone();
                (self.iterate).advance(context, &self.flight, &motion, points, share);
            }
            (self.changes).update(model, island, |marks| {
                marks.least_residual = least.min(worst);
            });
        }
        self.assemble_equations(context)?;
        check_materials(context, self.iterate.positions(), &self.problem)?;
        self.provide_bodies(context)?;
        Ok(Balance::Renewed)
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

/// `share`, halved until every element of the `bodies` keeps [`LEAST_VOLUME_KEPT`] of its volume ratio on that share of
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
            body.tets.clone().all(|tet| {
                let before = elastic.volume_ratio(tet, start);
                before <= 0.0 || elastic.volume_ratio(tet, &there) > LEAST_VOLUME_KEPT * before
            })
        });
        if keeps {
            break;
        }
        share *= 0.5;
    }
    share
}
