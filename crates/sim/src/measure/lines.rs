//! The joints of a state that are lines in space: links and ropes.

use super::constraint_forces::{Evaluator, Rows};
use crate::{model::Line, model::Model, rigid::RigidState, state::State};
use impinge_contact::constraint::{Configuration, Frame};
use nalgebra::Vector3;

/// A link or rope at the end of the last step.
#[derive(Debug, Clone, PartialEq)]
pub struct JointLine {
    /// Number of the joint in the scene; the links of a chain of copies share it.
    pub joint: u32,
    /// Its points, from its first body on (m).
    pub points: Vec<Vector3<f64>>,
    /// Tension along the line, negative under pressure (N); 0 if nothing that it joins moves, and at the start of hard
    /// joints and of those in compliance form, before the first solve.
    pub force: f64,
}

/// The links and ropes of `state`, in the order of the joints of the scene.
///
/// # Panics
/// If `state` is not one of `model`.
pub fn joint_lines(model: &Model, state: &State) -> Vec<JointLine> {
    let constraints = &model.constraints;
    if constraints.lines.is_empty() {
        return Vec::new();
    }
    let frames: Vec<Frame> = state.rigid.iter().map(RigidState::frame).collect();
    let configuration = Configuration {
        particles: &state.positions,
        frames: &frames,
    };
    let mut evaluator = Evaluator::new(model, state, &frames);
    let rows = constraints.rows.len();
    let mut force = |line: &Line| {
        let of = line.constraint?;
        let soft = of.index.checked_sub(rows);
        let constraint = match soft {
            None => constraints.rows.get(of.index),
            Some(index) => constraints.soft.get(index),
        }?;
        let range = of.first_row..of.first_row + constraint.rows();
        let has_forces = soft.is_none();
        let forces = evaluator.forces(constraint, Rows { range, has_forces });
        Some(line.tension_sign * forces.first()?)
    };
    let lines = constraints.lines.iter().map(|line| JointLine {
        joint: line.joint as u32,
        points: (line.points.iter())
            .map(|point| point.at(&configuration))
            .collect(),
        // Adding zero makes a negative zero positive.
        force: force(line).unwrap_or_default() + 0.0,
    });
    lines.collect()
}
