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
//!
//!   The first solve has the remainder of the start velocities and the stiffness of the last step. Damping acts on
//!   `J w`.
//! - Rows within one deformable body are linearised again where that is, in a Newton round
//!   ([`NewtonIterate`](super::newton_iterate::NewtonIterate)). Their `e` tells whether it needs one.
//!
//! Rows of a constraint with a potential of its own hold the derivative of that, and have no remainder here.

use super::rigid::RigidStep;
use crate::{
    measure::strains::{TASK, take_offsets},
    model::Model,
    step::context::StepContext,
};
use impinge_contact::constraint::{
    Configuration, Constraint, ConstraintGroup, ConstraintRows, Evaluation, Frame,
};
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
    /// In any row: the gap tolerance in metres, which also stands for rows without unit and for angles (rad).
    pub(crate) tolerance: f64,
    /// By body: the force of `e` in a row may be this share of the largest force of the body's rows.
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

/// What one constraint misses at the end of a solved motion.
#[derive(Debug, Clone, Copy, Default)]
struct Miss {
    /// Largest change of `e` (the unit of `φ`).
    change: f64,
    /// Largest force of `e` on a node, `‖J‖ C⁻¹ e` (N); infinite without a stiffness.
    missed_force: f64,
    /// Largest force of a row on a node (N).
    force: f64,
}

impl Miss {
    /// Takes the forces on nodes of rows with forces `lambda` and remainders `e`.
    fn weigh(
        &mut self,
        constraint: &Constraint,
        group: &ConstraintGroup<'_>,
        lambda: &[f64],
        e: &[f64],
    ) {
        // Rows contain the step; forces are compared with each other only.
        let of_row = |row: usize| {
            let count = group.blocks.len();
            let row = &group.jacobian[row * count..][..count];
            row.iter().map(Vector3::norm).fold(0.0, f64::max)
        };
        for row in 0..e.len() {
            let (norm, force) = (of_row(row), lambda[row].abs());
            let missed = constraint.stiffness().map_or(f64::INFINITY, |stiffness| {
                let of_one = |(column, e): (usize, &f64)| stiffness[(row, column)] * e;
                e.iter().enumerate().map(of_one).sum::<f64>().abs()
            });
            self.force = self.force.max(norm * force);
            let missed = norm * missed;
            let missed = if missed.is_nan() {
                f64::INFINITY
            } else {
                missed
            };
            self.missed_force = self.missed_force.max(missed);
        }
    }
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
        accepted: &Accepted<impl Fn(usize) -> f64>,
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
        let (constants, taken, tolerance) = (&self.constants, &self.taken, accepted.tolerance);
        let of_one = |evaluation: &mut Evaluation, group: usize, latest: &mut [f64]| {
            let constraint = &model.constraints.rows[group];
            let mut miss = Miss::default();
            if constraint.has_potential() {
                return miss;
            }
            let first = rows.first_row(group);
            evaluation.values(constraint, &at);
            take_offsets(model, state, context.end(), first, evaluation);
            for (row, latest) in latest.iter_mut().enumerate() {
                let (value, place) = (evaluation.value[row], first + row);
                *latest = value - constants[place] - rows.product(group, row, solved.velocity);
                let has_force = !constraint.unilateral || solved.forces[place] != 0.0;
                if has_force || value < -tolerance {
                    let change = (*latest - taken[place]).abs();
                    miss.change = if change.is_nan() {
                        f64::INFINITY
                    } else {
                        change.max(miss.change)
                    };
                }
            }
            if !is_joint(model, group) {
                miss.weigh(
                    constraint,
                    &rows.group(group),
                    &solved.forces[first..],
                    latest,
                );
            }
            miss
        };
        let constraints = &model.constraints.rows;
        let mut rest = self.latest.as_mut_slice();
        let mut places = Vec::with_capacity(constraints.len());
        for (group, constraint) in constraints.iter().enumerate() {
            let (first, others) = rest.split_at_mut(constraint.rows());
            places.push((group, first));
            rest = others;
        }
        let misses: Vec<Miss> = if places.len() <= TASK {
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
        self.sort_misses(model, rows, &misses, accepted);
    }

    /// Sorts out the misses that are not accepted, each with its constraint.
    fn sort_misses(
        &mut self,
        model: &Model,
        rows: &ConstraintRows,
        misses: &[Miss],
        accepted: &Accepted<impl Fn(usize) -> f64>,
    ) {
        let body_of = |group: usize| {
            let block = rows.group(group).blocks.first()?;
            Some(model.body_of_block(*block as usize))
        };
        let mut largest = vec![0.0_f64; model.geometry.bodies.len()];
        for (group, miss) in misses.iter().enumerate() {
            if let Some(body) = body_of(group) {
                largest[body] = largest[body].max(miss.force);
            }
        }
        for (group, miss) in misses.iter().enumerate() {
            if miss.change <= accepted.tolerance {
                continue;
            }
            if is_joint(model, group) {
                self.joints.push((group, miss.change));
            } else if let Some(body) = body_of(group) {
                let of_force = miss.missed_force / ((accepted.share)(body) * largest[body]);
                let over = of_force.min(miss.change / accepted.tolerance);
                self.own.extend((over > 1.0).then_some((group, over)));
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

    /// Takes the latest `e`, of predicted velocities, into the rows of all joints. Their stiffness is that of earlier
    /// forces, which belong to such rows.
    pub(crate) fn predict(&mut self, context: StepContext<'_>, rows: &mut ConstraintRows) {
        self.take(context, rows, |_| true);
        self.renewed.fill(false);
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
