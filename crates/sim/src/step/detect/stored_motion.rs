//! The motion that near pairs were listed for, and the bodies that left it by too much.

use crate::contacts::step_motion::StepMotion;
use crate::step::detect::last_motion::LastMotion;
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;

/// Margin of the list of near pairs, over the largest displacement of a point, 0.03 to 0.25: a longer list costs more
/// in every round than its renewal in the first ones, which change the motion most.
const MARGIN_PER_MOTION: f64 = 0.1;

/// The stored motion, which the near pairs were listed for.
#[derive(Debug, Default)]
pub(super) struct StoredMotion {
    /// Its end (m).
    end: Vec<Vector3<f64>>,
    /// Margin (m) by which the pairs that are not near stay separated on it.
    pub(super) margin: f64,
    /// Whether the motion of a body has just been stored.
    pub(super) is_new: Vec<bool>,
    /// Largest square of the distance of a point from its stored end, for each body (m²).
    farthest_squared: Vec<f64>,
}

impl StoredMotion {
    /// Stores `motion` for all bodies.
    pub(super) fn begin(&mut self, surface: &CollisionSurface, motion: StepMotion<'_>) {
        let of_vertex = |&vertex: &u32| {
            let point = vertex as usize;
            distance_squared(&motion.start[point], &motion.end[point])
        };
        let farthest_squared = surface.vertices().iter().map(of_vertex).fold(0.0, f64::max);
        self.margin = MARGIN_PER_MOTION * farthest_squared.sqrt();
        self.end.clear();
        self.end.extend_from_slice(motion.end);
        self.is_new.clear();
        self.is_new.resize(surface.passive().len(), true);
    }

    /// Stores the end of a motion with the same start for the bodies that moved too far from the stored one.
    pub(super) fn follow(
        &mut self,
        surface: &CollisionSurface,
        end: &[Vector3<f64>],
        last: &LastMotion,
    ) {
        self.farthest_squared.clear();
        self.farthest_squared.resize(surface.passive().len(), 0.0);
        for &vertex in surface.vertices() {
            let (point, body) = (vertex as usize, surface.body_of_point(vertex));
            if last.differs(body) {
                let farthest = &mut self.farthest_squared[body as usize];
                *farthest = farthest.max(distance_squared(&self.end[point], &end[point]));
            }
        }
        for (is_new, &farthest) in self.is_new.iter_mut().zip(&self.farthest_squared) {
            *is_new = farthest > 0.0 && 2.0 * farthest.sqrt() >= self.margin;
        }
        if self.is_new.contains(&true) {
            for &vertex in surface.vertices() {
                let (point, body) = (vertex as usize, surface.body_of_point(vertex));
                if self.is_new[body as usize] {
                    self.end[point] = end[point];
                }
            }
        }
    }

    /// Margin (m) that the pairs of two bodies must keep on the present motion to be left out of the near pairs. None
    /// if their near pairs stay.
    pub(super) fn margin_for(&self, bodies: [u32; 2]) -> Option<f64> {
        match bodies.map(|body| self.is_new[body as usize]) {
            [false, false] => None,
            [true, true] => Some(self.margin),
            // The other body ends within half a margin of its stored end.
            _ => Some(1.5 * self.margin),
        }
    }
}

/// Square of the distance of two points; infinite if it is NaN.
fn distance_squared(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    let squared = (a - b).norm_squared();
    if squared.is_nan() {
        f64::INFINITY
    } else {
        squared
    }
}
