//! Constraints within a step: rows of joints and of bodies in compliance form beside those of contacts, stiffnesses of
//! those in stiffness form, and the geometric stiffness of both in the momentum matrix.

use crate::step::assemble::rigid::RigidStep;
use crate::{
    constrained::RowScratch,
    measure::strains::{TASK, take_plastic},
    model::PointMotion,
    state::State,
    step::context::StepContext,
};
use impinge_contact::constraint::{
    BodyBlocks, Condenser, Configuration, Constraint, Evaluation, Frame, GeometricStiffness,
    Layout, StiffnessSum,
};
use impinge_contact::{ContactProblem, ContactSolution};
use nalgebra::Vector3;
use rayon::prelude::*;

/// Scratch of all constraints.
#[derive(Debug, Default)]
pub(crate) struct JointRows {
    points: Vec<Vector3<f64>>,
    frames: Vec<Frame>,
    bodies: Vec<Option<BodyBlocks>>,
    first_rows: Vec<usize>,
    sum: StiffnessSum,
    rows: RowScratch,
    batch: Vec<Prepared>,
}

/// Constraints that are evaluated at once: enough for every thread, few enough that what they hold stays small.
const BATCH: usize = 512;

/// What one constraint adds to the equations of a step.
#[derive(Debug, Default)]
struct Prepared {
    evaluation: Evaluation,
    condenser: Condenser,
    /// Whether a constraint in stiffness form presses.
    presses: bool,
    /// Whether it has geometric stiffness.
    stiff: bool,
}

/// Which of both a list of constraints is.
#[derive(Clone, Copy)]
enum Form<'a> {
    /// Rows of their own, with the forces of the step before and what of their geometric stiffness counts.
    Rows(&'a [f64], GeometricStiffness),
    /// Stiffnesses.
    Stiffness,
}

impl Prepared {
    /// Evaluates `constraint`, the first row of which is `first`.
    fn evaluate(
        &mut self,
        constraint: &Constraint,
        first: usize,
        form: Form<'_>,
        state: &State,
        configuration: &Configuration<'_>,
        layout: &Layout<'_>,
    ) {
        let evaluation = &mut self.evaluation;
        evaluation.rows(constraint, configuration, layout);
        take_plastic(state, first, evaluation);
        let (lambda, mode) = match form {
            Form::Rows(forces, mode) => (&forces[first..first + constraint.rows()], mode),
            Form::Stiffness => {
                self.presses = self.condenser.prepare(constraint, evaluation);
                if !self.presses {
                    self.stiff = false;
                    return;
                }
                (
                    self.condenser.lambda.as_slice(),
                    GeometricStiffness::Projected,
                )
            }
        };
        self.stiff = mode.evaluate(constraint, evaluation, configuration, layout, lambda);
    }
}

impl JointRows {
    /// Adds the rows at the start of the step and `−Δt² K̃` from the forces of the step before; the warm start takes
    /// those forces, too. What is in stiffness form is added to the momentum system, its `K̃` from the present forces
    /// and projected.
    ///
    /// [`RowScratch::push`] says which rows. Points with a prescribed motion are where they will be at the end, so they
    /// need no column.
    pub(crate) fn pose(
        &mut self,
        context: StepContext<'_>,
        rigid: &RigidStep,
        end: &[Vector3<f64>],
        problem: &mut ContactProblem,
        solution: &mut ContactSolution,
    ) {
        let StepContext { model, state, .. } = context;
        problem.constraints.clear();
        solution.constraints.clone_from(&state.joint_forces);
        if model.constraints.rows.is_empty() && model.constraints.soft.is_empty() {
            return;
        }
        let h = problem.time_step;
        self.points.clone_from(&state.positions);
        for (point, motion) in model.unknowns.motion_of_point.iter().enumerate() {
            if matches!(motion, PointMotion::Prescribed(_)) {
                self.points[point] = end[point];
            }
        }
        self.frames.clear();
        self.bodies.clear();
        for (index, (body, at)) in model.rigid.iter().zip(&state.rigid).enumerate() {
            self.frames.push(Frame {
                center: at.pose.center,
                orientation: at.pose.orientation,
            });
            self.bodies.push(Some(BodyBlocks {
                first: body.first_block,
                axes: rigid.axes(index),
            }));
        }
        let configuration = Configuration {
            particles: &self.points,
            frames: &self.frames,
        };
        let layout = Layout {
            particles: &model.unknowns.block_of_point,
            bodies: &self.bodies,
        };
        let most = model
            .constraints
            .rows
            .len()
            .max(model.constraints.soft.len())
            .min(BATCH);
        if self.batch.len() < most {
            self.batch.resize_with(most, Prepared::default);
        }
        let mut first = 0;
        for (list, form, mode) in [
            (
                &model.constraints.rows,
                Form::Rows(&state.joint_forces, model.constraints.geometric_stiffness),
                model.constraints.geometric_stiffness,
            ),
            (
                &model.constraints.soft,
                Form::Stiffness,
                GeometricStiffness::Projected,
            ),
        ] {
            self.sum.start(self.bodies.len());
            for chunk in list.chunks(BATCH) {
                self.first_rows.clear();
                for constraint in chunk {
                    self.first_rows.push(first);
                    first += constraint.rows();
                }
                let evaluate = |of: &mut Prepared, constraint: &Constraint, first: usize| {
                    of.evaluate(constraint, first, form, state, &configuration, &layout);
                };
                if chunk.len() <= TASK {
                    let places = chunk.iter().zip(&self.first_rows);
                    for (of, (constraint, &first)) in self.batch.iter_mut().zip(places) {
                        evaluate(of, constraint, first);
                    }
                } else {
                    let places = chunk.par_iter().zip(&self.first_rows);
                    (self.batch.par_iter_mut().zip(places))
                        .with_min_len(TASK)
                        .for_each(|(of, (constraint, &first))| evaluate(of, constraint, first));
                }
                // One after the other: the same sums for any number of threads.
                for (constraint, of) in chunk.iter().zip(&self.batch) {
                    let momentum = &mut problem.momentum;
                    match form {
                        Form::Rows(..) => {
                            let rows = &mut problem.constraints;
                            self.rows.push(constraint, &of.evaluation, h, rows);
                        }
                        Form::Stiffness if of.presses => {
                            let rhs = &mut problem.rhs;
                            (of.condenser).scatter(constraint, &of.evaluation, h, momentum, rhs);
                        }
                        Form::Stiffness => {}
                    }
                    if of.stiff {
                        self.sum.scatter(constraint, &of.evaluation, h, momentum);
                    }
                }
            }
            self.sum.finish(&layout, mode, h, &mut problem.momentum);
        }
    }
}
