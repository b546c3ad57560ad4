//! Joints that do not hold where the scene starts, and rows with more damping than steps can follow.

use impinge_contact::constraint::{Configuration, Frame};
use nalgebra::Vector3;
use std::collections::BTreeMap;

use super::finding::Symptom;
use crate::model::Model;

/// Distance (m), or angle (rad), that a hard joint may be off at the start without remark: what numbers in a file are rounded to.
const ROUNDED: f64 = 1e-4;

/// Steps that the damping of a row may be long without remark. A row knows how fast a length changes along the direction that it has at the
/// start of a step; that turning changes it, too, is of second order in the step, but damping multiplies it by how many steps it is
/// long. A cloth of 0.15 J clamped at one side keeps to that with 6 steps, and has up to 0.16, 0.34 and 0.91 J with 20, 200 and 2,000.
const DAMPED_STEPS: f64 = 10.0;

/// Hard joints, which close in one step whatever they are off by at its start.
pub(super) fn examine(model: &Model, out: &mut Vec<Symptom>) {
    let frames: Vec<Frame> = (model.rigid.iter())
        .map(|rigid| rigid.start(Vector3::zeros(), Vector3::zeros()).pose)
        .map(|pose| Frame {
            center: pose.center,
            orientation: pose.orientation,
        })
        .collect();
    let state = Configuration {
        particles: &model.rest,
        frames: &frames,
    };
    let most = DAMPED_STEPS * model.time_step;
    let mut damped: Vec<&str> = Vec::new();
    for row in model.joints.iter().filter(|row| row.damping > most) {
        if !damped.contains(&row.name.as_str()) {
            damped.push(&row.name);
            out.push(Symptom::LongDamping {
                rows: row.name.clone(),
                damping: row.damping,
                steps: row.damping / model.time_step,
            });
        }
    }
    // The rows of a joint, and of a chain of copies, have one name: the worst of them speaks for all.
    let mut worst: BTreeMap<&str, f64> = BTreeMap::new();
    for joint in model.joints.iter().filter(|joint| joint.is_hard()) {
        let misfit = joint.misfit(&state);
        let most = worst.entry(&joint.name).or_default();
        if misfit > *most || misfit.is_nan() {
            *most = misfit;
        }
    }
    for (joint, misfit) in worst {
        if misfit > ROUNDED || misfit.is_nan() {
            out.push(Symptom::JointApart {
                joint: joint.to_owned(),
                misfit,
                rate: misfit / model.time_step,
            });
        }
    }
}
