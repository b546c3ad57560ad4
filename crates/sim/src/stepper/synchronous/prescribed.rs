//! Refuses steps in which prescribed motions drive obstacles into each other.

use crate::{
    error::StepFailure,
    model::{Model, PointMotion},
    step::context::StepContext,
    stepper::obstacles::Obstacles,
};
use impinge_geometry::{broad_phase::Aabb, ccd::LinearMotion};
use nalgebra::Vector3;

/// The obstacles, as long as the same of them move.
#[derive(Default)]
pub(super) struct PrescribedObstacles {
    /// For each solid: its motion, and whether it is at rest.
    motions: Vec<(PointMotion, bool)>,
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
        let StepContext {
            model,
            state,
            time_step,
        } = context;
        let start = &state.positions;
        if !is_same(&self.motions, model) {
            self.motions = motions_of(model).collect();
            self.obstacles = Obstacles::new(model, start);
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
        match obstacles.meeting(model, motion, state.time, time_step) {
            Some(meeting) => Err(meeting.failure),
            None => Ok(()),
        }
    }
}

fn is_same(motions: &[(PointMotion, bool)], model: &Model) -> bool {
    motions.len() == model.geometry.solid_count() && motions.iter().copied().eq(motions_of(model))
}

/// The motion of each solid's first point, and whether it is at rest: a motion that changes keeps its number.
fn motions_of(model: &Model) -> impl Iterator<Item = (PointMotion, bool)> {
    (0..model.geometry.solid_count()).map(|solid| {
        let first = model.geometry.solid(solid).points.start;
        let motion = model.unknowns.motion_of_point[first];
        let is_rest = match motion {
            PointMotion::Prescribed(index) => model.unknowns.motions[index as usize].is_rest(),
            _ => false,
        };
        (motion, is_rest)
    })
}
