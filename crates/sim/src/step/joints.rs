//! Constraints within a step: rows of joints and of bodies in compliance form beside those of contacts, stiffnesses of those in
//! stiffness form, and the geometric stiffness of both in the momentum matrix.

use super::rigid::RigidStep;
use crate::{
    constrained::{RowScratch, stored},
    model::{Model, PointMotion},
    state::State,
};
use impinge_contact::constraint::{
    BodyBlocks, Condenser, Configuration, Constraint, Evaluation, Frame, GeometricStiffness,
    Layout, StiffnessSum,
};
use impinge_contact::{ContactProblem, ContactSolution};
use nalgebra::Vector3;

/// Energy that springs, other compliant joints and strains hold (J).
pub(crate) fn joint_energy(model: &Model, state: &State) -> f64 {
    let rows = &model.joints[..model.measured_joints];
    let mut energy = 0.0;
    let mut add = |_, constraint: &Constraint, evaluation: &Evaluation| {
        energy += stored(constraint, evaluation);
    };
    evaluate(rows, 0, state, &mut add);
    let first = model.joints.iter().map(Constraint::rows).sum();
    evaluate(&model.soft, first, state, &mut add);
    energy
}

/// Lets what flows flow at the end of a step.
pub(crate) fn flow_plastically(model: &Model, state: &mut State) {
    if model.yields.is_empty() {
        return;
    }
    let mut strains = vec![0.0; state.plastic_strains.len()];
    let mut keep = |first: usize, _: &Constraint, evaluation: &Evaluation| {
        let value = &evaluation.value;
        strains[first..][..value.len()].copy_from_slice(value);
    };
    evaluate(&model.joints, 0, state, &mut keep);
    let first = model.joints.iter().map(Constraint::rows).sum();
    evaluate(&model.soft, first, state, &mut keep);
    for of in &model.yields {
        // What was evaluated is the elastic strain: it flows from none.
        let elastic = std::array::from_fn(|row| strains[of.first_row + row]);
        let mut more = [0.0; 6];
        if of.law.flow(&elastic, &mut more) {
            let kept = &mut state.plastic_strains[of.first_row..];
            for (kept, more) in kept.iter_mut().zip(more) {
                *kept += more;
            }
        }
    }
}

/// Takes the plastic strain of its rows, the first of which is `first`, off the value of a constraint.
fn take_plastic(state: &State, first: usize, evaluation: &mut Evaluation) {
    if state.plastic_strains.is_empty() {
        return;
    }
    for (value, plastic) in (evaluation.value.iter_mut()).zip(&state.plastic_strains[first..]) {
        *value -= plastic;
    }
}

/// Shows the values of the constraints that are not hard at `state`, with their first rows, counted from `first`.
fn evaluate(
    constraints: &[Constraint],
    mut first: usize,
    state: &State,
    show: &mut dyn FnMut(usize, &Constraint, &Evaluation),
) {
    if constraints.iter().all(Constraint::is_hard) {
        return;
    }
    let frames: Vec<Frame> = (state.rigid.iter())
        .map(|at| Frame {
            center: at.pose.center,
            orientation: at.pose.orientation,
        })
        .collect();
    let configuration = Configuration {
        particles: &state.positions,
        frames: &frames,
    };
    // No unknowns: only the values are asked for.
    let (particles, bodies) = (
        vec![None; state.positions.len()],
        vec![None; state.rigid.len()],
    );
    let layout = Layout {
        particles: &particles,
        bodies: &bodies,
    };
    let mut evaluation = Evaluation::default();
    for constraint in constraints {
        if !constraint.is_hard() {
            evaluation.rows(constraint, &configuration, &layout);
            take_plastic(state, first, &mut evaluation);
            show(first, constraint, &evaluation);
        }
        first += constraint.rows();
    }
}

/// Scratch of all constraints.
#[derive(Debug, Default)]
pub(crate) struct JointRows {
    points: Vec<Vector3<f64>>,
    frames: Vec<Frame>,
    bodies: Vec<Option<BodyBlocks>>,
    evaluation: Evaluation,
    sum: StiffnessSum,
    rows: RowScratch,
    condenser: Condenser,
}

impl JointRows {
    /// Adds the rows at the start of the step and `−Δt² K̃` from the forces of the step before; the warm start takes those
    /// forces, too. What is in stiffness form is added to the momentum system, its `K̃` from the present forces and projected.
    ///
    /// [`RowScratch::push`] says which rows. Points with a prescribed motion are where they will be at the end, so they need no
    /// column.
    pub(crate) fn pose(
        &mut self,
        model: &Model,
        state: &State,
        rigid: &RigidStep,
        end: &[Vector3<f64>],
        problem: &mut ContactProblem,
        solution: &mut ContactSolution,
    ) {
        problem.constraints.clear();
        solution.constraints.clone_from(&state.joint_forces);
        if model.joints.is_empty() && model.soft.is_empty() {
            return;
        }
        let h = problem.time_step;
        self.points.clone_from(&state.positions);
        for (point, motion) in model.motion_of_point.iter().enumerate() {
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
            particles: &model.block_of_point,
            bodies: &self.bodies,
        };
        self.sum.start(self.bodies.len());
        let mut first = 0;
        for joint in &model.joints {
            self.evaluation.rows(joint, &configuration, &layout);
            take_plastic(state, first, &mut self.evaluation);
            let count = joint.rows();
            (self.rows).push(joint, &self.evaluation, h, &mut problem.constraints);
            self.sum.add(
                joint,
                &mut self.evaluation,
                &configuration,
                &layout,
                &state.joint_forces[first..first + count],
                model.joint_stiffness,
                h,
                &mut problem.momentum,
            );
            first += count;
        }
        self.sum
            .finish(&layout, model.joint_stiffness, h, &mut problem.momentum);

        self.sum.start(self.bodies.len());
        for soft in &model.soft {
            self.evaluation.rows(soft, &configuration, &layout);
            take_plastic(state, first, &mut self.evaluation);
            first += soft.rows();
            let (momentum, rhs) = (&mut problem.momentum, &mut problem.rhs);
            if (self.condenser).add(soft, &self.evaluation, h, momentum, rhs) {
                self.sum.add(
                    soft,
                    &mut self.evaluation,
                    &configuration,
                    &layout,
                    &self.condenser.lambda,
                    GeometricStiffness::Projected,
                    h,
                    momentum,
                );
            }
        }
        let mode = GeometricStiffness::Projected;
        self.sum.finish(&layout, mode, h, &mut problem.momentum);
    }
}
