//! Collisions of obstacles within the straight pieces of their prescribed motions.

use crate::model::Model;
use crate::scene::RigidMotion;
use crate::stepper::obstacles::{Meeting, Obstacles};
use impinge_geometry::broad_phase::Aabb;
use impinge_geometry::ccd::LinearMotion;
use nalgebra::Vector3;

/// The obstacles and their motions, which are straight between multiples of a period, as in scripts.
#[derive(Debug)]
pub(super) struct ScriptedObstacles {
    obstacles: Obstacles,
    motions: Vec<RigidMotion>,
    start: Vec<Vector3<f64>>,
    /// Length of a straight piece (s).
    period: f64,
    // Buffers.
    from: Vec<Vector3<f64>>,
    to: Vec<Vector3<f64>>,
}

impl ScriptedObstacles {
    /// The obstacles of a model at the given positions (m), with straight pieces of length `period` (s); `None` if none
    /// of them moves.
    pub(super) fn new(model: &Model, start: &[Vector3<f64>], period: f64) -> Option<Self> {
        Some(Self {
            obstacles: Obstacles::new(model)?,
            motions: model.unknowns.motions.clone(),
            start: start.to_vec(),
            period,
            from: start.to_vec(),
            to: start.to_vec(),
        })
    }

    /// The first collision in `pieces` pieces from number `first` on; `None` proves that there is none.
    pub(super) fn meeting(&mut self, model: &Model, first: u64, pieces: u64) -> Option<Meeting> {
        let (motions, start, period) = (&self.motions, &self.start, self.period);
        let place = |(point, motion): (u32, u32), piece: u64| {
            motions[motion as usize].position_at(&start[point as usize], piece as f64 * period)
        };
        let has_pairs = self.obstacles.collect(|moved| {
            let at_start = Aabb::from_point(&place(moved, first));
            (first + 1..=first + pieces).fold(at_start, |bounds, piece| {
                bounds.merged(&Aabb::from_point(&place(moved, piece)))
            })
        });
        if !has_pairs {
            return None;
        }
        (first..first + pieces).find_map(|piece| {
            for &moved in self.obstacles.moving() {
                let point = moved.0 as usize;
                self.from[point] = place(moved, piece);
                self.to[point] = place(moved, piece + 1);
            }
            let motion = LinearMotion {
                start: &self.from,
                end: &self.to,
            };
            let begin = piece as f64 * period;
            self.obstacles.meeting(model, motion, begin, period)
        })
    }
}
