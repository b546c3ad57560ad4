//! The points of each body of a run.

use crate::output::Frame;
use nalgebra::Vector3;

/// Rounding of sums of forces over the sum of the absolute values of their terms: about a thousand rounding errors, far
/// below anything visible.
pub(super) const FORCE_ROUNDING: f64 = 1e-12;

/// Largest deviation of the length of a unit vector or quaternion from 1: those of runs deviate by rounding only.
pub(super) const UNIT_TOLERANCE: f64 = 1e-9;

/// The points of each body.
#[derive(Default)]
pub(super) struct Bodies {
    points: Vec<Vec<u32>>,
    is_free_and_rigid: Vec<bool>,
}

impl Bodies {
    pub(super) fn new(frame: &Frame, rigid_bodies: &[u32]) -> Self {
        let shown = frame.body_of_point.iter().chain(rigid_bodies).max();
        let count = shown.map_or(0, |&body| body as usize + 1);
        let (mut points, mut rigid) = (vec![Vec::new(); count], vec![false; count]);
        for (point, &body) in (0u32..).zip(&frame.body_of_point) {
            points[body as usize].push(point);
        }
        for &body in rigid_bodies {
            rigid[body as usize] = true;
        }
        Self {
            points,
            is_free_and_rigid: rigid,
        }
    }

    /// The points of a body, ascending.
    pub(super) fn points(&self, body: u32) -> &[u32] {
        self.points.get(body as usize).map_or(&[], Vec::as_slice)
    }

    /// Sum of the contact forces on a body in `frame` (N), and of the largest components of its terms.
    pub(super) fn contact_force(&self, body: u32, frame: &Frame) -> (Vector3<f64>, f64) {
        let forces = self
            .points(body)
            .iter()
            .map(|&point| frame.contact_forces[point as usize]);
        forces.fold((Vector3::zeros(), 0.0), |(sum, size), force| {
            (sum + force, size + force.amax())
        })
    }

    /// Whether it is a free rigid body.
    pub(super) fn is_free_and_rigid(&self, body: u32) -> bool {
        let known = self.is_free_and_rigid.get(body as usize);
        known.copied().unwrap_or_default()
    }
}
