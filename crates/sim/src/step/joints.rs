//! Constraints within a step: rows of joints and of shells in compliance form beside those of contacts, and their geometric
//! stiffness in the momentum matrix.

use super::rigid::RigidStep;
use crate::{
    constrained::{RowScratch, stored},
    model::{Model, PointMotion},
    state::State,
};
use impinge_contact::constraint::{
    BodyBlocks, Configuration, Constraint, Evaluation, Frame, Layout, StiffnessSum,
};
use impinge_contact::{ContactProblem, ContactSolution};
use nalgebra::Vector3;

/// Energy that springs and other compliant joints of the scene hold (J).
pub(crate) fn joint_energy(model: &Model, state: &State) -> f64 {
    let joints = &model.joints[..model.scene_joints];
    if joints.iter().all(Constraint::is_hard) {
        return 0.0;
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
    let compliant = joints.iter().filter(|joint| !joint.is_hard());
    compliant
        .map(|joint| {
            evaluation.rows(joint, &configuration, &layout);
            stored(joint, &evaluation.value)
        })
        .sum()
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
}

impl JointRows {
    /// Adds the rows at the start of the step and `−Δt² K̃` from the forces of the step before; the warm start takes those
    /// forces, too.
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
        if model.joints.is_empty() {
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
    }
}
