//! The state at time 0, and the start of a free fall.

use super::Model;
use crate::{history::History, rigid::RigidState, solid::StressPoint, state::State};
use impinge_contact::constraint::Constraint;
use nalgebra::Vector3;

/// The state at time 0.
pub(super) fn start_state(
    model: &mut Model,
    velocities: Vec<Vector3<f64>>,
    rigid: Vec<RigidState>,
) -> State {
    let rows = |constraints: &[Constraint]| constraints.iter().map(Constraint::rows).sum::<usize>();
    let flowing = if model
        .constraints
        .stress_points
        .iter()
        .any(StressPoint::flows)
    {
        rows(&model.constraints.rows)
            + rows(&model.constraints.soft)
            + rows(&model.constraints.held)
    } else {
        0
    };
    let mut state = State {
        time: 0.0,
        step: 0,
        positions: model.points.rest.clone(),
        accelerations: vec![Vector3::zeros(); velocities.len()],
        velocities,
        rigid,
        contacts: Vec::new(),
        joint_forces: vec![0.0; rows(&model.constraints.rows)],
        plastic_strains: vec![0.0; flowing],
        history: History::default(),
        energy_gained: 0.0,
    };
    // From the poses, as in every later step: rounding of the centre must not appear as a motion in the first step.
    for (rigid, at) in model.rigid.iter().zip(&state.rigid) {
        rigid.write_points(at, &mut state.positions, &mut state.velocities);
    }
    model.load_step(&state);
    model.start_falling(&mut state, model.tied_bodies().iter().map(|tied| !tied));
    state
}

impl Model {
    /// Gives the bodies that `free` marks the acceleration of gravity, from which the start of the next solve is
    /// predicted.
    ///
    /// A body that does not rotate then starts with the exact solution. Otherwise the residual of the solve would make
    /// the body vibrate. Bodies that already accelerate or have nodal forces are not changed.
    pub(crate) fn start_falling(&self, state: &mut State, free: impl Iterator<Item = bool>) {
        for (body, _) in self
            .geometry
            .bodies
            .iter()
            .zip(free)
            .filter(|(_, free)| *free)
        {
            let unknowns = &self.unknowns.block_of_point[body.points.clone()];
            let accelerations = &mut state.accelerations[body.points.clone()];
            let is_at_rest = accelerations.iter().all(|a| *a == Vector3::zeros());
            let pulls = &self.points.pull[body.points.clone()];
            let is_deformable = unknowns.iter().all(Option::is_some);
            if is_deformable && is_at_rest && pulls.iter().all(|pull| *pull == Vector3::zeros()) {
                accelerations.fill(self.settings.gravity);
            }
        }
    }
}
