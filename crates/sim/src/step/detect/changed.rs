//! Bodies that move otherwise than in the motion that was tested before.

use crate::contacts::step_motion::StepMotion;
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;

/// The motion that was tested last, and the bodies whose motion is another one since.
///
/// A round moves only the bodies of some islands. Two bodies that move exactly as before collide exactly as before, so
/// only pairs with a changed body are tested again.
#[derive(Debug, Default)]
pub(crate) struct ChangedBodies {
    /// The motion that was tested last (m).
    start: Vec<Vector3<f64>>,
    end: Vec<Vector3<f64>>,
    /// Whether the start changed, and all bodies with it.
    all: bool,
    is_changed: Vec<bool>,
}

impl ChangedBodies {
    /// Compares `motion` with the motion of the last call.
    pub(crate) fn compare(&mut self, surface: &CollisionSurface, motion: StepMotion<'_>) {
        self.all = self.start != motion.start;
        self.is_changed.clear();
        self.is_changed.resize(surface.passive().len(), self.all);
        if self.all {
            self.start.clear();
            self.start.extend_from_slice(motion.start);
            self.end.clear();
            self.end.extend_from_slice(motion.end);
            return;
        }
        for ((before, now), &body) in self.end.iter_mut().zip(motion.end).zip(surface.group()) {
            // NaN differs from itself.
            if before != now {
                *before = *now;
                self.is_changed[body as usize] = true;
            }
        }
    }

    /// Forgets the motion, so that the next one changes all bodies.
    pub(crate) fn forget(&mut self) {
        self.start.clear();
    }

    /// Whether the start of the motion changed.
    pub(crate) fn starts_anew(&self) -> bool {
        self.all
    }

    /// Whether the motion of a body changed. Half-spaces, which are numbered after the bodies, stay where they are.
    pub(crate) fn contains(&self, body: u32) -> bool {
        (self.is_changed.get(body as usize)).is_some_and(|&is_changed| is_changed)
    }

    /// Whether the motion of one of two bodies changed.
    pub(crate) fn contains_any(&self, bodies: [u32; 2]) -> bool {
        bodies.into_iter().any(|body| self.contains(body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_change_by_any_bit_of_their_motion_and_all_with_the_start() {
        let surface = CollisionSurface::new(
            vec![[0, 1, 2], [3, 4, 5]],
            6,
            vec![0, 0, 0, 1, 1, 1],
            vec![false; 2],
        );
        let start = vec![Vector3::zeros(); 6];
        let mut end = vec![Vector3::x(); 6];
        let mut changed = ChangedBodies::default();
        let mut compare = |start: &[Vector3<f64>], end: &[Vector3<f64>]| {
            let motion = StepMotion {
                start,
                end,
                time_step: 1e-3,
            };
            changed.compare(&surface, motion);
            [0, 1].map(|body| changed.contains(body))
        };
        assert_eq!(compare(&start, &end), [true, true]);
        assert_eq!(compare(&start, &end), [false, false]);
        end[4].x = end[4].x.next_up();
        assert_eq!(compare(&start, &end), [false, true]);
        end[0].y = f64::NAN;
        assert_eq!(compare(&start, &end), [true, false]);
        assert_eq!(compare(&start, &end), [true, false]);
        assert_eq!(compare(&end, &start), [true, true]);
    }
}
