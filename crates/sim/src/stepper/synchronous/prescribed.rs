//! Refuses steps in which prescribed motions drive obstacles into each other.

use crate::{
    error::StepFailure, scene::RigidMotion, step::context::StepContext,
    stepper::obstacles::Obstacles,
};
use impinge_geometry::{broad_phase::Aabb, ccd::LinearMotion};
use nalgebra::Vector3;

/// The obstacles, as long as the same of them move.
#[derive(Default)]
pub(super) struct PrescribedObstacles {
    /// Whether each motion of the model is at rest. Points that get another motion get a new one.
    at_rest: Vec<bool>,
    obstacles: Option<Obstacles>,
}

impl PrescribedObstacles {
    /// Checks the motion of a step to the positions `end` (m), of which those of prescribed points are read.
    ///
    /// # Errors
    /// [`StepFailure::ObstaclesMeet`].
    pub(super) fn check(
        &mut self,
        context: StepContext<'_>,
        end: &[Vector3<f64>],
    ) -> Result<(), StepFailure> {
        let model = context.model;
        let start = &context.state.positions;
        let at_rest = || model.unknowns.motions.iter().map(RigidMotion::is_rest);
        if !self.at_rest.iter().copied().eq(at_rest()) {
            self.at_rest = at_rest().collect();
            self.obstacles = Obstacles::new(model);
        }
        let Some(obstacles) = &mut self.obstacles else {
            return Ok(());
        };
        let swept = |(point, _)| {
            let point = point as usize;
            Aabb::from_points([&start[point], &end[point]])
        };
        if !obstacles.collect(swept) {
            return Ok(());
        }
        let motion = LinearMotion { start, end };
        match obstacles.meeting(model, motion, context.state.time, context.time_step) {
            Some(meeting) => Err(meeting.failure),
            None => Ok(()),
        }
    }
}
