//! Remainders of constraint rows: the part of `φ` at the end of a step that linear rows leave out.
//!
//! # Equations
//! A row is linearised at the motion `w_k` and asks for `φ(x_k) + h J (w − w_k) + C λ = 0`. The end of the step misses
//! that by the remainder
//!
//! ```text
//! e(w) = φ(x + h w) − φ(x_k) − h J (w − w_k)
//! ```
//!
//! which grows with the square of a turn: hard joints would open, and the next step would throw their bodies back.
//!
//! - Rows of a joint take the `e` of the last solved motion into `φ`, as rows of contacts take the remainder of rigid
//!   bodies ([`rigid`](super::rigid)). The same solve takes the geometric stiffness of the last solved forces: the
//!   impulses then act, to first order, along `J` at the end of the step. With the stiffness of earlier forces a
//!   remainder could lift bodies that the true motion does not, and add energy.
//! - Rows within one deformable body are linearised again where that is, in a Newton round
//!   ([`NewtonIterate`](super::newton_iterate::NewtonIterate)). Their `e` tells whether it needs one.
//!
//! Rows of a constraint with a potential of its own hold the derivative of that, and have no remainder here.

use super::rigid::RigidStep;
use crate::{
    measure::strains::{TASK, take_plastic},
    model::Model,
    step::context::StepContext,
};
use impinge_contact::constraint::{Configuration, Constraint, ConstraintRows, Evaluation, Frame};
use nalgebra::Vector3;
use rayon::prelude::*;

/// Remainders of all constraint rows of a step. Memory is kept between steps.
#[derive(Debug, Default)]
pub(crate) struct Remainders {
    /// `φ(x_k) − h J w_k` of each row.
    constants: Vec<f64>,
    /// Offset of each row without `e`.
    offsets: Vec<f64>,
    /// `e` that each row of the problem contains; 0 for rows within a body.
    taken: Vec<f64>,
    /// `e` of the last solved motion.
    latest: Vec<f64>,
    /// Joints whose `e` changed by more than is accepted in the last solve, with the change (the unit of `φ`).
    joints: Vec<(usize, f64)>,
    /// Constraints within a body whose `e` exceeds what is accepted, with the factor.
    own: Vec<(usize, f64)>,
    /// Whether the rows of a constraint took another `e` since the equations were assembled.
    renewed: Vec<bool>,
    frames: Vec<Frame>,
}

/// The `e` that is accepted.
pub(crate) struct Accepted<F> {
    /// In any row (the unit of `φ`).
    pub(crate) tolerance: f64,
    /// Share of `φ` in rows within the body of a block, if that is more: it is the share of the force.
    pub(crate) share: F,
}

/// A solved motion, and the rows that it was solved with.
#[derive(Clone, Copy)]
pub(crate) struct SolvedRows<'a> {
    pub(crate) rows: &'a ConstraintRows,
    /// Velocities in the order of the unknowns (m/s).
    pub(crate) velocity: &'a [f64],
    /// `λ` of each row.
    pub(crate) forces: &'a [f64],
    /// Positions at the end of the step (m).
    pub(crate) end: &'a [Vector3<f64>],
}

impl Remainders {
    /// Whether the rows of a constraint took another `e` since the equations were assembled.
    pub(super) fn is_renewed(&self, constraint: usize) -> bool {
        self.renewed.get(constraint).is_some_and(|&renewed| renewed)
    }

    /// Starts an assembly. With `keeps`, the rows are those of the last one and keep their `e`.
    pub(super) fn start(&mut self, keeps: bool) {
        self.constants.clear();
        self.offsets.clear();
        if !keeps {
            self.taken.clear();
            self.renewed.clear();
        }
    }

    /// Takes the next row: `φ(x_k) − h J w_k`, and the offset without `e`.
    pub(super) fn push(&mut self, constant: f64, offset: f64) {
        self.constants.push(constant);
        self.offsets.push(offset);
    }

    /// Adds `e` to the offsets of all rows.
    pub(super) fn finish(&mut self, constraints: &[Constraint], h: f64, rows: &mut ConstraintRows) {
        self.taken.resize(self.offsets.len(), 0.0);
        for (group, constraint) in constraints.iter().enumerate() {
            self.offset_rows(group, constraint, h, rows);
        }
        self.latest.clone_from(&self.taken);
        self.renewed.clear();
        self.renewed.resize(constraints.len(), false);
    }

    /// Sets the offsets of one constraint: `−s (φ + e)` and what else they contain.
    fn offset_rows(
        &self,
        group: usize,
        constraint: &Constraint,
        h: f64,
        rows: &mut ConstraintRows,
    ) {
        let share = h / (h + constraint.damping);
        let first = rows.first_row(group);
        for (row, offset) in (first..).zip(rows.offset_mut(group)) {
            *offset = self.offsets[row] - share * self.taken[row];
        }
    }

