//! The motion that was looked at last, and the bodies whose motion differs from it.

use crate::contacts::step_motion::StepMotion;
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;

/// The motion of the last call, for comparison with the next.
///
/// A round changes the motion of some islands only. Two bodies with the same motion have the same collisions, so only
/// pairs with a body that moves differently are tested again.
#[derive(Debug, Default)]
pub(crate) struct LastMotion {
    /// Positions at both ends (m).
    start: Vec<Vector3<f64>>,
    end: Vec<Vector3<f64>>,
    /// Whether the start differs, and with it the motion of all bodies.
    starts_anew: bool,
    differs: Vec<bool>,
}

impl LastMotion {
    /// Compares `motion` with the motion of the last call, and stores it.
    pub(crate) fn compare(&mut self, surface: &CollisionSurface, motion: StepMotion<'_>) {
        self.starts_anew = self.start != motion.start;
        self.differs.clear();
        self.differs
            .resize(surface.passive().len(), self.starts_anew);
        if self.starts_anew {
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
                self.differs[body as usize] = true;
            }
        }
    }

    /// Forgets the motion: from the next one, all bodies differ.
    pub(crate) fn forget(&mut self) {
        self.start.clear();
    }

    /// Whether the start of the motion differed in the last comparison.
    pub(crate) fn starts_anew(&self) -> bool {
        self.starts_anew
    }

    /// Whether the motion of a body differed in the last comparison. Half-spaces, which are numbered after the bodies,
    /// stay where they are.
    pub(crate) fn differs(&self, body: u32) -> bool {
        self.differs.get(body as usize) == Some(&true)
    }

    /// Whether the motion of one of two bodies differed.
    pub(crate) fn differs_any(&self, bodies: [u32; 2]) -> bool {
        bodies.into_iter().any(|body| self.differs(body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_differs_by_any_number_of_its_motion_and_all_with_the_start() {
        let surface = CollisionSurface::new(
            vec![[0, 1, 2], [3, 4, 5]],
            6,
            vec![0, 0, 0, 1, 1, 1],
            vec![false; 2],
        );
        let start = vec![Vector3::zeros(); 6];
        let mut end = vec![Vector3::x(); 6];
        let mut last = LastMotion::default();
        let mut compare = |start: &[Vector3<f64>], end: &[Vector3<f64>]| {
            let motion = StepMotion {
                start,
                end,
                time_step: 1e-3,
            };
            last.compare(&surface, motion);
            [0, 1, 2].map(|body| last.differs(body))
        };
        assert_eq!(compare(&start, &end), [true, true, false]);
        assert_eq!(compare(&start, &end), [false, false, false]);
        end[4].x = end[4].x.next_up();
        assert_eq!(compare(&start, &end), [false, true, false]);
        end[0].y = f64::NAN;
        assert_eq!(compare(&start, &end), [true, false, false]);
        assert_eq!(compare(&start, &end), [true, false, false]);
        assert_eq!(compare(&end, &start), [true, true, false]);
        last.forget();
        let motion = StepMotion {
            start: &end,
            end: &start,
            time_step: 1e-3,
        };
        last.compare(&surface, motion);
        assert!(last.starts_anew() && last.differs(0));
    }
}