    /// Evaluates `e` at the end of a solved motion. One-sided rows count while they have a force or are violated.
    pub(crate) fn follow(
        &mut self,
        context: StepContext<'_>,
        rigid: &RigidStep,
        solved: SolvedRows<'_>,
        accepted: &Accepted<impl Fn(u32) -> f64 + Sync>,
    ) {
        self.joints.clear();
        self.own.clear();
        let StepContext { model, state, .. } = context;
        let rows = solved.rows;
        if rows.is_empty() {
            return;
        }
        self.frames.clear();
        self.frames.extend(rigid.end_frames());
        let at = Configuration {
            particles: solved.end,
            frames: &self.frames,
        };
        let (constants, taken) = (&self.constants, &self.taken);
        // The largest change of `e` of a joint, and the largest `e` within a body over what is accepted.
        let of_one = |evaluation: &mut Evaluation, group: usize, latest: &mut [f64]| {
            let constraint = &model.constraints.rows[group];
            let blocks = rows.group(group).blocks;
            let (Some(&block), false) = (blocks.first(), constraint.has_potential()) else {
                return 0.0;
            };
            let is_joint = is_joint(model, group);
            let first = rows.first_row(group);
            evaluation.values(constraint, &at);
            take_plastic(state, first, evaluation);
            let mut most = 0.0;
            for (row, latest) in latest.iter_mut().enumerate() {
                let (value, place) = (evaluation.value[row], first + row);
                *latest = value - constants[place] - rows.product(group, row, solved.velocity);
                let has_force = !constraint.unilateral || solved.forces[place] != 0.0;
                if !has_force && value >= -accepted.tolerance {
                    continue;
                }
                let miss = (*latest - taken[place]).abs();
                let miss = if is_joint {
                    miss
                } else {
                    miss / accepted
                        .tolerance
                        .max((accepted.share)(block) * value.abs())
                };
                most = if miss.is_nan() {
                    f64::INFINITY
                } else {
                    miss.max(most)
                };
            }
            most
        };
        let constraints = &model.constraints.rows;
        let mut rest = self.latest.as_mut_slice();
        let mut places = Vec::with_capacity(constraints.len());
        for (group, constraint) in constraints.iter().enumerate() {
            let (first, others) = rest.split_at_mut(constraint.rows());
            places.push((group, first));
            rest = others;
        }
        let misses: Vec<f64> = if places.len() <= TASK {
            let mut evaluation = Evaluation::default();
            (places.into_iter())
                .map(|(group, latest)| of_one(&mut evaluation, group, latest))
                .collect()
        } else {
            (places.into_par_iter().with_min_len(TASK))
                .map_init(Evaluation::default, |evaluation, (group, latest)| {
                    of_one(evaluation, group, latest)
                })
                .collect()
        };
        for (group, miss) in misses.into_iter().enumerate() {
            if !is_joint(model, group) {
                self.own.extend((miss > 1.0).then_some((group, miss)));
            } else if miss > accepted.tolerance {
                self.joints.push((group, miss));
            }
        }
    }

    /// Joints whose rows saw another motion than the last solve led to, with the change of `e` (the unit of `φ`).
    pub(crate) fn joints(&self) -> &[(usize, f64)] {
        &self.joints
    }

    /// Constraints within a body that miss their law at the end of the last solved motion, by how many times what is
    /// accepted.
    pub(crate) fn own(&self) -> &[(usize, f64)] {
        &self.own
    }

    /// Takes the latest `e` into the rows of joints that are solved again, told by their blocks.
    pub(crate) fn take(
        &mut self,
        context: StepContext<'_>,
        rows: &mut ConstraintRows,
        is_solved_again: impl Fn(&[u32]) -> bool,
    ) {
        let h = context.time_step;
        for (group, constraint) in context.model.constraints.rows.iter().enumerate() {
            if !is_joint(context.model, group) || !is_solved_again(rows.group(group).blocks) {
                continue;
            }
            let first = rows.first_row(group);
            let own = first..first + constraint.rows();
            self.taken[own.clone()].copy_from_slice(&self.latest[own]);
            self.renewed[group] = true;
            self.offset_rows(group, constraint, h, rows);
        }
    }
}

/// Whether a constraint in compliance form takes remainders: it is not within one deformable body.
fn is_joint(model: &Model, constraint: usize) -> bool {
    let is_within = model.components.of_row(constraint).is_some();
    !is_within && !model.constraints.rows[constraint].has_potential()
}
